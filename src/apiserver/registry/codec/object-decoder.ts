// From decoded JSON to an object of a kind: type errors are rejected, unknown fields are pruned and reported, defaults
// are set. Custom resources follow their schema; only their metadata has fixed Go types.

import { goQuote } from "../../../apimachinery/go/strconv.ts";
import { isObject, type JsonObject } from "../../../apimachinery/json/json.ts";
import { type KeysOf, keysAsRead } from "../../../apimachinery/json/json-words.ts";
import { settleNumbers, tooGreatForDouble } from "../../../apimachinery/json/spelled-number.ts";
import { type KubeObject, partsOfApiVersion } from "../../../apimachinery/meta/object-meta.ts";
import { badRequest, type StatusError } from "../../../apimachinery/meta/status.ts";
import { ownTurn } from "../../../apimachinery/scheduling/event-loop.ts";
import {
  type CoerceOptions,
  coerceInTurns,
  coerceObject,
  findDecodeError,
} from "../../../apimachinery/schema/coerce.ts";
import { compileSchema, objectMetaNode } from "../../../apimachinery/schema/compile-schema.ts";
import { applyDefaults } from "../../../apimachinery/schema/default.ts";
import { findEmbeddedError } from "../../../apimachinery/schema/embedded.ts";
import { settleTyped } from "../../../apimachinery/schema/go/settle-typed.ts";
import type { SchemaNode } from "../../../apimachinery/schema/schema-node.ts";
import type { FieldValidation, RequestContext } from "../definition/request-context.ts";
import type { ResourceView } from "../definition/resource-definition.ts";
import { apiVersionOf, strategyOf, versionNamed } from "../definition/view.ts";

export interface ConformOptions extends CoerceOptions {
  /** Builds the error for a Go decoder's complaint about JSON that does not fit the kind's types. */
  readonly refuse?: (why: string) => Error;
  /** Order in which the members are decoded: the first complaint is reported. */
  readonly keysOf?: KeysOf;
  /** The value may hold numbers in their source spelling. Those of a custom resource are converted first. */
  readonly isSpelled?: boolean | undefined;
}

export interface ConformedObject {
  readonly object: KubeObject;
  /** Paths of the pruned fields that the kind does not know. */
  readonly unknown: readonly string[];
}

/** Converts value to an object of the kind, in place. Throws the error that `refuse` builds. */
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

/** As conformObject, with yielding for large objects; `keysOf`: the order in which members are decoded. */
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

/** Rejects values that do not fit the types. Returns the schema to follow, undefined for another kind. */
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
  const object = value as KubeObject; // its types were checked, or its metadata was coerced
  if (node !== undefined) applyDefaults(node, object);
  if (!view.definition.custom) strategyOf(view).applyDefaults?.(object);
  return object;
}

/**
 * Schema by the object's own apiVersion and kind. An object of another kind is kept unchanged and rejected later. An
 * unknown version gets an empty schema.
 */
function nodeSaidBy({ definition, version }: ResourceView, value: JsonObject): SchemaNode | undefined {
  const apiVersion = String(value["apiVersion"] ?? "");
  const [group] = partsOfApiVersion(apiVersion);
  if (value["kind"] !== definition.kind || group !== definition.group) return undefined;
  if (apiVersion === apiVersionOf({ definition, version })) return version.node;
  return versionNamed(definition, apiVersion)?.node ?? compileSchema({ type: "object" });
}

/**
 * An empty managedFields list requests a reset of managedFields; elsewhere an empty list equals an absent one. In a
 * custom resource it equals an absent one, too.
 */
function resetKeeper(metadata: unknown): (() => void) | undefined {
  const fields = isObject(metadata) ? metadata["managedFields"] : undefined;
  if (!isObject(metadata) || !Array.isArray(fields) || fields.length > 0) return undefined;
  return () => {
    metadata["managedFields"] = [];
  };
}

// The decoded object of a request. fieldValidation decides about unknown and duplicate fields. Ignore is silent, Warn
// (the default) adds a Warning header for each, Strict rejects the request with all of them.

export interface DecodedObject {
  readonly object: KubeObject;
  /** Findings of fieldValidation: "unknown field \"spec.x\"", "duplicate field \"spec.y\"". */
  readonly findings: readonly string[];
}

/**
 * Returns the object, which must have the view's version. Throws 400 for another version, and for findings where the
 * context is strict.
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

/** Decodes an object that was not read from a text; it is changed. Throws 400 with upstream's text. */
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

/** Texts for unknown fields: names outside of a schema are quoted unchanged, those outside of a Go type by Go's rules. */
export function unknownFields({ definition }: ResourceView, paths: readonly string[]): string[] {
  const quote = definition.custom ? (path: string) => `"${path}"` : goQuote;
  return paths.map((path) => `unknown field ${quote(path)}`);
}

/** 400: the body is not an object of the kind, or cannot be decoded as one. */
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

/** The findings of the YAML reader are one text: this line, followed by one line for each. */
const YAML_FINDINGS = "yaml: unmarshal errors:\n";

const linesBelow = (finding: string): readonly string[] =>
  finding
    .slice(YAML_FINDINGS.length)
    .split("\n")
    .map((line) => line.trim());
