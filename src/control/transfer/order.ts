// The order in which objects are applied: what others need goes first, and an owner before what it owns.
import type { KubeObject } from "../../meta/object-meta.ts";
import { rankOf } from "./kinds.ts";

/** Where others live and what nodes there are: that goes before everything, whoever owns it. */
const FIRST_RANKS = 2;

/** The objects in order; those that need nothing of each other keep theirs. The list is not changed. */
export function inOrder<T extends Readonly<KubeObject>>(objects: readonly T[]): T[] {
  const byUid = new Map(objects.map((object) => [object.metadata.uid ?? "", object] as const));
  byUid.delete("");
  const depths = new Map<Readonly<KubeObject>, number>();
  const depthOf = (object: Readonly<KubeObject>): number => {
    const known = depths.get(object);
    if (known !== undefined) return known;
    depths.set(object, 0); // owners in a circle have no order
    let depth = 0;
    for (const { uid } of object.metadata.ownerReferences ?? []) {
      const owner = byUid.get(uid ?? "");
      if (owner !== undefined) depth = Math.max(depth, depthOf(owner) + 1);
    }
    depths.set(object, depth);
    return depth;
  };
  const keys = objects.map((object) => {
    const rank = rankOf({ kind: object.kind ?? "", group: groupOf(object) });
    return { object, key: [Math.min(rank, FIRST_RANKS), depthOf(object), rank] as const };
  });
  keys.sort(({ key: a }, { key: b }) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
  return keys.map(({ object }) => object);
}

function groupOf({ apiVersion = "" }: Readonly<KubeObject>): string {
  const cut = apiVersion.indexOf("/");
  return cut < 0 ? "" : apiVersion.slice(0, cut);
}
