// The recorded cases about webhooks, converters and admission policies: webhooks.json. test/conformance/README.md
// describes its format.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Call } from "../case-file.ts";

/** The name of the file for the runner and for the list of known differences. */
export const WEBHOOKS = "webhooks";

const bookPath = join(import.meta.dirname, "../../webhooks.json");

/** The response of the webhook at a path; omitted: it allows or converts. */
export interface HookAnswer {
  /** A JSON patch. */
  readonly patch?: unknown;
  /** Merged over the response, and over the review around it. */
  readonly response?: Readonly<Record<string, unknown>>;
  readonly review?: Readonly<Record<string, unknown>>;
  /** Paths that are removed from the review. */
  readonly without?: readonly string[];
  /** Paths and their values in every converted object; "(absent)" removes. */
  readonly each?: Readonly<Record<string, unknown>>;
  /** How often each object is converted. */
  readonly times?: number;
  /** The whole body instead of a review. */
  readonly text?: string;
  readonly replace?: readonly (readonly [string, string])[];
  readonly before?: string;
  readonly after?: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Delay of the answer in milliseconds. */
  readonly delay?: number;
  /** Destroys the connection. */
  readonly reset?: boolean;
  /** Sends only so many bytes of the body. */
  readonly cut?: number;
}

export type HookAnswers = Readonly<Record<string, HookAnswer>>;

interface WatchCall {
  readonly path: string;
  /** Sent while the watch is open. */
  readonly during?: Call;
  readonly count: number;
  readonly ms?: number;
}

export type ComparedPart = "status" | "warning" | "body" | "calls" | "paths" | "count" | "headers";

/** The result of a step; the members are the compared parts. */
export type HookStepAnswer = Readonly<Partial<Record<ComparedPart, unknown>>>;

export interface HookStep {
  readonly do?: Call;
  readonly watch?: WatchCall;
  readonly answers?: HookAnswers;
  /** First waits until the webhook has received no call for so many milliseconds. */
  readonly quiet?: number;
  readonly compare?: readonly ComparedPart[];
  /** Omits calls that repeat an earlier one of the step. */
  readonly distinct?: boolean;
  readonly expect?: HookStepAnswer;
}

export interface HookCase {
  readonly name: string;
  readonly about?: string;
  /** The setup whose objects exist while the case runs. */
  readonly setup: string;
  readonly answers?: HookAnswers;
  readonly steps: readonly HookStep[];
}

export interface MadeObject {
  readonly path: string;
  readonly body: {
    readonly kind: string;
    readonly metadata: { readonly name: string };
    readonly spec?: unknown;
  };
}

export interface CaseBook {
  readonly setups: Readonly<Record<string, { readonly make: readonly MadeObject[] }>>;
  readonly cases: readonly HookCase[];
}

export function readCaseBook(): CaseBook {
  return JSON.parse(readFileSync(bookPath, "utf8")) as CaseBook; // data of this repository in exactly this form
}

/** A case takes one line, so that a change of it is one line, too. */
export function writeCaseBook({ setups, cases }: CaseBook): void {
  const lines = cases.map((testCase) => JSON.stringify(testCase)).join(",\n");
  writeFileSync(bookPath, `{"setups":${JSON.stringify(setups, null, 1)},\n"cases":[\n${lines}\n]}\n`);
}

export function describeHookStep({ do: call, watch }: HookStep): string {
  return call ? `${call.method ?? "GET"} ${call.path}` : `watch ${watch?.path}`;
}

/** The values of the {{placeholders}}. */
export type Known = Readonly<Record<string, string | undefined>>;

/** Returns a copy with the placeholders of all texts and member names filled; unknown ones are kept. */
export function fillKnown<T>(value: T, known: Known): T {
  return fill(value, known) as T; // a filled value keeps its form; only texts inside it change
}

function fill(value: unknown, known: Known): unknown {
  if (typeof value === "string")
    return value.replace(/\{\{(\w+)\}\}/g, (hole, name: string) => known[name] ?? hole);
  if (Array.isArray(value)) return value.map((item) => fill(item, known));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [String(fill(name, known)), fill(item, known)]),
  );
}
