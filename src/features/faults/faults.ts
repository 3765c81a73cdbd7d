// The faults of a server, and the gate that every request passes. Without faults a request costs one check of an empty
// list.

import { badRequest, failure, type StatusError } from "../../apimachinery/meta/status.ts";
import type {
  ApiRequest,
  Intervention,
  OpenedWatch,
  RequestGate,
  WatchBody,
} from "../../apiserver/endpoints/api-request.ts";
import type { RequestInfo } from "../../apiserver/endpoints/request/request-info.ts";
import { type ClientFactory, type ClientRequest, clientThrough } from "../../controller/client.ts";
import { type ControlRoute, route } from "../control-surface/control-route.ts";
import {
  FAULT_LIST_SCHEMA,
  FAULT_REPORT_SCHEMA,
  FAULT_SCHEMA,
  type Fault,
  type FaultReport,
} from "./fault.ts";
import { LiveFault } from "./live-fault.ts";
import { type Target, targetOf } from "./match.ts";
import { createChain, type FaultDeps, sampleMilliseconds, statusOf } from "./request-chain.ts";
import { WatchTap } from "./watch-tap.ts";

/** Every request is matched against every fault. */
const FAULTS_MAX = 1000;
/** Requests that faults never match: removing faults and health checks must always work. */
const SPARED = /^\/(egret|healthz|livez|readyz)(\/|$)/;

/**
 * Injects faults into requests, for tests of clients and controllers.
 *
 * @example
 * const fault = server.faults.add({ match: { resource: "configmaps", verb: "update" }, count: 2, error: { code: 409 } });
 * // … two updates are rejected with a conflict, the third succeeds …
 * expect(server.faults.get(fault.id)?.fired).toBe(2);
 */
export class Faults implements RequestGate {
  readonly #deps: FaultDeps;
  readonly #byId = new Map<string, LiveFault>();
  /** Faults that can still strike, in the order of creation. */
  #live: readonly LiveFault[] = [];
  readonly #taps = new Set<WatchTap>();
  #lastNumber = 0;

  constructor(deps: FaultDeps) {
    this.#deps = deps;
  }

