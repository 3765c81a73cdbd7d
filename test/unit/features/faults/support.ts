// Requests that faults apply to, and a manual clock.

import type { ApiRequest, ApiResponse, Connection } from "../../../../src/apiserver/endpoints/api-request.ts";
import { Faults } from "../../../../src/features/faults/faults.ts";
import type { FaultDeps } from "../../../../src/features/faults/request-chain.ts";
import { askedFor } from "../../../support/asked-for.ts";
import { ManualClock } from "../../kube/controllers/support.ts";

export interface Asked {
  readonly method?: string;
  readonly query?: string;
  readonly userAgent?: string;
  readonly user?: string;
  readonly impersonate?: string;
  readonly contentType?: string;
  readonly body?: string;
}

export function requestOf(path: string, asked: Asked = {}): ApiRequest {
  return {
    ...askedFor(asked.method ?? "GET", path, asked.query),
    headers: { "user-agent": asked.userAgent ?? "test/1", "content-type": asked.contentType },
    body: asked.body === undefined ? undefined : Buffer.from(asked.body),
    user: { name: asked.user ?? "somebody", groups: [] },
    impersonate: asked.impersonate ? { name: asked.impersonate, uid: "", groups: [], extra: {} } : undefined,
  };
}

/** Never at random: what is drawn is what the test says, over and over. */
export function faultWorld(draws: readonly number[] = [0.5]): {
  readonly faults: Faults;
  readonly clock: ManualClock;
  readonly deps: FaultDeps;
} {
  let drawn = 0;
  const clock = new ManualClock();
  const random = () => draws[drawn++ % draws.length] ?? 0;
  const deps = { clock, random, store: { revision: 100, compactedRevision: 10 } as FaultDeps["store"] };
  return { faults: new Faults(deps), clock, deps };
}

/** Notes what is done to it. */
export class KnownConnection implements Connection {
  readonly done: string[] = [];
  readonly #gone = new AbortController();
  reset(): void {
    this.done.push("reset");
    this.leave();
  }
  close(): void {
    this.done.push("close");
    this.leave();
  }
  halfClose(): void {
    this.done.push("halfClose");
  }
  /** The client goes. */
  leave(): void {
    this.#gone.abort();
  }
  get gone(): AbortSignal {
    return this.#gone.signal;
  }
}

export const OK: ApiResponse = {
  status: 200,
  headers: { "content-type": "application/json" },
  body: Buffer.from('{"kind":"ConfigMap"}\n'),
};

export interface Outcome {
  readonly response: ApiResponse | undefined;
  /** The requests that reached the API. */
  readonly asked: readonly ApiRequest[];
  readonly cause: string;
}

/** Sends a request through the gate. */
export async function send(
  faults: Faults,
  request: ApiRequest,
  connection: Connection = new KnownConnection(),
): Promise<Outcome> {
  const asked: ApiRequest[] = [];
  const api = (given: ApiRequest): Promise<ApiResponse> => {
    asked.push(given);
    return Promise.resolve(OK);
  };
  const intervention = faults.intercept(request);
  const response = intervention ? await intervention.answer(api, connection) : await api(request);
  return { response, asked, cause: intervention?.cause ?? "" };
}

export const statusIn = (response: ApiResponse | undefined): unknown =>
  JSON.parse(Buffer.from((response?.body ?? "null") as Uint8Array).toString());
