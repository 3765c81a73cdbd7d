// The groups of rows, by the names that --only accepts.
import type { Bench } from "../plan.ts";
import type { Row } from "../report/row.ts";
import { bystanderRows } from "./bystander-rows.ts";
import { controllerRows } from "./controller-rows.ts";
import { definitionRows } from "./definition-rows.ts";
import { demoRows } from "./demo-rows.ts";
import { engineRows } from "./engine-rows.ts";
import { etcdRows } from "./etcd-rows.ts";
import { fileRows } from "./file-rows.ts";
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
  /** The prefixes of its row ids. */
  readonly ids: readonly string[];
  /** Only for servers that the bench starts itself. */
  readonly ownOnly: boolean;
  run(bench: Bench): Promise<Row[]>;
}

export const GROUPS: readonly Group[] = [
  {
    name: "start",
    ids: ["start", "start-newest"],
    what: "start, memory at rest, stop",
    ownOnly: true,
    run: startRows,
  },
  {
    name: "objects",
    ids: ["create", "least", "get", "patch", "apply", "patch-memory", "apply-memory", "status", "delete"],
    what: "create, get, patch, apply, status, delete",
    ownOnly: false,
    run: objectRows,
  },
  {
    name: "lists",
    ids: ["list"],
    what: "lists, whole and in part",
    ownOnly: false,
    run: listRows,
  },
  {
    name: "watches",
    ids: ["watch", "watch-paced"],
    what: "events to one and to many watchers",
    ownOnly: false,
    run: watchRows,
  },
  {
    name: "bystanders",
    ids: ["bystanders"],
    what: "watches that look elsewhere",
    ownOnly: false,
    run: bystanderRows,
  },
  {
    name: "sizes",
    ids: ["size", "memory", "reopen"],
    what: "cost, memory and reopening by the number of objects",
    ownOnly: false,
    run: sizeRows,
  },
  {
    name: "engine",
    ids: ["engine"],
    what: "EgressIPs to their nodes",
    ownOnly: true,
    run: engineRows,
  },
  {
    name: "controllers",
    ids: ["controllers"],
    what: "creates beside controllers, writes of an assignment",
    ownOnly: true,
    run: controllerRows,
  },
  {
    name: "files",
    ids: ["files"],
    what: "one file of many objects",
    ownOnly: true,
    run: fileRows,
  },
  {
    name: "definitions",
    ids: ["definitions"],
    what: "many definitions: start, discovery, OpenAPI",
    ownOnly: true,
    run: definitionRows,
  },
  {
    name: "verdicts",
    ids: ["verdict"],
    what: "explanations, traces and plans of many EgressIPs",
    ownOnly: true,
    run: verdictRows,
  },
  {
    name: "testing",
    ids: ["testing"],
    what: "servers of tests: start and reset",
    ownOnly: true,
    run: testingRows,
  },
  {
    name: "demo",
    ids: ["demo"],
    what: "a cluster that lives: until it is at rest, its memory, the death of a node",
    ownOnly: true,
    run: demoRows,
  },
  {
    name: "etcd",
    ids: ["etcd"],
    what: "servers whose store is in an etcd",
    ownOnly: true,
    run: etcdRows,
  },
  {
    name: "stalls",
    ids: ["stall"],
    what: "how long others wait while one client does its worst",
    ownOnly: true,
    run: stallRows,
  },
];

/** The selection of --only: groups, or prefixes of row ids, as in `get/16`. */
export interface Choice {
  readonly groups: readonly Group[];
  wants(id: string): boolean;
}

/** Throws when no row has a given name. */
export function chosen(names: readonly string[]): Choice {
  if (names.length === 0) return { groups: GROUPS, wants: () => true };
  const groupOf = (name: string): Group | undefined =>
    GROUPS.find((group) => group.name === name) ?? GROUPS.find(({ ids }) => ids.includes(firstPart(name)));
  const unknown = names.find((name) => groupOf(name) === undefined);
  if (unknown !== undefined) throw new Error(`there are no rows ${unknown}; there are ${NAMES}`);
  const groups = GROUPS.filter((group) => names.some((name) => groupOf(name) === group));
  const wants = (id: string): boolean =>
    names.some(
      (name) =>
        id === name ||
        id.startsWith(`${name}/`) ||
        GROUPS.some((group) => group.name === name && group.ids.includes(firstPart(id))),
    );
  return { groups, wants };
}

const firstPart = (id: string): string => id.split("/", 1)[0] ?? "";

const NAMES = GROUPS.map(({ name, ids }) =>
  ids.length === 1 && ids[0] === name ? name : `${name} (${ids.join(", ")})`,
).join(", ");
