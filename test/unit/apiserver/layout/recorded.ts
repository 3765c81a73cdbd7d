// Recorded values of a kube-apiserver v1.36 in etcd, and the objects that it served for them.
import { readFileSync } from "node:fs";
import type { KubeObject } from "../../../../src/apimachinery/meta/object-meta.ts";

export interface Recorded {
  /** Of the object's URL. */
  readonly path: string;
  readonly key: string;
  readonly value: Buffer;
  /** As the server gave it at the same revision. */
  readonly object: KubeObject;
}

const FACTS = new URL("../../../fixtures/facts/etcd/registry.json", import.meta.url);

export const RECORDED: readonly Recorded[] = (
  JSON.parse(readFileSync(FACTS, "utf8")) as (Omit<Recorded, "value"> & { readonly value: string })[]
).map((item) => ({ ...item, value: Buffer.from(item.value, "base64") }));
