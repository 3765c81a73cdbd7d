// An object in the form of a server that has stored it for a while.
import { createHash } from "node:crypto";
import type { KubeObject, ObjectMeta } from "../../../src/apimachinery/meta/object-meta.ts";

/** The creation time of all objects. */
export const MADE = "2026-09-14T08:21:07Z";

let version = 41_300;

/** Returns the same uid for the same words. */
export function uidOf(...words: readonly string[]): string {
  const digits = createHash("sha256").update(words.join("/")).digest("hex");
  return [
    [0, 8],
    [8, 12],
    [12, 16],
    [16, 20],
    [20, 32],
  ]
    .map(([from, to]) => digits.slice(from, to))
    .join("-");
}

export function dumped(
  apiVersion: string,
  kind: string,
  { namespace, name }: { readonly namespace?: string; readonly name: string },
  more: ObjectMeta = {},
  content: object = {},
): KubeObject {
  version += 7;
  const place = namespace === undefined ? { name } : { name, namespace };
  const uid = uidOf(kind, ...(namespace === undefined ? [] : [namespace]), name);
  return {
    ...{ apiVersion, kind },
    metadata: { ...place, uid, resourceVersion: String(version), creationTimestamp: MADE, ...more },
    ...content,
  };
}
