// Totals of a V8 profile by function and by file, self and cumulative: processor time (--cpu-prof) in milliseconds,
// allocations (--heap-prof) in kilobytes.

interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
}

interface CpuNode {
  readonly id: number;
  readonly callFrame: CallFrame;
  readonly children?: readonly number[];
}

export interface CpuProfile {
  readonly nodes: readonly CpuNode[];
  readonly samples: readonly number[];
  /** Microseconds since the previous sample. */
  readonly timeDeltas: readonly number[];
}

interface HeapNode {
  readonly callFrame: CallFrame;
  readonly selfSize: number;
  readonly children: readonly HeapNode[];
}

export interface HeapProfile {
  readonly head: HeapNode;
}

/** A call tree of either unit. */
interface Call {
  readonly frame: CallFrame;
  readonly self: number;
  readonly children: readonly Call[];
}

export interface Sum {
  readonly name: string;
  readonly self: number;
  /** Cumulative, with all callees; a recursive function counts once. */
  readonly total: number;
}

export interface Sums {
  readonly unit: string;
  /** Everything except idle time. */
  readonly busy: number;
  readonly idle: number;
  readonly functions: readonly Sum[];
  readonly files: readonly Sum[];
}

export const IDLE = "(idle)";
export const ROOT = "(root)";

/** Parses the text of a .cpuprofile or a .heapprofile. Throws when it is neither. */
export function sumsOf(text: string): Sums {
  const profile: Partial<CpuProfile & HeapProfile> = JSON.parse(text);
  if (profile.head !== undefined) return summed(heapCall(profile.head), "kB");
  const { nodes, samples, timeDeltas } = profile;
  if (nodes === undefined || samples === undefined || timeDeltas === undefined)
    throw new Error("the file is no profile of processor time or of allocations");
  return summed(cpuCall({ nodes, samples, timeDeltas }), "ms");
}

function heapCall({ callFrame, selfSize, children }: HeapNode): Call {
  return { frame: callFrame, self: selfSize / 1000, children: children.map(heapCall) };
}

function cpuCall({ nodes, samples, timeDeltas }: CpuProfile): Call {
  const selfMs = new Map<number, number>();
  // A sample lasts until the next one; the last one has no duration.
  for (const [at, id] of samples.entries())
    selfMs.set(id, (selfMs.get(id) ?? 0) + (timeDeltas[at + 1] ?? 0) / 1000);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const callOf = ({ id, callFrame, children = [] }: CpuNode): Call => ({
    frame: callFrame,
    self: selfMs.get(id) ?? 0,
    children: children.flatMap((child) => {
      const node = byId.get(child);
      return node === undefined ? [] : [callOf(node)];
    }),
  });
  const [root] = nodes;
  if (root === undefined) throw new Error("the profile is empty");
  return callOf(root);
}

function summed(root: Call, unit: string): Sums {
  const functions = new Tally(({ frame }) =>
    `${frame.functionName || "(anonymous)"} ${placeOf(frame)}`.trim(),
  );
  const files = new Tally(({ frame }) => fileOf(frame));
  const all = functions.take(root);
  files.take(root);
  const idle = functions.selfOf(IDLE);
  return { unit, busy: all - idle, idle, functions: functions.sums(), files: files.sums() };
}

class Tally {
  readonly #sums = new Map<string, { self: number; total: number }>();
  readonly #nameOf: (call: Call) => string;
  readonly #above = new Set<string>();

  constructor(nameOf: (call: Call) => string) {
    this.#nameOf = nameOf;
  }

  /** Adds a call and its subtree. Returns their sum. */
  take(call: Call): number {
    const name = this.#nameOf(call);
    const isOutermost = !this.#above.has(name);
    this.#above.add(name);
    const total = call.children.reduce((sum, child) => sum + this.take(child), call.self);
    if (isOutermost) this.#above.delete(name);
    const sum = this.#sums.get(name) ?? { self: 0, total: 0 };
    sum.self += call.self;
    if (isOutermost) sum.total += total;
    this.#sums.set(name, sum);
    return total;
  }

  selfOf(name: string): number {
    return this.#sums.get(name)?.self ?? 0;
  }

  sums(): Sum[] {
    return [...this.#sums].map(([name, { self, total }]) => ({ name, self, total }));
  }
}

function placeOf(frame: CallFrame): string {
  const file = fileOf(frame);
  return file.startsWith("(") ? "" : `${file}:${frame.lineNumber + 1}`;
}

const NO_FILE = "(V8 and Node's C++)";

/** Without the path before the checkout or the modules. */
function fileOf({ url, functionName }: CallFrame): string {
  if (functionName === IDLE || functionName === ROOT) return functionName;
  if (url === "") return NO_FILE;
  return url.replace(/^file:\/\//, "").replace(/^.*\/(?=(node_modules|dist|src|scripts)\/)/, "");
}
