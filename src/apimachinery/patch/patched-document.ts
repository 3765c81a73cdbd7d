// A document that operations of a JSON patch change. Errors of operations have the texts of
// gopkg.in/evanphx/json-patch.v4 (patch.go).
import { cloneJson, depthOf, equalJson, type JsonObject } from "../json/json.ts";
import { encodeJson } from "../json/json-encode.ts";
import { LEVELS_OF_ANY_STACK, levelsMax } from "../meta/max-nesting-depth.ts";
import { addAt, type Container, locate, PlaceError, removeAt, replaceAt, valueAt } from "./json-pointer.ts";
import { invalidPatch, patchDoesNotApply } from "./patch-errors.ts";

export interface JsonPatchOperation {
  readonly op: string | undefined;
  readonly path: string | undefined;
  readonly from: string | undefined;
  /** Reasons why path or from, though present, are invalid. */
  readonly misfits?: Misfits;
  /** undefined when the operation has no value; null is a value. */
  readonly value: unknown;
}

export interface Misfits {
  readonly path: string | undefined;
  readonly from: string | undefined;
}

/** Limit of depth checks; only operations that move values hundreds of levels down need one. */
const LOOKS_MAX = 20;
/** Limit in bytes of the text that all copies of one patch add. */
const COPY_BYTES_MAX = 3 * 1024 * 1024;
const MISSING = "missing value";
const TEST_FAILED = "test failed";
const stepsOf = (path: string): number => path.split("/").length - 1;

export class PatchedDocument {
  #root: Container;
  #copiedBytes = 0;
  /** Upper bound of the root's depth. */
  #depth = levelsMax();
  /** Number of depth checks of the whole root. */
  #looks = 0;

  /** The document is changed. */
  constructor(document: JsonObject) {
    this.#root = document;
  }

  /** The changed document. A replaced root may be a list, which the decoder rejects. */
  finish(): JsonObject {
    if (this.#depth > levelsMax()) this.#checkDepth();
    return this.#root as JsonObject;
  }

  /** Throws a PatchDoesNotApply, or 422 for a document that exceeds the maximal depth. */
  apply(operation: JsonPatchOperation): void {
    switch (operation.op) {
      case "add":
        this.#add(operation);
        break;
      case "remove":
        this.#remove(operation);
        break;
      case "replace":
        this.#replace(operation);
        break;
      case "move":
        this.#move(operation);
        break;
      case "test":
        this.#test(operation);
        break;
      case "copy":
        this.#copy(operation);
        break;
      default:
        throw patchDoesNotApply(`Unexpected kind: ${operation.op ?? "unknown"}`);
    }
  }

  #add({ path: given, value }: JsonPatchOperation): void {
    const path = given ?? refuse("add operation failed to decode path", MISSING);
    const place =
      locate(this.#root, path) ??
      refuse(`add operation does not apply: doc is missing path: "${path}"`, MISSING);
    at(`error in add for path: '${path}'`, () => addAt(place, cloneJson(value)));
    this.#noteDepth(stepsOf(path) + depthOf(value));
  }

  #remove({ path: given }: JsonPatchOperation): void {
    const path = given ?? refuse("remove operation failed to decode path", MISSING);
    const place =
      locate(this.#root, path) ??
      refuse(`remove operation does not apply: doc is missing path: "${path}"`, MISSING);
    at(`error in remove for path: '${path}'`, () => removeAt(place));
  }

  #replace(operation: JsonPatchOperation): void {
    const { value } = operation;
    const path = pathOf(operation);
    if (path === "") this.#replaceRoot(value);
    else {
      const place =
        locate(this.#root, path) ??
        refuse(`replace operation does not apply: doc is missing path: ${path}`, MISSING);
      try {
        replaceAt(place, cloneJson(value));
      } catch (error) {
        if (!(error instanceof PlaceError)) throw error;
        refuse(`replace operation does not apply: doc is missing key: ${path}`, MISSING);
      }
    }
    this.#noteDepth(stepsOf(path) + depthOf(value));
  }

  #replaceRoot(value: unknown): void {
    // Go formats a nil error here.
    if (typeof value !== "object" || value === null)
      refuse("replace operation value must be object or array", "%!w(<nil>)");
    this.#root = cloneJson(value as Container); // an object or a list, as just checked
  }

