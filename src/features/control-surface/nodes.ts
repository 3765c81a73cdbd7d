// Creates nodes for clusters without machines. Each has the state of a node that has just joined.

import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { badRequest } from "../../apimachinery/meta/status.ts";
import { yieldIfDue } from "../../apimachinery/scheduling/event-loop.ts";
import type { Client } from "../../controller/client.ts";
import {
  type ControlRoute,
  closedObject,
  integer,
  list,
  object,
  route,
  text,
  type ValueOf,
} from "./control-route.ts";

const COUNT_MAX = 5_000;

export const WANTED_NODES = closedObject(
  {
    count: integer("How many.", { minimum: 1, maximum: COUNT_MAX }),
    name: text("Names begin with it, numbers follow. Left out: worker."),
    zones: list(text(), "One after the other. Left out: none."),
    networks: list(text(), "Of their addresses, one of each family at most. Left out: 192.168.126.0/24."),
    assignable: integer("How many of them may hold egress addresses. Left out: none.", { minimum: 0 }),
  },
  ["count"],
);
export type WantedNodes = ValueOf<typeof WANTED_NODES>;

const NODE = { resource: "nodes", group: "", version: "v1" } as const;
/** Field manager of `egret nodes`. */
const MANAGER = "egret-nodes";

export interface NodesDeps {
  /** Returns nodes whose names and addresses differ from those of `present`. Throws a 400 for unsatisfiable options. */
  readonly newNodes: (wanted: WantedNodes, present: readonly KubeObject[]) => readonly KubeObject[];
}

/** Creates the nodes with the caller's permissions. */
export const nodesRoute = ({ newNodes }: NodesDeps): ControlRoute =>
  route("POST /nodes", "addNodes", {
    summary: "Adds nodes, as `egret nodes add` does.",
    access: "own rights",
    body: WANTED_NODES,
    answer: ["Their names.", object({ names: list(text()) })],
    handle: async ({ body, caller }) => {
      const client = caller.clientFor(MANAGER);
      const names: string[] = [];
      for (const node of newNodes(body, await present(client))) {
        const pause = yieldIfDue();
        if (pause !== undefined) await pause;
        const made = await client.create(NODE, node);
        names.push(made.metadata.name ?? "");
      }
      if (names.length === 0) throw badRequest("no node is wanted");
      return { names };
    },
  });

const present = async (client: Client): Promise<readonly KubeObject[]> => (await client.list(NODE)).items;
