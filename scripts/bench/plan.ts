// How much is measured: every loop of the bench is bounded here.
import type { ServerAccess } from "./client/server-access.ts";
import type { Generator } from "./load/generator.ts";
import type { Limits, Turns } from "./measure.ts";

export interface Pace {
  readonly watchers: number;
  readonly events: number;
  /** In a second; left out: as many as go. */
  readonly perSecond?: number;
}

/** Each measure is taken so often in turn with its raw limit; the median counts. Many short ones stand noise best. */
export interface Plan extends Turns {
  readonly quick: boolean;
  /** Before anything is measured of an operation, so that its code is compiled. */
  readonly warmUp: Limits;
  /** Objects that are read and changed. */
  readonly prepared: number;
  readonly reads: Limits;
  readonly writes: Limits;
  /** In each round. */
  readonly deleted: number;
  readonly clients: readonly number[];
  readonly listed: number;
  readonly namespaces: number;
  readonly lists: Limits;
  /** As rounds, where a round opens a thousand watches first. */
  readonly streamRounds: number;
  readonly watchers: readonly number[];
  readonly events: number;
  /** Changes in a second, by the number of watchers, where their delays are told. */
  readonly paces: readonly Pace[];
  readonly assigned: number;
  /** Objects of one file. */
  readonly applied: number;
  readonly definitions: number;
  readonly engine: { readonly nodes: number; readonly egressIps: number };
  /** EgressIPs with a namespace and pods. */
  readonly tenants: number;
  /** How often each verdict is asked for. */
  readonly verdicts: number;
  /** Watches that look elsewhere while others are at work. */
  readonly idleWatches: number;
  /** How many objects are there while the cost of one operation is measured. */
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

/** A long one goes as far as a million objects. */
export function planFor({
  quick,
  long = false,
  ...turns
}: { readonly quick: boolean; readonly long?: boolean } & Partial<Turns>): Plan {
  const plan = quick ? QUICK : FULL;
  return { ...plan, ...(long ? { sizes: [...plan.sizes, MILLION] } : {}), ...turns };
}

/** What all rows are measured with. */
export interface Means {
  readonly plan: Plan;
  readonly generator: Generator;
  /** Whether the row of that id is asked for. */
  wants(id: string): boolean;
}

/** What the rows about one server need. */
export interface Target extends Means {
  readonly access: ServerAccess;
  /** The bare fastify server. */
  readonly raw: ServerAccess;
  /** For raw databases; on the disk on which the server keeps its own. */
  readonly folder: string;
}

/** What a group of rows is given. */
export interface Bench extends Means {
  readonly raw: ServerAccess;
  readonly folder: string;
  /** Whether servers can be started, and their processes looked at. */
  readonly own: boolean;
  /** A server that holds nothing of the bench, for as long as it takes; the flags are for those that it starts. */
  withServer<T>(use: (target: Target) => Promise<T>, flags?: readonly string[]): Promise<T>;
}
