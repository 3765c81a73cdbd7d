// Clients that create, change, delete and read a few objects at any of the servers. They record each request, its time and
// its answer. Every write carries a unique mark that identifies it.
import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../../support/random.ts";

export const OBJECTS = "/api/v1/namespaces/default/configmaps";
/** The prefix of the clients' objects; other objects may exist beside them. */
export const isObserved = (name: string): boolean => name.startsWith("r-");

const NAMES = Array.from({ length: 10 }, (_, index) => `r-${index}`);
const ANSWER_MS_MAX = 3000;
const PAUSE_MS_MAX = 50;
/** The operations with their share of the load. */
const MIX = [
  ...Array<Asked>(4).fill("read"),
  ...Array<Asked>(1).fill("list"),
  ...Array<Asked>(3).fill("update"),
  ...Array<Asked>(3).fill("patch"),
  ...Array<Asked>(2).fill("delete"),
];
const REFUSED = new Set([404, 409, 410, 429]);
const NO_SPACE = "etcdserver: mvcc: database space exceeded";

type Asked = "create" | "update" | "patch" | "delete" | "read" | "list";

/** What a read returned of one object, or of all. */
export interface Sight {
  readonly revision: number;
  /** By name, the mark and the revision of each object. */
  readonly objects: ReadonlyMap<string, { readonly mark: string; readonly revision: number }>;
}

export interface Operation {
  readonly asked: Asked;
  readonly server: number;
  readonly name: string;
  /** The mark of a write. */
  readonly mark: string;
  /** The resourceVersion precondition of an update or a deletion. */
  readonly bound: number | undefined;
  readonly startMs: number;
  /** Infinity: the client received no answer. */
  endMs: number;
  outcome: "done" | "absent" | "refused" | "unknown";
  /** The revision in the answer; unknown for a deletion. */
  revision: number | undefined;
  seen: Sight | undefined;
  /** The reason why it was not done. */
  answer: string;
}

interface ConfigMap {
  readonly metadata: { readonly name: string; readonly resourceVersion: string; readonly uid: string };
  readonly data?: { readonly mark: string };
}

export interface ClientsOptions {
  readonly random: Random;
  readonly urls: () => readonly string[];
}

export class Clients {
  readonly history: Operation[] = [];
  readonly #options: ClientsOptions;
  /** The objects that the client assumes to exist, which may be outdated. */
  readonly #known = new Map<string, ConfigMap>();
  #count = 0;

  constructor(options: ClientsOptions) {
    this.#options = options;
  }

  /** Runs this many clients until the signal aborts and all requests are answered. */
  async work(clients: number, signal: AbortSignal): Promise<void> {
    const one = async (): Promise<void> => {
      while (!signal.aborted) {
        await this.#ask();
        await sleep(this.#options.random.below(PAUSE_MS_MAX));
      }
    };
    await Promise.all(Array.from({ length: clients }, one));
  }

  /** Writes an object that watchers wait for. Returns "done", or the failure. */
  async writeLast(server: number): Promise<string> {
    const operation = this.#operation("create", server, `r-last-${this.#count}`);
    await this.#run(operation);
    return operation.outcome === "done" ? "done" : `${operation.outcome}: ${operation.answer}`;
  }

  #ask(): Promise<void> {
    const { random, urls } = this.#options;
    const name = random.one(NAMES);
    const asked = random.one(MIX);
    const known = this.#known.get(name);
    const isWrite = asked !== "read" && asked !== "list";
    const server = random.below(urls().length);
    return this.#run(this.#operation(isWrite && known === undefined ? "create" : asked, server, name));
  }

  #operation(asked: Asked, server: number, name: string): Operation {
    const known = this.#known.get(name);
    const isBound = asked === "update" || asked === "delete";
    const operation: Operation = {
      ...{ asked, server, name, mark: `<${this.#count++}>`, startMs: performance.now() },
      ...{ endMs: Number.POSITIVE_INFINITY, outcome: "unknown", seen: undefined, answer: "" },
      bound: isBound ? Number(known?.metadata.resourceVersion) : undefined,
      revision: undefined,
    };
    this.history.push(operation);
    return operation;
  }

  async #run(operation: Operation): Promise<void> {
    const url = this.#options.urls()[operation.server];
    try {
      const answer = await fetch(`${url}${pathOf(operation)}`, this.#request(operation));
      const text = await answer.text();
      operation.endMs = performance.now();
      if (answer.ok) this.#done(operation, JSON.parse(text));
      else this.#refused(operation, answer.status, text);
    } catch (error) {
      operation.endMs = Number.POSITIVE_INFINITY;
      operation.answer = `${error}`; // the connection was refused, broke, or timed out
    }
  }

  #request({ asked, name, mark, bound }: Operation): RequestInit {
    const signal = AbortSignal.timeout(ANSWER_MS_MAX);
    const send = (method: string, body: object, type = "application/json"): RequestInit => ({
      ...{ method, signal, body: JSON.stringify(body), headers: { "content-type": type } },
    });
    const object = { apiVersion: "v1", kind: "ConfigMap", data: { mark } };
    switch (asked) {
      case "create":
        return send("POST", { ...object, metadata: { name } });
      case "update":
        return send("PUT", { ...object, metadata: { name, resourceVersion: `${bound}` } });
      case "patch":
        return send("PATCH", { data: { mark } }, "application/merge-patch+json");
      case "delete":
        return send("DELETE", { preconditions: { resourceVersion: `${bound}` } });
      default:
        return { signal };
    }
  }

  #done(
    operation: Operation,
    body: ConfigMap | { metadata: { resourceVersion: string }; items: ConfigMap[] },
  ) {
    operation.outcome = "done";
    const { name, asked } = operation;
    if (asked === "delete") {
      this.#known.delete(name);
      return;
    }
    operation.revision = Number(body.metadata.resourceVersion);
    const objects = "items" in body ? body.items.filter((item) => isObserved(item.metadata.name)) : [body];
    operation.seen = sightOf(operation.revision, objects);
    for (const object of objects) this.#known.set(object.metadata.name, object);
  }

  #refused(operation: Operation, status: number, text: string): void {
    const { asked, name } = operation;
    operation.answer = `${status} ${text}`;
    if (REFUSED.has(status) || text.includes(NO_SPACE))
      operation.outcome = asked === "read" && status === 404 ? "absent" : "refused";
    else operation.endMs = Number.POSITIVE_INFINITY; // the write may still be applied later
    if (status === 404) this.#known.delete(name);
  }
}

export function sightOf(revision: number, objects: readonly ConfigMap[]): Sight {
  const seen = objects.map(({ metadata, data }) => {
    return [metadata.name, { mark: data?.mark ?? "", revision: Number(metadata.resourceVersion) }] as const;
  });
  return { revision, objects: new Map(seen) };
}

const pathOf = ({ asked, name }: Operation): string =>
  asked === "create" || asked === "list" ? OBJECTS : `${OBJECTS}/${name}`;
