// Converts the numbers of a text that is decoded into Go types. A type with its own UnmarshalJSON keeps the source
// spelling: a quantity of 1e3 differs from one of 1000. decodeError must have found nothing.
import { isObject, setOwn } from "../../json/json.ts";
import { isSpelled, numberSpelled, settleNumbers, spellingOf } from "../../json/spelled-number.ts";
import type { SchemaNode } from "../schema-node.ts";

/** Replaces spelled numbers by their values or texts. Mutates. */
export function settleTyped(node: SchemaNode, value: unknown): void {
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) value[index] = settled(node.items, value[index]);
  } else if (isObject(value)) {
    for (const key of Object.keys(value)) {
      const item = value[key];
      if (typeof item === "symbol" || typeof item === "object")
        setOwn(value, key, settled(memberOf(node, key), item));
    }
  }
}

function settled(node: SchemaNode | undefined, value: unknown): unknown {
  if (isSpelled(value)) return node?.goType === "Quantity" ? spellingOf(value) : numberSpelled(value);
  if (node === undefined) settleNumbers(value);
  else settleTyped(node, value);
  return value;
}

function memberOf({ properties, additionalProperties }: SchemaNode, key: string): SchemaNode | undefined {
  return properties.get(key) ?? (additionalProperties === true ? undefined : additionalProperties);
}
