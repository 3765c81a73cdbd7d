// Embedded resources (x-kubernetes-embedded-resource): their apiVersion, kind and metadata are decoded and validated like
// those of a top-level resource.

import { isObject, type JsonObject } from "../json/json.ts";
import { encodeJson } from "../json/json-encode.ts";
import { type FieldError, invalid, required } from "../meta/field-error.ts";
import { append } from "../meta/lists.ts";
import { isDns1035Label, isPathSegmentName, validateObjectMeta } from "../meta/names.ts";
import type { ObjectMeta } from "../meta/object-meta.ts";
import { objectMetaError } from "./go/decode-error.ts";
import { childPath, isSomewhere, type SchemaNode } from "./schema-node.ts";

/** True if the node or one below it is an embedded resource. */
export const holdsEmbedded = isSomewhere(({ embeddedResource }) => embeddedResource);

export interface EmbeddedResource {
  readonly resource: JsonObject;
  /** Path in errors: map keys in brackets. */
  readonly field: string;
  /** Path in findings about unknown fields: map keys after a dot. */
  readonly path: string;
}

/** Embedded resources of an object, outer ones first, in the order of their keys. */
export function* embeddedResources(
  node: SchemaNode,
  value: unknown,
  field = "",
  path = field,
): Generator<EmbeddedResource> {
  if (!holdsEmbedded(node)) return;
  if (Array.isArray(value)) {
    if (node.items === undefined) return;
    for (const [index, item] of value.entries()) {
      yield* embeddedResources(node.items, item, `${field}[${index}]`, `${path}[${index}]`);
    }
    return;
  }
  if (!isObject(value)) return;
  if (node.embeddedResource) yield { resource: value, field, path };
  const { additionalProperties } = node;
  for (const key of Object.keys(value).sort()) {
    const property = node.properties.get(key);
    const keyPath = childPath(path, key);
    if (property !== undefined) {
      yield* embeddedResources(property, value[key], childPath(field, key), keyPath);
    } else if (typeof additionalProperties === "object") {
      yield* embeddedResources(additionalProperties, value[key], `${field}[${key}]`, keyPath);
    }
  }
}

/** The decoder's error for the first apiVersion, kind or metadata that cannot be decoded. */
export function findEmbeddedError(node: SchemaNode, object: unknown): string | undefined {
  for (const { resource, field } of embeddedResources(node, object)) {
    for (const key of TYPE_META) {
      const value = resource[key];
      if (!Object.hasOwn(resource, key) || typeof value === "string") continue;
      return unreadable(childPath(field, key), value, "must be a string");
    }
    if (!Object.hasOwn(resource, "metadata")) continue;
    const error = objectMetaError(resource["metadata"]);
    if (error !== undefined) return unreadable(childPath(field, "metadata"), resource["metadata"], error);
  }
  return undefined;
}

const TYPE_META = ["apiVersion", "kind"] as const;

const unreadable = (field: string, value: unknown, detail: string): string =>
  `${field}: Invalid value: ${encodeJson(value)}: ${detail}`;

/** Validates apiVersion, kind and metadata of every embedded resource. */
export function validateEmbedded(node: SchemaNode, object: unknown, field = ""): FieldError[] {
  const errors: FieldError[] = [];
  for (const embedded of embeddedResources(node, object, field)) {
    append(errors, validateResource(embedded.resource, embedded.field));
  }
  return errors;
}

/** Validates apiVersion, kind and metadata of one resource; apiVersion and kind are required. */
export function validateResource(resource: JsonObject, field: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const key of TYPE_META) {
    if (!Object.hasOwn(resource, key)) errors.push(required(childPath(field, key)));
  }
  append(errors, apiVersionErrors(resource["apiVersion"], childPath(field, "apiVersion")));
  append(errors, kindErrors(resource["kind"], childPath(field, "kind")));
  if (Object.hasOwn(resource, "metadata")) {
    append(errors, metadataErrors(resource["metadata"], childPath(field, "metadata")));
  }
  return errors;
}

function apiVersionErrors(apiVersion: unknown, field: string): FieldError[] {
  if (apiVersion === undefined) return [];
  if (typeof apiVersion !== "string") return [invalid(field, apiVersion, "must be a string")];
  if (apiVersion === "") return [required(field)];
  return apiVersion.split("/").length > 2
    ? [invalid(field, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)]
    : [];
}

function kindErrors(kind: unknown, field: string): FieldError[] {
  if (kind === undefined) return [];
  if (typeof kind !== "string") return [invalid(field, kind, "must be a string")];
  if (kind === "") return [required(field)];
  const complaints = isDns1035Label(kind.toLowerCase());
  const detail = `may have mixed case, but should otherwise match: ${complaints.join(",")}`;
  return complaints.length > 0 ? [invalid(field, kind, detail)] : [];
}

function metadataErrors(metadata: unknown, fieldPath: string): FieldError[] {
  const error = objectMetaError(metadata);
  if (error !== undefined) return [invalid(fieldPath, metadata, error)];
  const given = (isObject(metadata) ? metadata : {}) as ObjectMeta; // the decoder has just found no error
  // The name of an embedded resource is optional.
  const meta = given.name ? given : { ...given, name: "unnamed" };
  const namespaceScoped = (given.namespace ?? "") !== "";
  return validateObjectMeta(meta, { namespaceScoped, fieldPath, validateName: isPathSegmentName });
}