  /** Adds a fault; one about watch events also strikes open watches. Throws a StatusError 400 or 409. */
  add(fault: Fault): FaultReport {
    const id = fault.id ?? this.#newId();
    if (this.#byId.has(id)) throw taken(id);
    return this.#keep(id, fault);
  }

  /** Adds or replaces the fault with this id; its counters restart. Throws a StatusError 400. */
  put(id: string, fault: Fault): FaultReport {
    if (fault.id !== undefined && fault.id !== id)
      throw badRequest(`the fault calls itself ${fault.id}, not ${id}`);
    return this.#keep(id, fault);
  }

  get(id: string): FaultReport | undefined {
    return this.#byId.get(id)?.report();
  }

  /** All faults, including spent ones. */
  list(): FaultReport[] {
    return Array.from(this.#byId.values(), (live) => live.report());
  }

  /** Returns false for an unknown id. */
  remove(id: string): boolean {
    const live = this.#byId.get(id);
    live?.remove();
    this.#byId.delete(id);
    this.#refresh();
    return live !== undefined;
  }

  /** Removes all faults. Their effects on open watches end, too. */
  clear(): void {
    for (const live of this.#byId.values()) live.remove();
    this.#byId.clear();
    this.#refresh();
  }

  /** The name of a created object may be only in the body. */
  wantsBody({ verb }: RequestInfo): boolean {
    return verb === "create" && this.#live.some(({ fault }) => fault.match?.name !== undefined);
  }

  intercept(request: ApiRequest): Intervention | undefined {
    const { info } = request;
    if (this.#live.length === 0 || (!info.isResourceRequest && SPARED.test(request.path))) return undefined;
    const target = targetOf(request);
    const striking = this.striking(target);
    const first = striking.next().value;
    return first && createChain(first, striking, { request, target }, this.#deps);
  }

  watching(watch: OpenedWatch): WatchBody {
    let tap: WatchTap | undefined;
    return {
      get cause() {
        return tap?.cause ?? "";
      },
      body: async (sink, signal) => {
        tap = new WatchTap(watch, sink, signal, this.#deps);
        this.#taps.add(tap);
        try {
          for (const live of this.#live) this.#strikeTap(live, tap);
          await tap.run();
        } finally {
          this.#taps.delete(tap);
        }
      },
    };
  }

  /** No fault can strike. */
  get idle(): boolean {
    return this.#live.length === 0;
  }

  /**
   * Yields the faults that strike a request in order. Each one is matched and counted lazily, when the iterator reaches
   * it.
   */
  *striking(target: Target): Generator<LiveFault, undefined> {
    for (const live of this.#live) {
      if (live.strikes("request", target, this.#deps.random)) yield live;
    }
  }

  #keep(id: string, fault: Fault): FaultReport {
    if (this.#byId.size >= FAULTS_MAX && !this.#byId.has(id))
      throw badRequest(`there are ${FAULTS_MAX} faults`);
    const live = new LiveFault(id, fault, () => this.#refresh());
    this.#byId.get(id)?.remove();
    this.#byId.set(id, live);
    this.#refresh();
    for (const tap of [...this.#taps]) this.#strikeTap(live, tap);
    return live.report();
  }

  #strikeTap(live: LiveFault, tap: WatchTap): void {
    if (live.strikes("events", tap.target, this.#deps.random)) tap.strike(live);
  }

  #refresh(): void {
    this.#live = [...this.#byId.values()].filter((live) => !live.over);
  }

  #newId(): string {
    do this.#lastNumber++;
    while (this.#byId.has(`fault-${this.#lastNumber}`));
    return `fault-${this.#lastNumber}`;
  }
}

function taken(id: string): StatusError {
  const message = `there is a fault ${id} already`;
  return failure({ code: 409, reason: "AlreadyExists", message, details: { name: id, kind: "faults" } });
}

export const faultRoutes = (faults: Faults): ControlRoute[] => [
  route("GET /faults", "listFaults", {
    summary: "All faults, how often they matched and how often they struck.",
    answer: ["The faults.", FAULT_LIST_SCHEMA],
    handle: () => ({ items: faults.list() }),
  }),
  route("POST /faults", "addFault", {
    summary: "Gives a fault. One about the events of watches strikes open watches at once.",
    body: FAULT_SCHEMA,
    answer: ["The fault with its id.", FAULT_REPORT_SCHEMA],
    handle: ({ body }) => faults.add(body),
  }),
  route("DELETE /faults", "clearFaults", {
    summary: "Takes all faults away.",
    answer: ["There are none any more."],
    handle: () => faults.clear(),
  }),
  route("GET /faults/{id}", "getFault", {
    summary: "One fault.",
    answer: ["The fault.", FAULT_REPORT_SCHEMA],
    handle: ({ path: { id } }) => faults.get(id) ?? refuseUnknown(id),
  }),
  route("PUT /faults/{id}", "putFault", {
    summary: "Gives a fault in the place of the one with this id, if there is one.",
    body: FAULT_SCHEMA,
    answer: ["The fault, which counts anew.", FAULT_REPORT_SCHEMA],
    handle: ({ path: { id }, body }) => faults.put(id, body),
  }),
  route("DELETE /faults/{id}", "removeFault", {
    summary: "Takes one fault away.",
    answer: ["It is gone."],
    handle: ({ path: { id } }) => {
      if (!faults.remove(id)) refuseUnknown(id);
    },
  }),
];

function refuseUnknown(id: string): never {
  const message = `there is no fault ${id}`;
  throw failure({ code: 404, reason: "NotFound", message, details: { name: id, kind: "faults" } });
}

// Faults for in-process controllers, which have no connection. Such a request is matched only by faults that name its
// user agent (the field manager). Only errors and delays apply.

const IN_PROCESS_USER = "system:egret";

/** Wraps in-process clients with faults. Delays end when the signal aborts. */
export function faultyClients(
  clientFor: ClientFactory,
  faults: Faults,
  { clock, random }: Pick<FaultDeps, "clock" | "random">,
): ClientFactory {
  return (fieldManager, signal) => {
    const client = clientFor(fieldManager, signal);
    const struck = async <T>(target: Target, go: () => Promise<T>): Promise<T> => {
      const lateMs: number[] = [];
      for (const { fault } of faults.striking(target)) {
        const { error, delay } = fault;
        const waitMs = delay ? sampleMilliseconds(delay.milliseconds, random) : 0;
        if (delay?.when === "after") lateMs.push(waitMs);
        else if (delay) await clock.sleep(waitMs, signal);
        if (error?.when === "after") await go();
        if (error) throw statusOf(error, target);
      }
      const answer = await go();
      for (const waitMs of lateMs) await clock.sleep(waitMs, signal);
      return answer;
    };
    return {
      ...clientThrough(client, (request, go) =>
        faults.idle ? go() : struck(targetInProcess(request, fieldManager), go),
      ),
      watch: (resource, resourceVersion, options = {}) => {
        const { namespace = "" } = options;
        const request = { verb: "watch", resource, namespace, name: "", subresource: "" } as const;
        const target = targetInProcess(request, fieldManager);
        for (const { fault } of faults.idle ? [] : faults.striking(target)) {
          if (fault.error) throw statusOf(fault.error, target);
        }
        return client.watch(resource, resourceVersion, options);
      },
    };
  };
}

type InProcessRequest = Omit<ClientRequest, "verb"> & { readonly verb: string };

const targetInProcess = ({ resource, ...rest }: InProcessRequest, userAgent: string): Target => ({
  ...rest,
  ...resource,
  ...{ userAgent, user: IN_PROCESS_USER, path: undefined, inProcess: true, query: undefined },
});
