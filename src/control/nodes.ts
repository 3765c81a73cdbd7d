// Nodes for whoever has no machines: as many as are wanted, each as it is after a machine has joined a cluster.
import type { Client } from "../client/client.ts";
import type { KubeObject } from "../meta/object-meta.ts";
import { badRequest } from "../meta/status.ts";
import { pauseForOthers } from "../meta/turns.ts";
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
/** As `egret nodes` writes. */
const MANAGER = "egret-nodes";

export interface NodesDeps {
  /** With names and addresses that none of those has. Throws a 400 for what cannot be had. */
  readonly newNodes: (wanted: WantedNodes, present: readonly KubeObject[]) => readonly KubeObject[];
}

/** With the rights of the caller. */
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
        const pause = pauseForOthers();
        if (pause !== undefined) await pause;
        const made = await client.create(NODE, node);
        names.push(made.metadata.name ?? "");
      }
      if (names.length === 0) throw badRequest("no node is wanted");
      return { names };
    },
  });

const present = async (client: Client): Promise<readonly KubeObject[]> => (await client.list(NODE)).items;
