// How much is measured: every loop of the bench is bounded here.
import type { Limits } from "./measure.ts";

export interface Plan {
  readonly quick: boolean;
  readonly rounds: number;
  readonly reads: Limits;
  readonly writes: Limits;
  readonly clients: readonly number[];
  readonly listed: number;
  readonly lists: Limits;
  readonly watchers: readonly number[];
  readonly events: number;
  readonly assigned: number;
  readonly engine: { readonly nodes: number; readonly egressIps: number };
}

const FULL: Plan = {
  quick: false,
  rounds: 3,
  reads: { msMax: 1500, countMax: 100_000 },
  writes: { msMax: 1500, countMax: 5000 },
  clients: [1, 16, 64],
  listed: 10_000,
  lists: { msMax: 3000, countMax: 10 },
  watchers: [100, 1000],
  events: 200,
  assigned: 300,
  engine: { nodes: 500, egressIps: 5000 },
};

const QUICK: Plan = {
  quick: true,
  rounds: 1,
  reads: { msMax: 150, countMax: 2000 },
  writes: { msMax: 150, countMax: 200 },
  clients: [1, 16],
  listed: 500,
  lists: { msMax: 300, countMax: 3 },
  watchers: [20],
  events: 20,
  assigned: 10,
  engine: { nodes: 10, egressIps: 50 },
};

export function planFor(quick: boolean): Plan {
  return quick ? QUICK : FULL;
}

/** What the rows about one server need. */
export interface Target {
  readonly plan: Plan;
  readonly url: string;
  /** The bare fastify server. */
  readonly rawUrl: string;
  /** For raw databases; on the disk on which the server keeps its own. */
  readonly folder: string;
}
