// From decoded JSON to an object of a kind: types that cannot be held are refused, unknown fields go (and are told),
// defaults come. Custom resources follow their schema; of them only metadata is held in a fixed form.
import { isObject, type JsonObject } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { type CoerceOptions, coerceObject } from "../../schema/coerce.ts";
import { compileSchema, objectMetaNode } from "../../schema/compile-schema.ts";
import { findDecodeError } from "../../schema/decode-types.ts";
import { applyDefaults } from "../../schema/default.ts";
import { findEmbeddedError } from "../../schema/embedded.ts";
import type { SchemaNode } from "../../schema/schema-node.ts";
import type { ResourceView } from "../resource-definition.ts";
import { apiVersionOf, strategyOf } from "../resource-registry.ts";

/** What a Go decoder says of JSON that does not fit the kind's types. Whoever asked words the answer around it. */
export class ObjectDecodeError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ObjectDecodeError";
  }
}

export interface ConformedObject {
  readonly object: KubeObject;
  /** Paths of the fields that were dropped because the kind does not know them. */
  readonly unknown: readonly string[];
}

/** Makes value an object of the kind, in place. Throws ObjectDecodeError. */
export function conformObject(
  view: ResourceView,
  value: JsonObject,
  options: CoerceOptions = {},
): ConformedObject {
  return view.definition.custom ? conformCustom(view, value, options) : conformBuiltIn(view, value);
}

function conformCustom(view: ResourceView, value: JsonObject, options: CoerceOptions): ConformedObject {
  if (value["metadata"] === null || value["metadata"] === undefined) value["metadata"] = {};
  const complaint = findDecodeError(objectMetaNode(), value["metadata"]);
  if (complaint !== undefined) throw new ObjectDecodeError(complaint);
  const node = nodeSaidBy(view, value);
  const unreadable = node && findEmbeddedError(node, value);
  if (unreadable !== undefined) throw new ObjectDecodeError(unreadable);
  const unknown = keepingReset(value["metadata"], () =>
    node === undefined ? [] : coerceObject(node, value, options),
  );
  if (node !== undefined) applyDefaults(node, value);
  return { object: value as KubeObject, unknown }; // metadata was just made to fit
}

/**
 * The schema for what the object says it is. Another kind is held as it comes and refused later; a version that is not
 * there has a schema that knows nothing.
 */
function nodeSaidBy({ definition, version }: ResourceView, value: JsonObject): SchemaNode | undefined {
  const apiVersion = String(value["apiVersion"] ?? "");
  const group = apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
  if (value["kind"] !== definition.kind || group !== definition.group) return undefined;
  if (apiVersion === apiVersionOf({ definition, version })) return version.node;
  const other = definition.versions.find(
    (item) => apiVersionOf({ definition, version: item }) === apiVersion,
  );
  return other?.node ?? compileSchema({ type: "object" });
}

function conformBuiltIn(view: ResourceView, value: JsonObject): ConformedObject {
  const { version } = view;
  const complaint = findDecodeError(version.node, value);
  if (complaint !== undefined) throw new ObjectDecodeError(complaint);
  if (!isObject(value["metadata"])) value["metadata"] = {};
  const unknown = keepingReset(value["metadata"], () => coerceObject(version.node, value));
  const object = value as KubeObject; // its types were checked above
  applyDefaults(version.node, object);
  strategyOf(view).applyDefaults?.(object);
  return { object, unknown };
}

/** An empty list of managedFields asks for a reset, although an empty list is otherwise the same as none. */
function keepingReset<T>(metadata: unknown, coerce: () => T): T {
  const fields = isObject(metadata) ? metadata["managedFields"] : undefined;
  const result = coerce();
  if (isObject(metadata) && Array.isArray(fields) && fields.length === 0) metadata["managedFields"] = [];
  return result;
}
