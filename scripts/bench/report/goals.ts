// The performance goals of Egret on two cores, and the measured results of a kube-apiserver with etcd on the same two
// cores, by row id.
import type { Row } from "./row.ts";

export interface Verdict {
  readonly goal: string;
  readonly met: boolean;
}

interface Goal {
  readonly ids: RegExp;
  readonly text: string;
  /** Undefined when the run lacks a row that the goal needs. */
  met(row: Row, find: (id: string) => Row | undefined): boolean | undefined;
}

const GOALS: readonly Goal[] = [
  { ids: /^start(-newest)?\/answer$/, text: "≤ 1.6 × Node alone", met: atMostRaw(1.6) },
  { ids: /^start(-newest)?\/memory$/, text: "≤ 60 MB", met: atMost(60) },
  { ids: /^testing\/start$/, text: "≤ 100 ms", met: atMost(100) },
  { ids: /^testing\/reset\/1000$/, text: "≤ 50 ms", met: atMost(50) },
  { ids: /^get\/1$/, text: "≥ 50 % of raw", met: ofRaw(0.5) },
  { ids: /^get\/(16|64)$/, text: "≤ 30 µs, ≥ 65 % of raw", met: both(cpuAtMost(30), ofRaw(0.65)) },
  { ids: /^create\/16$/, text: "≤ 100 µs, ≥ 70 % of raw", met: both(cpuAtMost(100), ofRaw(0.7)) },
  { ids: /^create\/64$/, text: "≤ 80 µs, ≥ 55 % of raw", met: both(cpuAtMost(80), ofRaw(0.55)) },
  { ids: /^patch-memory\/16$/, text: "≤ 130 µs", met: cpuAtMost(130) },
  { ids: /^apply-memory\/16$/, text: "≤ 150 µs", met: cpuAtMost(150) },
  { ids: /^controllers\/create\/16$/, text: "≥ 90 % of without", met: ofRaw(0.9) },
  {
    ids: /^list\/json$/,
    text: "≥ 300 MB/s",
    met: ({ perSecond = 0, bytes = 0 }) => perSecond * bytes >= 300e6,
  },
  { ids: /^list\/label$/, text: "≥ 6 × kube-apiserver", met: timesAtLeast(6) },
  { ids: /^watch-paced\/100$/, text: "p99 ≤ 8 ms", met: p99AtMost(8) },
  { ids: /^watch-paced\/1000$/, text: "p99 ≤ 60 ms", met: p99AtMost(60) },
  // The difference that two runs of the same build show.
  { ids: /^bystanders\//, text: "≥ 90 % of without", met: ofRaw(0.9) },
  { ids: /^size\/\w+\/(10000|100000)$/, text: "≥ 80 % of that", met: ofRaw(0.8) },
  {
    ids: /^size\/\w+\/1000000$/,
    text: "≤ 1.25 × cpu of 1000",
    met: cpuOfRow(1.25, (id) => id.replace("1000000", "1000")),
  },
  { ids: /^memory\/100000(\/|$)/, text: "≤ 300 MB", met: atMost(300) },
  { ids: /^memory\/1000000(\/|$)/, text: "≤ 3000 MB", met: atMost(3000) },
  { ids: /^reopen\/100000$/, text: "≤ 1000 ms", met: atMost(1000) },
  { ids: /^files\/egret$/, text: "≤ 4000 ms", met: atMost(4000) },
  { ids: /^definitions\/start\/1000$/, text: "≤ 3000 ms", met: atMost(3000) },
  { ids: /^definitions\/(discovery|openapi-v[23])$/, text: "≤ 10 % of the first", met: atMostRaw(0.1) },
  { ids: /^definitions\/changed$/, text: "≤ 50 % of the first", met: atMostRaw(0.5) },
  { ids: /^etcd\/create\//, text: "≥ 60 % of raw", met: ofRaw(0.6) },
  { ids: /^etcd\/(get-cached|list-cached|watch)\//, text: "≥ 80 % of LevelDB's", met: ofRaw(0.8) },
  { ids: /^stall\/\w+\//, text: "< 250 ms", met: below(250) },
  { ids: /^verdict\/explain\//, text: "< 50 ms", met: below(50) },
  { ids: /^verdict\/trace\//, text: "< 5 ms", met: below(5) },
  { ids: /^verdict\/plan\//, text: "< 2000 ms", met: below(2000) },
  { ids: /^demo\/large\/rest$/, text: "< 60,000 ms", met: below(60_000) },
  { ids: /^demo\/large\/memory$/, text: "< 1000 MB", met: below(1000) },
  { ids: /^demo\/large\/death$/, text: "< 2000 ms", met: below(2000) },
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

/** For a value that is no rate. */
function atMostRaw(times: number): Goal["met"] {
  return ({ value, rawValue }) => (value === undefined || !rawValue ? undefined : value <= times * rawValue);
}

function cpuAtMost(us: number): Goal["met"] {
  return ({ cpuUs }) => (cpuUs === undefined ? undefined : cpuUs <= us);
}

function cpuOfRow(times: number, otherId: (id: string) => string): Goal["met"] {
  return ({ id, cpuUs }, find) => {
    const other = find(otherId(id))?.cpuUs;
    return cpuUs === undefined || other === undefined ? undefined : cpuUs <= times * other;
  };
}

function p99AtMost(ms: number): Goal["met"] {
  return ({ p99Ms }) => (p99Ms === undefined ? undefined : p99Ms <= ms);
}

function timesAtLeast(times: number): Goal["met"] {
  return (row) => {
    const better = timesBetter(row);
    return better === undefined ? undefined : better >= times;
  };
}

/** Missed as soon as one of them is. */
function both(one: Goal["met"], other: Goal["met"]): Goal["met"] {
  return (row, find) => {
    const verdicts = [one(row, find), other(row, find)];
    if (verdicts.includes(false)) return false;
    return verdicts.includes(undefined) ? undefined : true;
  };
}

/** Undefined where no goal exists, or these rows are not enough to decide it. */
export function verdictOf(row: Row, rows: readonly Row[]): Verdict | undefined {
  const goal = GOALS.find(({ ids }) => ids.test(row.id));
  const met = goal?.met(row, (id) => rows.find((other) => other.id === id));
  return goal === undefined || met === undefined ? undefined : { goal: goal.text, met };
}

/** A kube-apiserver with etcd on two cores. For rates higher is better, for other figures lower. */
const REFERENCE: Readonly<Record<string, Partial<Row>>> = {
  "start/answer": { value: 2000 },
  "start/memory": { value: 315 },
  "create/1": { perSecond: 560 },
  "create/16": { perSecond: 1200 },
  "get/16": { perSecond: 3500 },
  "list/json": { perSecond: 1000 / 313 },
  "list/label": { perSecond: 66 }, // Egret's 165 per second were 2.5 times as many
  "watch/100": { perSecond: 65_000 },
};

/** How many times better than a kube-apiserver; undefined where that one was not measured. */
export function timesBetter({ id, perSecond, value }: Row): number | undefined {
  const reference = REFERENCE[id];
  if (reference?.perSecond !== undefined && perSecond !== undefined) return perSecond / reference.perSecond;
  if (reference?.value !== undefined && value) return reference.value / value;
  return undefined;
}
