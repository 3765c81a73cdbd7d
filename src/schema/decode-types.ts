// What a real server says when a value does not fit the Go type of its field. It applies to built-in kinds as a whole,
// and to the metadata of custom resources and of the resources embedded in them, which are read as ObjectMeta.

import { isObject } from "../meta/json.ts";
import type { KeysOf } from "../meta/json-words.ts";
import { findEmbeddedError } from "./embedded.ts";
import { objectMetaError } from "./go/coerce-object-meta.ts";
import { decodeError } from "./go/decode-error.ts";
import type { SchemaNode } from "./schema-node.ts";

/** The complaint about a decoded object, or undefined when it fits. */
export function findDecodeError(
  node: SchemaNode,
  object: unknown,
  keysOf: KeysOf = Object.keys,
): string | undefined {
  if (node.goType !== undefined) return decodeError(node, object, { sorted: false, keysOf });
  if (!isObject(object)) return undefined;
  const error = Object.hasOwn(object, "metadata") ? objectMetaError(object["metadata"]) : undefined;
  return error ?? findEmbeddedError(node, object);
}
