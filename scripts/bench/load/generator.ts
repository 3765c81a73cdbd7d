// Who sends: wrk where there is one, as it costs next to nothing, else this process.
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

/** The requests go round all connections for as long as the limits say; each has a number of its own. */
export class Generator {
  readonly name: GeneratorName;

  private constructor(name: GeneratorName) {
    this.name = name;
  }

  /** wrk if there is one, unless another is asked for. Throws when it is asked for and is not there. */
  static find(wanted?: string): Generator {
    if (wanted === undefined) return new Generator(hasWrk() ? "wrk" : "node");
    const name = GENERATORS.find((known) => known === wanted);
    if (name === undefined)
      throw new Error(`there is no generator ${wanted}, but ${GENERATORS.join(" and ")}`);
    if (name === "wrk" && !hasWrk()) throw new Error("wrk is not on the PATH");
    return new Generator(name);
  }

  /** Who sends to that server. */
  for(access: ServerAccess): Generator {
    return wrkReaches(access) ? this : new Generator("node");
  }

  /** Throws when an answer is no success. The next one goes on where this one ended, where numbers must not come twice. */
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
  /** The first number that was not used. */
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
