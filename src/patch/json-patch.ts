// RFC 6902 with the liberties that Kubernetes takes: a replace may add a member, negative indexes count from the end
// of a list, a copy of nothing is null. A failure says nothing about the object and leaves it as it was.
import { cloneJson, depthOf, equalJson, isObject, type JsonObject } from "../meta/json.ts";
import { encodeJson } from "../meta/json-encode.ts";
import { LEVELS_OF_ANY_STACK, levelsMax } from "../meta/levels.ts";
import { badRequest, entityTooLarge, type StatusError } from "../meta/status.ts";
import { atOnce, inTurns, type Steps } from "../meta/steps.ts";
import { pauseForOthers } from "../meta/turns.ts";
import { addAt, type Container, locate, removeAt, replaceAt, valueAt } from "./json-pointer.ts";
import { invalidPatch, patchDoesNotApply } from "./patch-errors.ts";

const OPERATIONS_MAX = 10_000;
/** Only operations that move things hundreds of levels down make a look necessary. */
const LOOKS_MAX = 20;
/** How much text all copies of one patch may add. */
const COPY_BYTES_MAX = 3 * 1024 * 1024;

export interface JsonPatchOperation {
  readonly op: string | undefined;
  readonly path: string | undefined;
  readonly from: string | undefined;
  /** undefined when the operation has no value; null is a value. */
  readonly value: unknown;
  /** The value with its numbers as they were written, for sameLiteral: a test tells 1 from 1.0. */
  readonly literal: unknown;
}

export interface JsonPatch {
  readonly operations: readonly JsonPatchOperation[];
  /** What strict field validation complains about. */
  readonly findings: readonly string[];
}

const MEMBERS = new Set(["op", "path", "from", "value"]);

/**
 * Reads a decoded document as a JSON patch. `duplicates` are the paths of members given twice; `source` is the text of
 * the document, for the spelling of numbers. Throws 400 for a document of the wrong form.
 */
export function readJsonPatch(
  document: unknown,
  duplicates: readonly string[] = [],
  source?: string,
): JsonPatch {
  if (document === null) return { operations: [], findings: [] };
  if (!Array.isArray(document)) throw cannotDecode(document, "value of type []handlers.jsonPatchOp");
  const tests = document.some((item: unknown) => isObject(item) && item["op"] === "test");
  const literals = source !== undefined && tests ? parseKeepingNumbers(source) : undefined;
  const findings = duplicates.map((path) => `json patch duplicate field "${path}"`);
  const operations = document.map((item: unknown, index) => {
    if (item !== null && !isObject(item)) throw cannotDecode(item, "value of type handlers.jsonPatchOp");
    for (const member of Object.keys(item ?? {})) {
      if (!MEMBERS.has(member)) findings.push(`json patch unknown field "[${index}].${member}"`);
    }
    return readOperation(item ?? {}, Array.isArray(literals) ? literals[index] : undefined);
  });
  return { operations, findings };
}

