// The JSON of an object with the order of members that a real server gives it: custom resources have all keys sorted,
// built-in kinds begin with their type and metadata, whose members come in the order of the Go struct.
import { encodeJson, sortedKeys } from "../../meta/json-encode.ts";
import type { KubeObject } from "../../meta/object-meta.ts";

/** ObjectMeta's members up to resourceVersion and behind it. */
const META_BEFORE = ["name", "generateName", "namespace", "selfLink", "uid"];
const META_AFTER = [
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "labels",
  "annotations",
  "ownerReferences",
  "finalizers",
  "managedFields",
];

export interface ObjectText {
  /** Up to the place of resourceVersion. */
  readonly head: string;
  /** From there on; begins without a comma, and is never empty for an object that the server has made. */
  readonly tail: string;
  /** How many characters behind the first brace kind and apiVersion take, where they stand in front. */
  readonly typeMetaLength: number;
}

/** The JSON of a member of the object or of its metadata. */
export type TextOf = (value: unknown) => string;

/** An object's JSON in two parts, without its resourceVersion. */
export function objectText(object: KubeObject, custom: boolean, textOf: TextOf = encodeJson): ObjectText {
  const typeMeta = custom ? "" : `"kind":${textOf(object.kind)},"apiVersion":${textOf(object.apiVersion)},`;
  const { metadata } = object;
  const [before, after] = custom ? sortedMetadata(metadata, textOf) : orderedMetadata(metadata, textOf);
  let front = "";
  let back = "";
  for (const key of sortedKeys(object)) {
    const value = object[key];
    if (value === undefined || key === "metadata") continue;
    if (!custom && (key === "kind" || key === "apiVersion")) continue;
    const member = `${JSON.stringify(key)}:${textOf(value)}`;
    if (custom && key < "metadata") front += `${member},`;
    else back += `,${member}`;
  }
  return {
    head: `{${typeMeta}${front}"metadata":{${before}`,
    tail: `${after}}${back}}`,
    typeMetaLength: typeMeta.length,
  };
}

/** The whole JSON, with the resourceVersion that the object's metadata names, if any. */
export function encodeObject(object: KubeObject, custom: boolean): string {
  const { head, tail } = objectText(object, custom);
  const { resourceVersion } = object.metadata;
  const version = resourceVersion ? `"resourceVersion":${encodeJson(resourceVersion)}` : "";
  const text = tail.startsWith("}") ? version : version && `${version},`;
  const start = text === "" && tail.startsWith("}") && head.endsWith(",") ? head.slice(0, -1) : head;
  return start + text + tail;
}

/** Both parts of metadata; the first ends with a comma if it is not empty. */
function sortedMetadata(metadata: object, textOf: TextOf): [string, string] {
  const keys = sortedKeys(metadata);
  const before = keys.filter((key) => key < "resourceVersion");
  return joined(metadata, before, keys.slice(before.length), textOf);
}

function orderedMetadata(metadata: object, textOf: TextOf): [string, string] {
  return joined(metadata, META_BEFORE, META_AFTER, textOf);
}

function joined(
  metadata: object,
  before: readonly string[],
  after: readonly string[],
  textOf: TextOf,
): [string, string] {
  const members = metadata as Record<string, unknown>; // walked by name
  let head = "";
  let tail = "";
  for (const key of before) {
    if (members[key] !== undefined) head += `${JSON.stringify(key)}:${textOf(members[key])},`;
  }
  for (const key of after) {
    if (members[key] === undefined || key === "resourceVersion") continue;
    tail += `${tail === "" ? "" : ","}${JSON.stringify(key)}:${textOf(members[key])}`;
  }
  return [head, tail];
}
