// The JSON of an object with the order of members that a real server gives it: custom resources have all keys sorted,
// built-in kinds come in the order of their Go structs, kind and apiVersion first.
import { escapeHtml } from "../../meta/json/escape-html.ts";
import { keysInOrder, type MemberOrder, orderWithin } from "../../meta/json/member-order.ts";
import { encodeJson } from "../../meta/json-encode.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { structOrder } from "../../schema/go/struct-order.ts";
import type { ResourceView } from "../definition/resource-definition.ts";

/** The order of an object's members as the view shows it; custom resources have none but that of their keys. */
export const memberOrder = ({ definition, version }: ResourceView): MemberOrder | undefined =>
  definition.custom ? undefined : structOrder(version.node);

export interface ObjectText {
  /** Up to the place of resourceVersion. */
  readonly head: string;
  /** From there on; begins without a comma, and is never empty for an object that the server has made. */
  readonly tail: string;
  /** How many characters behind the first brace kind and apiVersion take, where they stand in front. */
  readonly typeMetaLength: number;
}

/** The JSON of a member of the object or of its metadata. */
export type TextOf = (value: unknown, order: MemberOrder | undefined) => string;

/** An object's JSON in two parts, without its resourceVersion; without an order the keys are sorted. */
export function objectText(
  object: KubeObject,
  order: MemberOrder | undefined,
  textOf: TextOf = encodeJson,
): ObjectText {
  const [before, after] = metadataText(object.metadata, orderWithin(order, "metadata"), textOf);
  let front = "";
  let back = "";
  let typeMetaLength = 0;
  let isBehind = false;
  for (const key of keysInOrder(object, order)) {
    const value = object[key];
    if (key === "metadata") isBehind = true;
    if (value === undefined || key === "metadata") continue;
    const member = `${JSON.stringify(key)}:${textOf(value, orderWithin(order, key))}`;
    if (isBehind) back += `,${member}`;
    else front += `${member},`;
    if (order !== undefined && (key === "kind" || key === "apiVersion")) typeMetaLength = front.length;
  }
  const head = escapeHtml(`{${front}"metadata":{${before}`);
  return { head, tail: escapeHtml(`${after}}${back}}`), typeMetaLength };
}

/** The whole JSON, with the resourceVersion that the object's metadata names, if any. */
export function encodeObject(object: KubeObject, order: MemberOrder | undefined): string {
  const { head, tail } = objectText(object, order);
  const { resourceVersion } = object.metadata;
  const version = resourceVersion ? `"resourceVersion":${encodeJson(resourceVersion)}` : "";
  const text = tail.startsWith("}") ? version : version && `${version},`;
  const start = text === "" && tail.startsWith("}") && head.endsWith(",") ? head.slice(0, -1) : head;
  return start + text + tail;
}

/** Both parts of metadata; the first ends with a comma if it is not empty. */
function metadataText(metadata: object, order: MemberOrder | undefined, textOf: TextOf): [string, string] {
  const members = metadata as Record<string, unknown>; // walked by name
  const place = order?.members?.get("resourceVersion")?.place ?? 0;
  const isBefore = (key: string): boolean =>
    order === undefined ? key < "resourceVersion" : (order.members?.get(key)?.place ?? place) < place;
  let head = "";
  let tail = "";
  for (const key of keysInOrder(metadata, order)) {
    if (members[key] === undefined || key === "resourceVersion") continue;
    const member = `${JSON.stringify(key)}:${textOf(members[key], orderWithin(order, key))}`;
    if (isBefore(key)) head += `${member},`;
    else tail += `${tail === "" ? "" : ","}${member}`;
  }
  return [head, tail];
}