function readOperation(item: JsonObject, literal: unknown): JsonPatchOperation {
  const value = item["value"];
  return {
    op: readText(item, "op"),
    path: readText(item, "path"),
    from: readText(item, "from"),
    value,
    literal: isObject(literal) ? literal["value"] : undefined,
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
  const name = type === "boolean" ? "bool" : type === "bigint" ? "number" : type;
  return badRequest(`error decoding patch: json: cannot unmarshal ${name} into Go ${target}`);
}

/** The document after all operations, sharing nothing with it. Throws 422 when one does not apply. */
export const applyJsonPatch = (
  document: Readonly<JsonObject>,
  operations: readonly JsonPatchOperation[],
): JsonObject => atOnce(apply(document, operations));

/** The same where much is changed; others are answered between the operations. */
export const applyJsonPatchInTurns = (
  document: Readonly<JsonObject>,
  operations: readonly JsonPatchOperation[],
): Promise<JsonObject> => inTurns(apply(document, operations), pauseForOthers);

/** Copies can double what is there: of so many the outcome can be large, whatever was small before. */
const GROWING_COPIES = 4;

export const canGrow = (operations: readonly JsonPatchOperation[]): boolean =>
  operations.filter(({ op }) => op === "copy").length >= GROWING_COPIES;

function* apply(
  document: Readonly<JsonObject>,
  operations: readonly JsonPatchOperation[],
): Steps<JsonObject> {
  if (operations.length > OPERATIONS_MAX) {
    throw entityTooLarge(
      `Request entity too large: The allowed maximum operations in a JSON patch is ${OPERATIONS_MAX}, got ${operations.length}`,
    );
  }
  const state: State = { root: cloneJson(document), copiedBytes: 0, depth: levelsMax(), looks: 0 };
  for (const operation of operations) {
    yield;
    applyOperation(state, operation);
  }
  yield;
  if (state.depth > levelsMax()) checkDepth(state);
  return state.root as JsonObject; // a replaced root may be a list; whoever decodes the result refuses that
}

interface State {
  root: Container;
  copiedBytes: number;
  /** The root has no more levels than this. */
  depth: number;
  /** How often all of the root was looked at to know. */
  looks: number;
}

/** Operations can put values below each other; what they make must not be deeper than what could be sent. */
function checkDepth(state: State): void {
  state.depth = depthOf(state.root);
  state.looks++;
  if (state.depth > levelsMax() || state.looks > LOOKS_MAX)
    throw invalidPatch(encodeJson(state.root), "exceeded max depth");
}

/** Notes that the value at a path may reach deeper now. To look at once after each operation would take too long. */
function noteDepth(state: State, depth: number): void {
  state.depth = Math.max(state.depth, depth);
  if (state.depth > levelsMax() + LEVELS_OF_ANY_STACK) checkDepth(state);
}

const stepsOf = (path: string | undefined): number => (path ?? "").split("/").length - 1;

function applyOperation(state: State, operation: JsonPatchOperation): void {
  const { op, path, from, value } = operation;
  if (path === undefined) throw patchDoesNotApply();
  switch (op) {
    case "add":
      addAt(locate(state.root, path), cloneJson(value));
      noteDepth(state, stepsOf(path) + depthOf(value));
      break;
    case "remove":
      removeAt(locate(state.root, path));
      break;
    case "replace":
      if (path === "") replaceRoot(state, value);
      else replaceAt(locate(state.root, path), cloneJson(value));
      noteDepth(state, stepsOf(path) + depthOf(value));
      break;
    case "test":
      test(state.root, operation, path);
      break;
    case "move":
    case "copy":
      if (op === "move") move(state.root, from, path);
      else copy(state, from, path);
      noteDepth(state, state.depth + Math.max(0, stepsOf(path) - stepsOf(from)));
      break;
    default:
      throw patchDoesNotApply();
  }
}

function replaceRoot(state: State, value: unknown): void {
  if (typeof value !== "object" || value === null) throw patchDoesNotApply();
  state.root = cloneJson(value as Container); // an object or a list, as just checked
}

function test(root: Container, { value, literal }: JsonPatchOperation, path: string): void {
  const found = path === "" ? root : valueAt(locate(root, path));
  const absent = found === undefined || found === null;
  const passes = absent
    ? value === undefined || value === null
    : equalJson(found, value) && sameLiteral(found, literal);
  if (!passes) throw patchDoesNotApply();
}

function move(root: Container, from: string | undefined, path: string): void {
  const source = locate(root, from);
  const moved = valueAt(source);
  removeAt(source);
  addAt(locate(root, path), moved);
}

function copy(state: State, from: string | undefined, path: string): void {
  const value = valueAt(locate(state.root, from)) ?? null;
  state.copiedBytes += Buffer.byteLength(encodeJson(value));
  if (state.copiedBytes > COPY_BYTES_MAX) throw patchDoesNotApply();
  addAt(locate(state.root, path), cloneJson(value));
}

// A JSON patch's test compares numbers as they are written: 1.0 is not 1. Decoding loses the spelling, so the text of
// the patch is read once more, with a mark for every number that is written otherwise than it would be printed.

/** Texts without any of these hold no such number. */
const MAYBE_UNUSUAL = /\d[.eE]|-0|\d{16}/;
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const SPELLING = "spelling";

/**
 * Parses valid JSON, with { spelling: "1.0" } for such numbers. It is only good for sameLiteral; undefined: all numbers
 * are written as they would be printed.
 */
function parseKeepingNumbers(text: string): unknown {
  if (!MAYBE_UNUSUAL.test(text)) return undefined;
  let unusual = false;
  const marked = text.replace(STRING_OR_NUMBER, (token) => {
    if (token.startsWith('"') || String(Number(token)) === token) return token;
    unusual = true;
    return `{"${SPELLING}":"${token}"}`;
  });
  return unusual ? JSON.parse(marked) : undefined;
}

/** True when no number in the value is spelt otherwise in the literal. Both are known to be equal as JSON. */
function sameLiteral(value: unknown, literal: unknown): boolean {
  if (typeof value === "number" || typeof value === "bigint") {
    return !isObject(literal) || literal[SPELLING] === String(value);
  }
  if (Array.isArray(value) && Array.isArray(literal)) {
    return value.every((item, index) => sameLiteral(item, literal[index]));
  }
  if (isObject(value) && isObject(literal)) {
    return Object.keys(value).every((key) => sameLiteral(value[key], literal[key]));
  }
  return true;
}
