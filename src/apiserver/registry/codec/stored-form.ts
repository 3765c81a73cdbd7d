// Verifies that a stored value is the object of its key, for values that another process may have written.
import { isObject, type JsonObject } from "../../../apimachinery/json/json.ts";
import { partsOfApiVersion } from "../../../apimachinery/meta/object-meta.ts";
import { findDecodeError } from "../../../apimachinery/schema/coerce.ts";
import { objectMetaNode } from "../../../apimachinery/schema/compile-schema.ts";
import type { SchemaNode } from "../../../apimachinery/schema/schema-node.ts";
import type { KeyValue } from "../../../storage/store.ts";
import { collectionEnd } from "../definition/view.ts";
import { HEADER_BYTES, parseWithoutRevision, readOffset } from "./object-codec.ts";

const [OPENING_BRACE, CLOSING_BRACE] = [0x7b, 0x7d];

/** Checks the header and the braces of a value without decoding it. undefined: they are valid. */
export function frameComplaint({ value }: Pick<KeyValue, "value">): string | undefined {
  if (value.length < HEADER_BYTES + 2) return "the value is too short to hold an object";
  const offset = HEADER_BYTES + readOffset(value);
  if (offset <= HEADER_BYTES || offset >= value.length) return "the value names a place outside of it";
  if (value[HEADER_BYTES] !== OPENING_BRACE || value[value.length - 1] !== CLOSING_BRACE)
    return "the value is no JSON object";
  return undefined;
}

/** Kind of the objects at a key. */
export interface StoredKindFacts {
  readonly group: string;
  /** Of a built-in kind; undefined: a custom kind, whose metadata alone has fixed types. */
  readonly builtIn?: { readonly kind: string; readonly node: SchemaNode } | undefined;
}

/** Decodes the value and compares the object with its key. undefined: it is the object of its key. */
export function contentComplaint(
  kv: Pick<KeyValue, "key" | "value">,
  facts: StoredKindFacts,
): string | undefined {
  try {
    return identityComplaint(kv.key, { ...parseWithoutRevision(kv) }, facts);
  } catch (error) {
    return `the value cannot be decoded: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Reports a value that does not fit the kind's types, or an object whose identity differs from its key. */
export function identityComplaint(
  key: string,
  object: Readonly<JsonObject>,
  { group, builtIn }: StoredKindFacts,
): string | undefined {
  const { apiVersion, kind, metadata } = object;
  if (typeof apiVersion !== "string" || typeof kind !== "string" || !isObject(metadata))
    return "the object has no kind, no apiVersion or no metadata";
  const complaint = builtIn
    ? findDecodeError(builtIn.node, object)
    : findDecodeError(objectMetaNode(), metadata);
  if (complaint !== undefined) return `the value cannot be decoded: ${complaint}`;
  if (kind === "" || partsOfApiVersion(apiVersion)[0] !== group || (builtIn?.kind ?? kind) !== kind)
    return `the object is a ${kind} of ${apiVersion}, and its key is that of another kind`;
  const { namespace, name } = metadata;
  const path = (namespace ?? "") === "" ? String(name) : `${namespace}/${name}`;
  const wanted = key.slice(collectionEnd(key));
  return path === wanted ? undefined : `the object is called ${path}, and its key says ${wanted}`;
}
