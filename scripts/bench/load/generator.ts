// The load generator: wrk if it is installed, because its cost is negligible, else this process.
import { withConnections } from "../client/http-connection.ts";
import type { ServerAccess } from "../client/server-access.ts";
import { type Limits, measure, type Sample } from "../measure.ts";
import { metered } from "../process-time.ts";
import { filledIn, type Requests } from "./requests.ts";
import { hasWrk, wrkLoad, wrkReaches } from "./wrk.ts";

export const GENERATORS = ["wrk", "node"] as const;
export type GeneratorName = (typeof GENERATORS)[number];

export interface Load {
  readonly connections: number;
  readonly limits: Limits;
}

/** Distributes the requests over all connections up to the limits; each request has its own number. */
export class Generator {
  readonly name: GeneratorName;

  private constructor(name: GeneratorName) {
    this.name = name;
  }

  /** Returns wrk if it is installed, unless another generator is wanted. Throws when the wanted one is missing. */
  static find(wanted?: string): Generator {
    if (wanted === undefined) return new Generator(hasWrk() ? "wrk" : "node");
    const name = GENERATORS.find((known) => known === wanted);
    if (name === undefined)
      throw new Error(`there is no generator ${wanted}, but ${GENERATORS.join(" and ")}`);
    if (name === "wrk" && !hasWrk()) throw new Error("wrk is not on the PATH");
    return new Generator(name);
  }

  /** Returns the generator that can send to that server. */
  for(access: ServerAccess): Generator {
    return wrkReaches(access) ? this : new Generator("node");
  }

  /** Throws when an answer has no 2xx status. A later load continues after `next` where numbers must be unique. */
  async load(access: ServerAccess, requests: Requests, load: Load): Promise<Loaded> {
    let next = 0;
    const sample = await metered(access.pid, async () => {
      const loaded = await (this.name === "wrk" ? byWrk : byNode)(access, requests, load);
      next = loaded.next;
      return loaded.sample;
    });
    return { sample, next };
  }
}

export interface Loaded {
  readonly sample: Sample;
  /** The first unused number. */
  readonly next: number;
}

async function byWrk(
  access: ServerAccess,
  requests: Requests,
  { connections, limits }: Load,
): Promise<Loaded> {
  const { next, ...sample } = await wrkLoad(access, requests, { connections, ms: limits.msMax });
  return { sample, next };
}

async function byNode(
  access: ServerAccess,
  requests: Requests,
  { connections, limits }: Load,
): Promise<Loaded> {
  const request = filledIn(requests);
  let next = requests.first ?? 0;
  const sample = await withConnections(access, connections, (all) =>
    measure(
      all.map((connection) => async () => {
        const { status } = await connection.send(request(next++));
        if (status < 200 || status > 299) throw new Error(`answered with ${status}, not 2xx`);
      }),
      limits,
    ),
  );
  return { sample, next };
}
