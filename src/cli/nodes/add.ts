// `egret nodes add`: creates nodes with unused names and addresses.

import { formatTime } from "../../apimachinery/meta/clock.ts";
import { PLATFORMS, type Platform } from "../../controller/emulated-release.ts";
import { UsageError } from "../../server/errors.ts";
import {
  COUNT_MAX,
  listed,
  NETWORK,
  type NewNodes,
  networksIn,
  newNodes,
} from "../../server/nodes/new-nodes.ts";
import type { Asked } from "../ask-server.ts";
import { print } from "../output.ts";
import { createNode, listNodes, serverNow } from "./api.ts";

/** Throws UsageError and StartError. */
export async function addNodes(asked: Asked, words: readonly string[]): Promise<void> {
  const [word = "1", ...more] = words;
  const count = Number(word);
  if (!/^\d{1,4}$/.test(word) || count < 1 || count > COUNT_MAX || more.length > 0)
    throw new UsageError(`say how many nodes, 1 to ${COUNT_MAX}: egret nodes add COUNT`);
  const present = await listNodes(asked);
  const now = formatTime(await serverNow(asked));
  for (const node of newNodes({ ...readPlan(asked, count), now }, present)) {
    await createNode(asked, node);
    print(`node/${node.metadata.name} created\n`);
  }
}

function readPlan(asked: Asked, count: number): Omit<NewNodes, "now"> {
  const assignable = asked.text("assignable") ?? "0";
  if (!/^\d{1,4}$/.test(assignable) && assignable !== "all")
    throw new UsageError(`--assignable ${assignable} is no number of nodes`);
  const platform = asked.text("platform") ?? "none";
  const capacity = ["cpu", "memory", "pods"].flatMap((name) => {
    const said = asked.text(name);
    return said === undefined ? [] : [[name, said]];
  });
  return {
    count,
    name: asked.text("name"),
    networks: networksIn(listed(asked.text("network") ?? NETWORK)),
    zones: listed(asked.text("zone")),
    assignable: assignable === "all" ? count : Number(assignable),
    shared: {
      region: asked.text("region"),
      platform: PLATFORMS.find((item) => item === platform) ?? ("none" satisfies Platform),
      instanceType: asked.text("instance-type"),
      labels: Object.fromEntries(asked.texts("label").map(labelOf)),
      capacity: Object.fromEntries(capacity),
    },
  };
}

function labelOf(text: string): [string, string] {
  const at = text.indexOf("=");
  if (at <= 0) throw new UsageError(`--label ${text} is no KEY=VALUE`);
  return [text.slice(0, at), text.slice(at + 1)];
}