  #test(operation: JsonPatchOperation): void {
    const { value } = operation;
    const path = pathOf(operation);
    const found = path === "" ? this.#root : this.#valueToTest(path);
    const absent = found === undefined || found === null;
    const passes = absent ? value === undefined || value === null : equalJson(found, value);
    if (!passes) refuse(`testing value ${path} failed`, TEST_FAILED);
  }

  #valueToTest(path: string): unknown {
    const place =
      locate(this.#root, path) ?? refuse(`test operation does not apply: is missing path: ${path}`, MISSING);
    return at(`error in test for path: '${path}'`, () => valueAt(place));
  }

  #move(operation: JsonPatchOperation): void {
    const from = fromOf(operation);
    const source =
      locate(this.#root, from) ??
      refuse(`move operation does not apply: doc is missing from path: ${from}`, MISSING);
    const moved = at(`error in move for path: '${source.key}'`, () => {
      const value = valueAt(source);
      removeAt(source);
      return value;
    });
    const path = pathOf(operation);
    const place =
      locate(this.#root, path) ??
      refuse(`move operation does not apply: doc is missing destination path: ${path}`, MISSING);
    at(`error in move for path: '${path}'`, () => addAt(place, moved));
    this.#noteDepth(this.#depth + Math.max(0, stepsOf(path) - stepsOf(from)));
  }

  #copy(operation: JsonPatchOperation): void {
    const from = fromOf(operation);
    const source =
      locate(this.#root, from) ??
      refuse(`copy operation does not apply: doc is missing from path: ${from}`, MISSING);
    const value = at(`error in copy for from: '${from}'`, () => valueAt(source) ?? null);
    const path = operation.path ?? refuse("copy operation failed to decode path", MISSING);
    const place =
      locate(this.#root, path) ??
      refuse(`copy operation does not apply: doc is missing destination path: ${path}`, MISSING);
    this.#countCopy(value);
    at("error while adding value during copy", () => addAt(place, cloneJson(value)));
    this.#noteDepth(this.#depth + Math.max(0, stepsOf(path) - stepsOf(from)));
  }

  #countCopy(value: unknown): void {
    if (value !== null) this.#copiedBytes += Buffer.byteLength(encodeJson(value));
    if (this.#copiedBytes <= COPY_BYTES_MAX) return;
    const size = `the accumulated size increase of copy is ${this.#copiedBytes}`;
    throw patchDoesNotApply(`Unable to complete the copy, ${size}, exceeding the limit ${COPY_BYTES_MAX}`);
  }

  /** Operations can nest values; the result must not exceed the depth limit of request bodies. */
  #checkDepth(): void {
    this.#depth = depthOf(this.#root);
    this.#looks++;
    if (this.#depth > levelsMax() || this.#looks > LOOKS_MAX)
      throw invalidPatch(encodeJson(this.#root), "exceeded max depth");
  }

  /** Records that the value at a path may be deeper now. A check after each operation would take too long. */
  #noteDepth(depth: number): void {
    this.#depth = Math.max(this.#depth, depth);
    if (this.#depth > levelsMax() + LEVELS_OF_ANY_STACK) this.#checkDepth();
  }
}

function refuse(what: string, why: string): never {
  throw patchDoesNotApply(`${what}: ${why}`);
}

function at<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof PlaceError)) throw error;
    return refuse(what, error.message);
  }
}

function pathOf({ op = "", path, misfits }: JsonPatchOperation): string {
  const why = misfits?.path ?? `operation missing path field: ${MISSING}`;
  return path ?? refuse(`${op} operation failed to decode path`, why);
}

function fromOf({ op = "", from, misfits }: JsonPatchOperation): string {
  const why = misfits?.from ?? `operation, missing from field: ${MISSING}`;
  return from ?? refuse(`${op} operation failed to decode from`, why);
}
