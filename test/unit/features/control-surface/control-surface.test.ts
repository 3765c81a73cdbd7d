import { describe, expect, test } from "vitest";
import type { ApiRequest } from "../../../../src/apiserver/endpoints/api-request.ts";
import { route } from "../../../../src/features/control-surface/control-route.ts";
import { ControlSurface } from "../../../../src/features/control-surface/control-surface.ts";
import { askedFor } from "../../../support/asked-for.ts";
import { openToAll } from "./ask.ts";

const echo = route("PUT /things/{name}", "putThing", {
  summary: "Gives back what it was given.",
  body: { type: "object", properties: { size: { type: "integer" } } },
  answer: ["the same"],
  handle: ({ path, body }) => ({ path, body }),
});
const nothing = route("DELETE /things/{name}", "deleteThing", {
  summary: "Gives back nothing.",
  answer: ["nothing"],
  handle: () => undefined,
});
const surface = new ControlSurface([echo, nothing], openToAll);

const request = (method: string, path: string, body?: string): ApiRequest => ({
  ...askedFor(method, path),
  headers: {},
  body: body === undefined ? undefined : Buffer.from(body),
  user: { name: "someone", groups: [] },
});

const ask = async (method: string, path: string, body?: string): Promise<unknown> => {
  const response = await surface.handle(request(method, path, body));
  return JSON.parse(Buffer.from((response?.body ?? "{}") as Uint8Array).toString());
};

describe("the control surface", () => {
  test("leaves other paths to others", () => {
    expect(surface.handle(request("GET", "/api/v1"))).toBeUndefined();
  });

  test.each(['{"size": 3}', "size: 3"])("reads names of the path and a body: %s", async (body) => {
    expect(await ask("PUT", "/egret/v1/things/a", body)).toEqual({ path: { name: "a" }, body: { size: 3 } });
  });

  test("answers 204 when there is nothing to say", async () => {
    expect(await surface.handle(request("DELETE", "/egret/v1/things/a"))).toMatchObject({ status: 204 });
  });

  test.each([
    ["PUT", "/egret/v1/things/a", '{"size": "big"}', 400, "body/size must be integer"],
    ["PUT", "/egret/v1/things/a", undefined, 400, "a body is needed"],
    ["PUT", "/egret/v1/things/a", "a: [", 400, "the body is neither JSON nor YAML"],
    ["POST", "/egret/v1/things/a", "{}", 405, "the control surface has no POST here"],
    ["GET", "/egret/v1/other", undefined, 404, "the server could not find the requested resource"],
    ["PUT", "/egret/v1/things/", "{}", 404, "the server could not find the requested resource"],
  ])("refuses %s %s with %s", async (method, path, body, code, message) => {
    await expect(ask(method, path, body)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
  });
});
