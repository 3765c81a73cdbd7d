// Sends requests to routes of the control surface without a server.

import type { ApiRequest } from "../../../../src/apiserver/endpoints/api-request.ts";
import type { Caller, CallerOf } from "../../../../src/features/control-surface/caller.ts";
import type { ControlRoute } from "../../../../src/features/control-surface/control-route.ts";
import { ControlSurface } from "../../../../src/features/control-surface/control-surface.ts";
import { askedFor } from "../../../support/asked-for.ts";
import { inThisThread } from "../../../support/in-this-thread.ts";

/** A caller that is authorized for every request. */
const almighty: CallerOf = (user) =>
  ({ user, may: () => true, demand: () => {}, mayDoEverything: () => true }) as Partial<Caller> as Caller; // no route here writes as the caller

export const openToAll = { callerOf: almighty, workers: inThisThread, lineBytesMax: 1000 };

/** Sends requests below /egret/v1: method, path with query, body. Answers the JSON; rejects with a StatusError. */
export function askerOf(
  routes: readonly ControlRoute[],
): (method: string, path: string, body?: unknown) => Promise<unknown> {
  const surface = new ControlSurface(routes, openToAll);
  return async (method, path, body) => {
    const [plain = "", query = ""] = path.split("?");
    const request: ApiRequest = {
      ...askedFor(method, `/egret/v1${plain}`, query),
      headers: {},
      body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
      user: { name: "someone", groups: [] },
    };
    const response = await surface.handle(request);
    return JSON.parse(Buffer.from((response?.body ?? "{}") as Uint8Array).toString()); // no route streams here
  };
}
