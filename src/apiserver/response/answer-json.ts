// The JSON of answers that are no stored objects, as Go writes them: the members of what the machinery defines (Status,
// Table, PartialObjectMetadata, the lists of discovery) in the order of their structs, all others by their names.

import { isObject } from "../../meta/json.ts";
import { encodeJson, escapeHtml, type MemberOrder } from "../../meta/json-encode.ts";
import { encodeJsonInTurns } from "../../meta/json-in-turns.ts";
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import { compileSchema } from "../../schema/compile-schema.ts";
import { structOrder } from "../../schema/go/go-struct.ts";
import { schemaLibrary, schemaRef } from "../../schema/go/schema-library.ts";

const META = "io.k8s.apimachinery.pkg.apis.meta.v1.";
/** Kinds of this group version stand under "v1" as well. */
const META_VERSION = /^(?:v1|meta\.k8s\.io\/v1(?:beta1)?)$/;

export const answerJson = (value: unknown, order = machineryOrder(value)): string =>
  escapeHtml(encodeJson(value, order));

/** The same for a large value, written with pauses for others. */
export const answerJsonInTurns = (value: unknown): Promise<string> =>
  encodeJsonInTurns(value, machineryOrder(value), escapeHtml);

/** The order of the members of the view's list; custom lists have their keys sorted. */
export function listOrder({ definition, version }: ResourceView): MemberOrder | undefined {
  if (definition.custom) return undefined;
  const type = `${version.node.typeName}List`;
  if (!orders.has(type)) orders.set(type, orderOfType(type));
  return orders.get(type);
}

const orderOfType = (type: string): MemberOrder | undefined =>
  structOrder(compileSchema(schemaRef(type), schemaLibrary().resolve));

const orders = new Map<string, MemberOrder | undefined>();

/** The order of what the machinery defines; undefined for all else. */
export function machineryOrder(value: unknown): MemberOrder | undefined {
  if (!isObject(value)) return undefined;
  const { kind, apiVersion } = value;
  if (typeof kind !== "string" || typeof apiVersion !== "string" || !META_VERSION.test(apiVersion))
    return undefined;
  const type = META + kind;
  if (!orders.has(type)) {
    const isKnown = schemaLibrary().definition(type) !== undefined;
    if (!isKnown) return undefined;
    orders.set(type, orderOfType(type));
  }
  return orders.get(type);
}
