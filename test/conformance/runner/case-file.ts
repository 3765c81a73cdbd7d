// The files of recorded cases: requests to a kube-apiserver, step by step, with its answers. test/conformance/README.md
// describes the format of a case.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const casesFolder = join(import.meta.dirname, "../cases");

export interface Call {
  readonly method?: string;
  readonly path: string;
  /** An empty content-type or authorization omits the header. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent verbatim. */
  readonly text?: string;
  /** Sent verbatim; no recorded case uses it. */
  readonly bytes?: Uint8Array;
}

export interface WatchStep extends Call {
  readonly id: string;
}

export interface CollectStep {
  readonly id: string;
  readonly count?: number;
  readonly ms?: number;
  readonly until?: "end";
}

/** The result of a step: its members depend on the type of step and on `only`. */
export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: unknown;
  /** Instead of body when the answer is not JSON. */
  readonly text?: string;
  readonly events?: readonly unknown[];
  readonly ended?: boolean;
}

export interface Step {
  readonly do?: Call;
  readonly watch?: WatchStep;
  readonly collect?: CollectStep;
  readonly sleep?: number;
  /** Stores the answer's body under this name for {{NAME.path}} in later steps. */
  readonly as?: string;
  /** Repeats the request until settle holds, at most for so many milliseconds. */
  readonly eventually?: number;
  readonly settle?: { readonly path: string; readonly is: readonly unknown[] };
  readonly pick?: readonly string[];
  readonly only?: "status" | "headers" | "nothing";
  /** The name in the answer ends in letters that the server generated. */
  readonly generated?: boolean;
  readonly expect?: Answer;
}

export interface ConformanceCase {
  readonly name: string;
  readonly about?: string;
  /** The case gets a namespace of its own, {{ns}}. */
  readonly namespace?: boolean;
  readonly steps: readonly Step[];
}

export function caseFileNames(): string[] {
  return readdirSync(casesFolder)
    .filter((file) => file.endsWith(".json"))
    .map((file) => file.slice(0, -".json".length))
    .sort();
}

export function readCaseFile(name: string): ConformanceCase[] {
  const text = readFileSync(join(casesFolder, `${name}.json`), "utf8");
  return JSON.parse(text) as ConformanceCase[]; // the files are data of this repository in exactly this form
}

export function writeCaseFile(name: string, cases: readonly ConformanceCase[]): void {
  writeFileSync(join(casesFolder, `${name}.json`), `${JSON.stringify(cases, undefined, 1)}\n`);
}

/** Describes a step in one line. */
export function describeStep(step: Step): string {
  if (step.do) return `${step.do.method ?? "GET"} ${step.do.path}`;
  if (step.watch) return `watch ${step.watch.id}: ${step.watch.path}`;
  if (step.collect) return `collect ${step.collect.id}`;
  return `sleep ${step.sleep}`;
}
