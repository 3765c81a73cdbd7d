// The groups of rows, by the names that --only takes.
import type { Bench } from "../plan.ts";
import type { Row } from "../report/row.ts";
import { bystanderRows } from "./bystander-rows.ts";
import { demoRows } from "./demo-rows.ts";
import { engineRows } from "./engine-rows.ts";
import { listRows } from "./list-rows.ts";
import { objectRows } from "./object-rows.ts";
import { sizeRows } from "./size-rows.ts";
import { stallRows } from "./stall-rows.ts";
import { startRows } from "./start-rows.ts";
import { testingRows } from "./testing-rows.ts";
import { verdictRows } from "./verdict-rows.ts";
import { watchRows } from "./watch-rows.ts";

export interface Group {
  readonly name: string;
  readonly what: string;
  /** Only for servers that the bench starts itself. */
  readonly ownOnly: boolean;
  run(bench: Bench): Promise<Row[]>;
}

export const GROUPS: readonly Group[] = [
  {
    name: "start",
    what: "start, memory at rest, stop",
    ownOnly: true,
    run: startRows,
  },
  {
    name: "objects",
    what: "create, get, patch, apply, status, delete",
    ownOnly: false,
    run: objectRows,
  },
  {
    name: "lists",
    what: "lists, whole and in part",
    ownOnly: false,
    run: listRows,
  },
  {
    name: "watches",
    what: "events to one and to many watchers",
    ownOnly: false,
    run: watchRows,
  },
  {
    name: "bystanders",
    what: "watches that look elsewhere",
    ownOnly: false,
    run: bystanderRows,
  },
  {
    name: "sizes",
    what: "cost, memory and reopening by the number of objects",
    ownOnly: false,
    run: sizeRows,
  },
  {
    name: "engine",
    what: "EgressIPs to their nodes",
    ownOnly: true,
    run: engineRows,
  },
  {
    name: "verdicts",
    what: "explanations, traces and plans of many EgressIPs",
    ownOnly: true,
    run: verdictRows,
  },
  {
    name: "testing",
    what: "servers of tests: start and reset",
    ownOnly: true,
    run: testingRows,
  },
  {
    name: "demo",
    what: "a cluster that lives: until it is at rest, its memory, the death of a node",
    ownOnly: true,
    run: demoRows,
  },
  {
    name: "stalls",
    what: "how long others wait while one client does its worst",
    ownOnly: true,
    run: stallRows,
  },
];

/** Throws when there is no group of a name. */
export function chosenGroups(names: readonly string[]): readonly Group[] {
  const unknown = names.find((name) => !GROUPS.some((group) => group.name === name));
  if (unknown !== undefined)
    throw new Error(`there are no rows ${unknown}; there are ${GROUPS.map(({ name }) => name).join(", ")}`);
  return names.length === 0 ? GROUPS : GROUPS.filter(({ name }) => names.includes(name));
}
