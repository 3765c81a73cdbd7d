// JSON patch (RFC 6902) with the deviations of upstream: a replace may add a member, negative indexes count from the end
// of a list, a copy of an absent value is null. A failure reveals nothing about the object and leaves it unchanged.
import { cloneJson, goJsonType, isObject, type JsonObject } from "../json/json.ts";
import { badRequest, entityTooLarge, type StatusError } from "../meta/status.ts";
import { type Coroutine, runSync, runYielding } from "../scheduling/coroutine.ts";
import { yieldIfDue } from "../scheduling/event-loop.ts";
import { type JsonPatchOperation, PatchedDocument } from "./patched-document.ts";

/** Maximal number of operations in a PATCH. */
const OPERATIONS_MAX = 10_000;

export type { JsonPatchOperation } from "./patched-document.ts";

export interface JsonPatch {
  readonly operations: readonly JsonPatchOperation[];
  /** Findings of strict field validation. */
  readonly findings: readonly string[];
}

const MEMBERS = new Set(["op", "path", "from", "value"]);

/**
 * Decodes a JSON patch. `duplicates` are the paths of duplicate members. Numbers may keep their source spelling: for a
 * test operation 1 is not 1.0. Throws 400 for a document of the wrong form.
 */
export function readJsonPatch(document: unknown, duplicates: readonly string[] = []): JsonPatch {
  if (document === null) return { operations: [], findings: [] };
  if (!Array.isArray(document)) throw cannotDecode(document, "value of type []handlers.jsonPatchOp");
  const findings = duplicates.map((path) => `json patch duplicate field "${path}"`);
  const operations = document.map((item: unknown, index) => {
    if (item !== null && !isObject(item)) throw cannotDecode(item, "value of type handlers.jsonPatchOp");
    for (const member of Object.keys(item ?? {})) {
      if (!MEMBERS.has(member)) findings.push(`json patch unknown field "[${index}].${member}"`);
    }
    return readOperation(item ?? {});
  });
  return { operations, findings };
}

function readOperation(item: JsonObject): JsonPatchOperation {
  return {
    op: readText(item, "op"),
    path: readText(item, "path"),
    from: readText(item, "from"),
    value: item["value"],
  };
}

function readText(item: JsonObject, member: string): string | undefined {
  const found = item[member];
  if (found === undefined || found === null) return undefined;
  if (typeof found === "string") return found;
  throw cannotDecode(found, `struct field jsonPatchOp.${member} of type string`);
}

function cannotDecode(value: unknown, target: string): StatusError {
  const type = Array.isArray(value) ? "array" : typeof value;
  const name = type === "boolean" ? "bool" : type === "bigint" || type === "symbol" ? "number" : type;
  return badRequest(`error decoding patch: json: cannot unmarshal ${name} into Go ${target}`);
}

/** The document after all operations; the result is a copy. Throws 422 when one does not apply. */
export const applyJsonPatch = (
  document: Readonly<JsonObject>,
  operations: readonly JsonPatchOperation[],
): JsonObject => runSync(apply(document, operations));

/** The same for large documents, yielding to the event loop between operations. */
export const applyJsonPatchInTurns = (
  document: Readonly<JsonObject>,
  operations: readonly JsonPatchOperation[],
  { operationsMax = OPERATIONS_MAX } = {},
): Promise<JsonObject> => runYielding(apply(document, operations, operationsMax), yieldIfDue);

/** Each copy can double the document, so that many can make a small document large. */
const GROWING_COPIES = 4;

export const canGrow = (operations: readonly JsonPatchOperation[]): boolean =>
  operations.filter(({ op }) => op === "copy").length >= GROWING_COPIES;

function* apply(
  document: Readonly<JsonObject>,
  operations: readonly JsonPatchOperation[],
  operationsMax = OPERATIONS_MAX,
): Coroutine<JsonObject> {
  if (operations.length > operationsMax) {
    throw entityTooLarge(
      `Request entity too large: The allowed maximum operations in a JSON patch is ${operationsMax}, got ${operations.length}`,
    );
  }
  const patched = new PatchedDocument(cloneJson(document));
  for (const operation of operations) {
    yield;
    patched.apply(operation);
  }
  yield;
  return patched.finish();
}

/** The text is not a patch, with the message of encoding/json. */
export class PatchDecodeError extends Error {}

/**
 * Decodes a patch as jsonpatch.DecodePatch does, which checks only the names of an operation's members; values are
 * checked when the operation is applied. Numbers may keep their source spelling, as above. Throws a PatchDecodeError.
 */
export function decodePatch(document: unknown): readonly JsonPatchOperation[] {
  if (document === null) return [];
  if (!Array.isArray(document)) throw notOfType(document, "Patch");
  return document.map((item: unknown) => {
    if (item !== null && !isObject(item)) throw notOfType(item, "Operation");
    return decodeOperation(item ?? {});
  });
}

const notOfType = (value: unknown, type: string): PatchDecodeError =>
  new PatchDecodeError(`json: cannot unmarshal ${goJsonType(value)} into Go value of type jsonpatch.${type}`);

function decodeOperation({ op, path, from, value }: JsonObject): JsonPatchOperation {
  return {
    op: textOf(op),
    path: textOf(path),
    from: textOf(from),
    misfits: { path: misfitOf(path), from: misfitOf(from) },
    value,
  };
}

const textOf = (given: unknown): string | undefined => (typeof given === "string" ? given : undefined);

const misfitOf = (given: unknown): string | undefined =>
  given === undefined || given === null || typeof given === "string"
    ? undefined
    : `json: cannot unmarshal ${goJsonType(given)} into Go value of type string`;
