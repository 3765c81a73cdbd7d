// The object that a creation changes. A custom resource is made from nothing; a built-in kind is made from a Go struct,
// whose members are there before anybody sets them, and are not owned for being there.
import type { JsonObject } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { normaliseBuiltIn } from "../../schema/normalise.ts";
import type { SchemaNode } from "../../schema/schema-node.ts";

const empties = new WeakMap<SchemaNode, KubeObject>();

/** An object of the kind with nothing set. Shared: it must not be changed. */
export function emptyLive(node: SchemaNode): Readonly<KubeObject> {
  let empty = empties.get(node);
  if (empty === undefined) {
    const struct: JsonObject = {};
    if (node.goType !== undefined) normaliseBuiltIn(node, struct);
    empty = { ...struct, metadata: {} };
    empties.set(node, empty);
  }
  return empty;
}
