// From decoded JSON to an object of a kind: types that cannot be held are refused, unknown fields go (and are told),
// defaults come. Custom resources follow their schema; of them only metadata is held in a fixed form.

import { goQuote } from "../../go/strconv.ts";
import { isObject, type JsonObject } from "../../meta/json.ts";
import { type KeysOf, keysAsRead } from "../../meta/json-words.ts";
import { type KubeObject, partsOfApiVersion } from "../../meta/object-meta.ts";
import { settleNumbers, tooGreatForDouble } from "../../meta/spelled-number.ts";
import { badRequest, type StatusError } from "../../meta/status.ts";
import { ownTurn } from "../../meta/turns.ts";
import { type CoerceOptions, coerceInTurns, coerceObject, findDecodeError } from "../../schema/coerce.ts";
import { compileSchema, objectMetaNode } from "../../schema/compile-schema.ts";
import { applyDefaults } from "../../schema/default.ts";
import { findEmbeddedError } from "../../schema/embedded.ts";
import { settleTyped } from "../../schema/go/settle-typed.ts";
import type { SchemaNode } from "../../schema/schema-node.ts";
import type { FieldValidation, RequestContext } from "../definition/request-context.ts";
import type { ResourceView } from "../definition/resource-definition.ts";
import { apiVersionOf, strategyOf, versionNamed } from "../definition/view.ts";

export interface ConformOptions extends CoerceOptions {
  /** The error for what a Go decoder says of JSON that does not fit the kind's types. */
  readonly refuse?: (why: string) => Error;
  /** In which order the members are read: the first complaint counts. */
  readonly keysOf?: KeysOf;
  /** The value may hold numbers as they are spelled; those of a custom resource get their values first. */
  readonly isSpelled?: boolean | undefined;
}

export interface ConformedObject {
  readonly object: KubeObject;
  /** Paths of the fields that were dropped because the kind does not know them. */
  readonly unknown: readonly string[];
}

/** Makes value an object of the kind, in place. Throws what is made of a complaint. */
export function conformObject(
  view: ResourceView,
  value: JsonObject,
  options: ConformOptions = {},
): ConformedObject {
  const node = readable(view, value, options, options.keysOf);
  const keepReset = view.definition.custom ? undefined : resetKeeper(value["metadata"]);
  const unknown = node === undefined ? [] : coerceObject(node, value, options);
  keepReset?.();
  return { object: complete(view, node, value), unknown };
}

/** As conformObject, for objects so large that others should have their turn meanwhile; `keysOf`: in which order they are read. */
export async function conformInTurns(
  view: ResourceView,
  value: JsonObject,
  options: ConformOptions,
  keysOf: KeysOf | undefined = keysAsRead,
): Promise<ConformedObject> {
  const node = readable(view, value, options, keysOf);
  await ownTurn();
  const keepReset = view.definition.custom ? undefined : resetKeeper(value["metadata"]);
  const unknown = node === undefined ? [] : await coerceInTurns(node, value, options);
  keepReset?.();
  await ownTurn();
  return { object: complete(view, node, value), unknown };
}

/** Refuses what cannot be held; returns the schema to follow, undefined for what is of another kind. */
function readable(
  view: ResourceView,
  value: JsonObject,
  { refuse = (why) => new Error(why), isSpelled = false }: ConformOptions,
  keysOf?: KeysOf,
): SchemaNode | undefined {
  const { custom } = view.definition;
  const tooGreat = custom && isSpelled ? settleNumbers(value) : undefined;
  if (tooGreat !== undefined) throw refuse(tooGreatForDouble(tooGreat));
  if (custom) value["metadata"] ??= {};
  const complaint = custom
    ? findDecodeError(objectMetaNode(), value["metadata"])
    : findDecodeError(view.version.node, value, { keysOf, isSpelled });
  if (complaint !== undefined) throw refuse(complaint);
  if (!custom && isSpelled) settleTyped(view.version.node, value);
  if (!view.definition.withoutMetadata && !isObject(value["metadata"])) value["metadata"] = {};
  if (!custom) return view.version.node;
  const node = nodeSaidBy(view, value);
  const unreadable = node && findEmbeddedError(node, value);
  if (unreadable !== undefined) throw refuse(unreadable);
  return node;
}

function complete(view: ResourceView, node: SchemaNode | undefined, value: JsonObject): KubeObject {
  const object = value as KubeObject; // its types were checked, or its metadata was made to fit
  if (node !== undefined) applyDefaults(node, object);
  if (!view.definition.custom) strategyOf(view).applyDefaults?.(object);
  return object;
}

