// The changes of `egret plan` from its flags, and the conditions of --fail-on.

import { append } from "../apimachinery/meta/lists.ts";
import type { KubeObject } from "../apimachinery/meta/object-meta.ts";
import type { PlannedChange } from "../features/analysis/planned-change.ts";
import type { Difference } from "../ovn/compare.ts";
import { UsageError } from "../server/errors.ts";
import { objectsOf } from "./apply.ts";
import type { Asked } from "./ask-server.ts";

/** In this order: applied objects, labels, nodes that are not ready, deletions. */
export async function changesOf(asked: Asked): Promise<PlannedChange[]> {
  const objects: KubeObject[] = [];
  for (const path of asked.texts("filename")) append(objects, await objectsOf(path));
  return [
    ...objects.map((apply) => ({ apply })),
    ...labelsOf(asked),
    ...asked.texts("not-ready").map((notReady) => ({ notReady })),
    ...asked.texts("delete").map((gone) => ({ delete: gone })),
  ];
}

/** Each --label has its word: KEY=VALUE, or KEY- to remove it. */
function labelsOf(asked: Asked): PlannedChange[] {
  const objects = asked.texts("label");
  if (objects.length !== asked.words.length) {
    throw new UsageError("say which label: egret plan --label node/n1 KEY=VALUE, or KEY- to take it away");
  }
  return objects.map((label, index) => {
    const word = asked.words[index] ?? "";
    const at = word.indexOf("=");
    if (at < 0 && !word.endsWith("-")) throw new UsageError(`${word} is no KEY=VALUE, and no KEY-`);
    const labels = at < 0 ? { [word.slice(0, -1)]: null } : { [word.slice(0, at)]: word.slice(at + 1) };
    return { label, labels };
  });
}

export function isBad(asked: Asked, { moved, pods, decided, refused }: Difference): boolean {
  const on = new Set(asked.texts("fail-on"));
  if (on.has("unassigned") && moved.some(({ to }) => to === undefined)) return true;
  if (on.has("move") && moved.some(({ from, to }) => from !== undefined && to !== undefined)) return true;
  const isDenied =
    refused.length > 0 ||
    pods.some(({ to }) => /dropped|unreachable/.test(to)) ||
    decided.some(({ from, to }) => from === "allowed" && to !== "allowed");
  return on.has("denied") && isDenied;
}
