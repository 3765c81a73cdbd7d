// What the figures of Egret have to be on two cores, and what a real kube-apiserver with etcd was measured to do on the
// same two cores, by the ids of rows.
import type { Row } from "./row.ts";

export interface Verdict {
  readonly goal: string;
  readonly met: boolean;
}

interface Goal {
  readonly ids: RegExp;
  readonly text: string;
  /** Undefined when the run lacks what it takes. */
  met(row: Row, find: (id: string) => Row | undefined): boolean | undefined;
}

const GOALS: readonly Goal[] = [
  { ids: /^start\/answer$/, text: "≤ 200 ms", met: atMost(200) },
  { ids: /^testing\/start$/, text: "≤ 100 ms", met: atMost(100) },
  { ids: /^testing\/reset\/1000$/, text: "≤ 50 ms", met: atMost(50) },
  { ids: /^start\/memory$/, text: "≤ 100 MB", met: atMost(100) },
  { ids: /^get\//, text: "≥ 50 % of raw", met: ofRaw(0.5) },
  { ids: /^create\/1$/, text: "≥ 60 % of raw", met: ofRaw(0.6) },
  { ids: /^create\/16$/, text: "≥ 40 % of raw", met: ofRaw(0.4) },
  {
    ids: /^(patch|apply)\//,
    text: "≥ 60 % of create",
    met: ofRow(0.6, (id) => id.replace(/^\w+/, "create")),
  },
  {
    ids: /^list\/json$/,
    text: "≥ 300 MB/s",
    met: ({ perSecond = 0, bytes = 0 }) => perSecond * bytes >= 300e6,
  },
  {
    ids: /^list\/label$/,
    text: "p50 < 10 ms",
    met: ({ p50Ms }) => p50Ms !== undefined && p50Ms < 10,
  },
  {
    ids: /^watch\/1000$/,
    text: "p99 < 250 ms",
    met: ({ p99Ms }) => p99Ms !== undefined && p99Ms < 250,
  },
  // No more than what two runs of the same differ by.
  { ids: /^bystanders\//, text: "≥ 90 % of without", met: ofRaw(0.9) },
  {
    ids: /^size\/\w+\/(10000|100000)$/,
    text: "≥ 80 % of that",
    met: ofRaw(0.8),
  },
  { ids: /^memory\/100000/, text: "< 600 MB", met: atMost(600) },
  { ids: /^stall\/\w+\//, text: "< 250 ms", met: below(250) },
  { ids: /^verdict\/explain\//, text: "< 50 ms", met: below(50) },
  { ids: /^verdict\/trace\//, text: "< 5 ms", met: below(5) },
  { ids: /^verdict\/plan\//, text: "< 2000 ms", met: below(2000) },
  { ids: /^demo\/large\/rest$/, text: "< 60,000 ms", met: below(60_000) },
  { ids: /^demo\/large\/memory$/, text: "< 1000 MB", met: below(1000) },
  { ids: /^demo\/large\/death$/, text: "< 2000 ms", met: below(2000) },
  { ids: /^reopen\/100000$/, text: "< 3000 ms", met: atMost(3000) },
];

function atMost(limit: number): Goal["met"] {
  return ({ value }) => value !== undefined && value <= limit;
}

function below(limit: number): Goal["met"] {
  return ({ value }) => value !== undefined && value < limit;
}

function ofRaw(share: number): Goal["met"] {
  return ({ perSecond, rawPerSecond }) =>
    perSecond === undefined || !rawPerSecond ? undefined : perSecond >= share * rawPerSecond;
}

function ofRow(share: number, otherId: (id: string) => string): Goal["met"] {
  return ({ id, perSecond }, find) => {
    const other = find(otherId(id))?.perSecond;
    return perSecond === undefined || other === undefined ? undefined : perSecond >= share * other;
  };
}

/** Undefined where nothing is demanded, or cannot be told from these rows. */
export function verdictOf(row: Row, rows: readonly Row[]): Verdict | undefined {
  const goal = GOALS.find(({ ids }) => ids.test(row.id));
  const met = goal?.met(row, (id) => rows.find((other) => other.id === id));
  return goal === undefined || met === undefined ? undefined : { goal: goal.text, met };
}

/** A kube-apiserver with etcd on two cores. Rates are better high, other figures low. */
const REFERENCE: Readonly<Record<string, Partial<Row>>> = {
  "start/answer": { value: 2000 },
  "start/memory": { value: 315 },
  "create/1": { perSecond: 560 },
  "create/16": { perSecond: 1200 },
  "get/16": { perSecond: 3500 },
  "list/json": { perSecond: 1000 / 313 },
  "watch/100": { perSecond: 65_000 },
};

/** How many times better than a real server; undefined where that one was not measured. */
export function timesBetter({ id, perSecond, value }: Row): number | undefined {
  const reference = REFERENCE[id];
  if (reference?.perSecond !== undefined && perSecond !== undefined) return perSecond / reference.perSecond;
  if (reference?.value !== undefined && value) return reference.value / value;
  return undefined;
}
