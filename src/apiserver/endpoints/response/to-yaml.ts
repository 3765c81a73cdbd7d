// YAML in the form of sigs.k8s.io/yaml: keys sorted, lists not indented, lines never folded. Nesting depth is not
// limited.
import { isObject } from "../../../apimachinery/json/json.ts";
import { decodeJson } from "../../../apimachinery/json/json-decode.ts";
import { sortedKeys } from "../../../apimachinery/json/json-encode.ts";
import { LEVELS_MAX } from "../../../apimachinery/meta/max-nesting-depth.ts";
import { spaces } from "./answer-text.ts";
import { scalarText } from "./yaml-scalar.ts";

/** Keeps the member order of the value. */
export const yamlOf = (value: unknown): string => [...yamlParts(value, Object.keys)].join("");

export const toYaml = (json: string): string =>
  [...yamlParts(decodeJson(json, { depthMax: LEVELS_MAX }).value)].join("");

/** A list or an object that is being written. */
interface Open {
  readonly items: readonly unknown[];
  /** Keys of an object. */
  readonly keys: readonly string[] | undefined;
  /** Indentation of its lines; `firstPad` is that of the first line. */
  readonly pad: number;
  readonly firstPad: number;
  next: number;
}

/** Keys of an object in output order. */
type KeysOf = (value: object) => string[];

/** YAML of a value, part by part. */
export function* yamlParts(root: unknown, keysOf: KeysOf = sortedKeys): Generator<string, void> {
  if (!hasItems(root)) {
    yield `${leaf(root)}\n`;
    return;
  }
  const stack = [open(root, 0, 0, keysOf)];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    if (top.next === top.items.length) {
      stack.pop();
      continue;
    }
    const { keys, pad, firstPad, next } = top;
    const item = top.items[next];
    const key = keys === undefined ? "-" : keyText(keys[next] ?? "");
    const isOpened = hasItems(item);
    yield spaces(next === 0 ? firstPad : pad);
    yield* indented(isOpened ? key : `${key} ${leaf(item)}\n`, pad);
    top.next++;
    if (!isOpened) continue;
    if (keys !== undefined) yield "\n";
    const below = keys !== undefined && Array.isArray(item) ? pad : pad + 2;
    stack.push(open(item, below, keys === undefined ? 1 : below, keysOf));
  }
}

/** Indents all lines but the first, except empty ones. */
function* indented(text: string, pad: number): Generator<string, void> {
  let from = 0;
  for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", from)) {
    yield text.slice(from, end + 1);
    from = end + 1;
    if (from < text.length && text[from] !== "\n") yield spaces(pad);
  }
  yield text.slice(from);
}

/** Whether the value is a non-empty list or object. undefined members do not count, as in JSON. */
function hasItems(value: unknown): value is object {
  if (Array.isArray(value)) return value.length > 0;
  if (!isObject(value)) return false;
  for (const key in value) if (value[key] !== undefined) return true;
  return false;
}

function open(value: object, pad: number, firstPad: number, keysOf: KeysOf): Open {
  if (Array.isArray(value)) return { items: value, keys: undefined, pad, firstPad, next: 0 };
  const members = value as Record<string, unknown>; // not a list, as checked above
  const keys = keysOf(value).filter((key) => members[key] !== undefined);
  return { items: keys.map((key) => members[key]), keys, pad, firstPad, next: 0 };
}

/** A scalar, or an empty list or object. */
function leaf(value: unknown): string {
  if (typeof value === "string") return scalarText(value, "value");
  if (Array.isArray(value)) return "[]";
  return typeof value === "object" && value !== null ? "{}" : String(value ?? null);
}

/** Longer keys use the explicit form, because YAML readers limit the search for the colon. */
const LONG_KEY = 128;

/** The key with its colon. */
function keyText(key: string): string {
  const text = scalarText(key, "key");
  return text.length > LONG_KEY ? `? ${text}\n:` : `${text}:`;
}