/**
 * The schema for what the object says it is. Another kind is held as it comes and refused later; a version that is not
 * there has a schema that knows nothing.
 */
function nodeSaidBy({ definition, version }: ResourceView, value: JsonObject): SchemaNode | undefined {
  const apiVersion = String(value["apiVersion"] ?? "");
  const [group] = partsOfApiVersion(apiVersion);
  if (value["kind"] !== definition.kind || group !== definition.group) return undefined;
  if (apiVersion === apiVersionOf({ definition, version })) return version.node;
  return versionNamed(definition, apiVersion)?.node ?? compileSchema({ type: "object" });
}

/**
 * An empty list of managedFields asks for a reset, although an empty list is otherwise the same as none. In a custom resource
 * it is none.
 */
function resetKeeper(metadata: unknown): (() => void) | undefined {
  const fields = isObject(metadata) ? metadata["managedFields"] : undefined;
  if (!isObject(metadata) || !Array.isArray(fields) || fields.length > 0) return undefined;
  return () => {
    metadata["managedFields"] = [];
  };
}

// The object that a writer gives, as it was decoded: fields that its kind does not know, and those given twice, are told or
// refused by fieldValidation. Ignore is silent, Warn (the default) says each in a Warning header, Strict refuses them all
// at once.

export interface DecodedObject {
  readonly object: KubeObject;
  /** What fieldValidation is about: "unknown field \"spec.x\"", "duplicate field \"spec.y\"". */
  readonly findings: readonly string[];
}

/**
 * The object, which must be of the view's version. Throws 400 for another version, and for what was found where the context
 * is strict.
 */
export function acceptObject(
  view: ResourceView,
  { object, findings }: DecodedObject,
  { fieldValidation = "Strict", warn }: RequestContext,
): KubeObject {
  const { kind } = view.definition;
  reportFindings(fieldValidation, findings, warn, (why) =>
    badRequest(`${object.kind} in version "${view.version.name}" cannot be handled as a ${kind}: ${why}`),
  );
  const [given, expected] = [object.apiVersion ?? "", apiVersionOf(view)];
  if (given === expected) return object;
  throw badRequest(
    `the API version in the data (${given}) does not match the expected API version (${expected})`,
  );
}

/** An object that no text was read for, made one of the kind; it is changed. Throws 400 with the text of a real server. */
export function decodeGiven(view: ResourceView, value: JsonObject): DecodedObject {
  const { definition } = view;
  if (!definition.custom) {
    value["kind"] ||= definition.kind;
    value["apiVersion"] ||= apiVersionOf(view);
  }
  const said = { kind: String(value["kind"]), apiVersion: apiVersionOf(view) };
  const refuse = (why: string) => cannotBeHandled(view, said, why);
  const { object, unknown } = conformObject(view, value, { refuse });
  return { object, findings: unknownFields(view, unknown) };
}

/** What is said of unknown fields: what a schema does not know is named as it is, what a type does not, as Go quotes it. */
export function unknownFields({ definition }: ResourceView, paths: readonly string[]): string[] {
  const quote = definition.custom ? (path: string) => `"${path}"` : goQuote;
  return paths.map((path) => `unknown field ${quote(path)}`);
}

/** 400: what was given is not of the kind, or not fit to be. */
export function cannotBeHandled(
  { definition }: ResourceView,
  given: { readonly apiVersion: string; readonly kind: string },
  why: string,
): StatusError {
  const [, version] = partsOfApiVersion(given.apiVersion);
  return badRequest(
    `${given.kind} in version "${version}" cannot be handled as a ${definition.kind}: ${why}`,
  );
}

export function reportFindings(
  mode: FieldValidation,
  findings: readonly string[],
  warn: (text: string) => void,
  refuse: (strictError: string) => Error,
): void {
  if (findings.length === 0 || mode === "Ignore") return;
  if (mode === "Strict") throw refuse(`strict decoding error: ${findings.join(", ")}`);
  for (const finding of findings) {
    if (finding.startsWith(YAML_FINDINGS)) for (const line of linesBelow(finding)) warn(line);
    else warn(finding);
  }
}

/** What the reader of YAML finds is one text, with a line for each below this one. */
const YAML_FINDINGS = "yaml: unmarshal errors:\n";

const linesBelow = (finding: string): readonly string[] =>
  finding
    .slice(YAML_FINDINGS.length)
    .split("\n")
    .map((line) => line.trim());
