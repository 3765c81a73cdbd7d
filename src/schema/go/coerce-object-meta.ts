// Metadata of a custom resource, or of a resource embedded in one: read as ObjectMeta and written out again, whatever
// the schema around it says.
import { isObject, type JsonObject } from "../../meta/json.ts";
import { objectMetaNode } from "../compile-schema.ts";
import { normaliseBuiltIn } from "../normalise.ts";
import { decodeError } from "./decode-error.ts";

/** Metadata is written out before it is read as ObjectMeta, so its keys come sorted. */
export const objectMetaError = (metadata: unknown): string | undefined =>
  decodeError(objectMetaNode(), metadata, { sorted: true });

/** What remains after reading and writing: zero values go, null counts as empty. The metadata must be readable. */
export function normaliseMetadata(owner: JsonObject): void {
  if (!Object.hasOwn(owner, "metadata")) return;
  const { metadata } = owner;
  if (isObject(metadata)) normaliseBuiltIn(objectMetaNode(), metadata);
  else owner["metadata"] = {};
}
