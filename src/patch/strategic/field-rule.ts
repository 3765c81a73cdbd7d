// How a field of a built-in kind is merged.
import { plainError } from "../../meta/status.ts";
import type { SchemaNode } from "../../schema/schema-node.ts";

export interface FieldRule {
  readonly node: SchemaNode;
  readonly strategy: "merge" | "replace" | "default";
  readonly mergeKey: string | undefined;
}

export interface ListRule extends FieldRule {
  readonly item: SchemaNode;
}

/** Fields of a map have no rules of their own. */
export function fieldRule(owner: SchemaNode, key: string): FieldRule {
  const node = fieldNode(owner, key);
  const strategy = isStruct(owner) ? node.patchStrategies.find((name) => name !== "retainKeys") : undefined;
  return {
    node,
    strategy: strategy === "merge" || strategy === "replace" ? strategy : "default",
    mergeKey: isStruct(owner) ? node.patchMergeKey : undefined,
  };
}

export function listRule(owner: SchemaNode, key: string): ListRule {
  const rule = fieldRule(owner, key);
  const item = rule.node.items;
  if (item === undefined) {
    throw plainError(`expected slice or array type, but got: ${isStruct(owner) ? "struct" : "map"}`);
  }
  return { ...rule, item };
}

const isStruct = (node: SchemaNode): boolean => typeof node.additionalProperties !== "object";

function fieldNode(owner: SchemaNode, key: string): SchemaNode {
  if (typeof owner.additionalProperties === "object") return owner.additionalProperties;
  const found = owner.properties.get(key) ?? foldedField(owner, key);
  if (found !== undefined) return found;
  const struct = owner.goType ?? "";
  throw plainError(`unable to find api field in struct ${struct} for the json field "${key}"`);
}

/** Go finds a field whose name differs in case only. */
function foldedField(owner: SchemaNode, key: string): SchemaNode | undefined {
  const folded = key.toLowerCase();
  for (const [name, node] of owner.properties) if (name.toLowerCase() === folded) return node;
  return undefined;
}
