// How much is measured: every loop of the bench is bounded here.
import type { ServerAccess } from "./client/server-access.ts";
import type { Generator } from "./load/generator.ts";
import type { Limits, Turns } from "./measure.ts";

export interface Pace {
  readonly watchers: number;
  readonly events: number;
  /** Events per second; omitted: as many as possible. */
  readonly perSecond?: number;
}

/** Each measurement alternates with its raw limit; the median counts. Many short rounds tolerate noise best. */
export interface Plan extends Turns {
  readonly quick: boolean;
  /** Before each measurement of an operation, so that its code is compiled. */
  readonly warmUp: Limits;
  /** Objects that are read and changed. */
  readonly prepared: number;
  readonly reads: Limits;
  readonly writes: Limits;
  /** Objects deleted in each round. */
  readonly deleted: number;
  readonly clients: readonly number[];
  readonly listed: number;
  readonly namespaces: number;
  readonly lists: Limits;
  /** Rounds of a stream measurement; each round first opens a thousand watches. */
  readonly streamRounds: number;
  readonly watchers: readonly number[];
  readonly events: number;
  /** Changes per second, by number of watchers, at which delays are measured. */
  readonly paces: readonly Pace[];
  readonly assigned: number;
  /** Objects of one file. */
  readonly applied: number;
  readonly definitions: number;
  readonly engine: { readonly nodes: number; readonly egressIps: number };
  /** EgressIPs with a namespace and pods. */
  readonly tenants: number;
  /** How often each verdict is requested. */
  readonly verdicts: number;
  /** Watches that match none of the writes. */
  readonly idleWatches: number;
  /** Numbers of stored objects at which the cost of one operation is measured. */
  readonly sizes: readonly number[];
  readonly createdAtSize: number;
  /** Servers on one etcd. */
  readonly processes: number;
}

const FULL: Plan = {
  quick: false,
  alone: false,
  rounds: 9,
  warmUp: { msMax: 1500, countMax: 10_000 },
  prepared: 1000,
  deleted: 500,
  reads: { msMax: 300, countMax: 100_000 },
  writes: { msMax: 300, countMax: 5000 },
  clients: [1, 16, 64],
  listed: 10_000,
  namespaces: 10,
  lists: { msMax: 700, countMax: 5 },
  streamRounds: 3,
  watchers: [1, 100, 1000],
  events: 200,
  paces: [
    { watchers: 100, perSecond: 500, events: 1000 },
    { watchers: 1000, perSecond: 125, events: 250 },
  ],
  assigned: 300,
  applied: 5000,
  definitions: 1000,
  engine: { nodes: 500, egressIps: 5000 },
  tenants: 500,
  verdicts: 9,
  idleWatches: 1000,
  sizes: [1000, 10_000, 100_000],
  createdAtSize: 500,
  processes: 3,
};

const QUICK: Plan = {
  quick: true,
  alone: false,
  rounds: 1,
  warmUp: { msMax: 50, countMax: 200 },
  prepared: 50,
  deleted: 50,
  reads: { msMax: 100, countMax: 2000 },
  writes: { msMax: 100, countMax: 200 },
  clients: [1, 16],
  listed: 500,
  namespaces: 2,
  lists: { msMax: 200, countMax: 3 },
  streamRounds: 1,
  watchers: [1, 20],
  events: 20,
  paces: [{ watchers: 20, perSecond: 100, events: 20 }],
  assigned: 10,
  applied: 50,
  definitions: 5,
  engine: { nodes: 10, egressIps: 50 },
  tenants: 10,
  verdicts: 3,
  idleWatches: 20,
  sizes: [50, 200],
  createdAtSize: 50,
  processes: 2,
};

const MILLION = 1_000_000;

/** The long plan goes up to a million objects. */
export function planFor({
  quick,
  long = false,
  ...turns
}: { readonly quick: boolean; readonly long?: boolean } & Partial<Turns>): Plan {
  const plan = quick ? QUICK : FULL;
  return { ...plan, ...(long ? { sizes: [...plan.sizes, MILLION] } : {}), ...turns };
}

/** The common parameters of all rows. */
export interface Means {
  readonly plan: Plan;
  readonly generator: Generator;
  /** Reports whether the row of that id was selected. */
  wants(id: string): boolean;
}

/** The parameters of the rows about one server. */
export interface Target extends Means {
  readonly access: ServerAccess;
  /** The bare fastify server. */
  readonly raw: ServerAccess;
  /** For raw databases; on the same disk as the server's data. */
  readonly folder: string;
}

/** The parameters of a group of rows. */
export interface Bench extends Means {
  readonly raw: ServerAccess;
  readonly folder: string;
  /** Reports whether the bench can start servers and inspect their processes. */
  readonly own: boolean;
  /** Provides a server without objects of the bench while `use` runs; the flags apply to servers that the bench starts. */
  withServer<T>(use: (target: Target) => Promise<T>, flags?: readonly string[]): Promise<T>;
}
