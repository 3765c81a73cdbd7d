// YAML as sigs.k8s.io/yaml writes it: keys sorted, lists not indented, lines never folded, and quotes as go-yaml sets them:
// double ones where bare text would be read as something else, single ones where it could not be read at all. Objects are
// walked here, as deep as they are; only texts that need a second look are left to the library.
import { Document, visit } from "yaml";
import { isObject } from "../../meta/json.ts";
import { decodeJson } from "../../meta/json-decode.ts";
import { sortedKeys } from "../../meta/json-encode.ts";
import { LEVELS_MAX } from "../../meta/levels.ts";
import { lazy } from "../../meta/once-per.ts";
import { spaces } from "./answer-text.ts";

const STYLE = {
  aliasDuplicateObjects: false,
  compat: "yaml-1.1", // for texts such as yes and no, which older readers take for something else
} as const;
/** An indicator at the start, and what ends a key or begins a comment. */
const NOT_BARE = /^(?:[#,[\]{}&*!|>'"%@`]|---|\.\.\.|[?:-](?: |$)| )|:(?: |$)| #| $/;
/** Takes a block, or an escape. */
const NOT_SINGLE = /[\n\t]/;
/** Nothing in it can end or begin anything: bare, unless it is read as something else than a text. */
const PLAIN = /^[A-Za-z0-9_/](?:(?:[!-9;-~]| (?!#)|:(?! ))*[!-,.-9;-~])?$/;
/** No number begins so, and words such as "false" are shorter. */
const SURELY_TEXT = /^[A-Za-z_/].{5}/;
/** What texts of plain letters are read as: null, truth values, numbers, times. */
const typesOfOthers = lazy(otherTypes);

export const toYaml = (json: string): string =>
  [...yamlParts(decodeJson(json, { depthMax: LEVELS_MAX }).value)].join("");

/** A list or an object that is being written. */
interface Open {
  readonly items: readonly unknown[];
  /** Of an object. */
  readonly keys: readonly string[] | undefined;
  /** Spaces before each of its lines but the first, and before that one. */
  readonly pad: number;
  readonly firstPad: number;
  next: number;
}

/** YAML of a value, part by part. */
export function* yamlParts(root: unknown): Generator<string, void> {
  if (!hasItems(root)) {
    yield libraryText(root);
    return;
  }
  const stack = [open(root, 0, 0)];
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
    stack.push(open(item, below, keys === undefined ? 1 : below));
  }
}

/** The lines of a text that has several: all but the first, and empty ones, stand as far in as its place. */
function* indented(text: string, pad: number): Generator<string, void> {
  let from = 0;
  for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", from)) {
    yield text.slice(from, end + 1);
    from = end + 1;
    if (from < text.length && text[from] !== "\n") yield spaces(pad);
  }
  yield text.slice(from);
}

/** Whether it is a list or an object with something in it. Members that are undefined are none, as in JSON. */
function hasItems(value: unknown): value is object {
  if (Array.isArray(value)) return value.length > 0;
  if (!isObject(value)) return false;
  for (const key in value) if (value[key] !== undefined) return true;
  return false;
}

function open(value: object, pad: number, firstPad: number): Open {
  if (Array.isArray(value)) return { items: value, keys: undefined, pad, firstPad, next: 0 };
  const members = value as Record<string, unknown>; // no list, as just seen
  const keys = sortedKeys(value).filter((key) => members[key] !== undefined);
  return { items: keys.map((key) => members[key]), keys, pad, firstPad, next: 0 };
}

/** A scalar, or a list or an object with nothing in it. */
function leaf(value: unknown): string {
  if (typeof value === "string") return text(value);
  if (Array.isArray(value)) return "[]";
  return typeof value === "object" && value !== null ? "{}" : String(value ?? null);
}

function text(value: string): string {
  if (PLAIN.test(value)) return isBare(value) ? value : JSON.stringify(value);
  if (isPlainBlock(value)) return block(value);
  return remembered(texts, value, () => libraryText({ k: value }).slice("k: ".length, -1));
}

/** Lines of plain letters, with some at the beginning and in the last one. */
const isPlainBlock = (value: string): boolean =>
  value.includes("\n") && /^[!-~]/.test(value) && !/[^ -~\n]/.test(value) && !/\n +$/.test(value);

function block(value: string): string {
  let end = value.length;
  while (value[end - 1] === "\n" || value[end - 1] === " ") end--;
  const newline = value.indexOf("\n", end);
  const chomping = newline < 0 ? "-" : newline === value.length - 1 ? "" : "+";
  const lines = value.endsWith("\n") ? value.slice(0, -1) : value;
  return `|${chomping}\n  ${lines.replace(/\n(?!\n|$)/g, "\n  ")}`;
}

/** The key and its colon. */
function keyText(key: string): string {
  if (key.length < LONG_KEY && PLAIN.test(key) && isBare(key)) return `${key}:`;
  return remembered(keyTexts, key, () => libraryText({ [key]: 0 }).slice(0, -" 0\n".length));
}

/** What the library makes of short texts, which it takes its time for; keys of managedFields come again and again. */
const texts = new Map<string, string>();
const keyTexts = new Map<string, string>();
const REMEMBERED_MAX = 1000;
const REMEMBERED_LENGTH_MAX = 100;

function remembered(known: Map<string, string>, text: string, write: () => string): string {
  const found = known.get(text);
  if (found !== undefined) return found;
  const written = write();
  if (known.size >= REMEMBERED_MAX) known.clear();
  if (text.length <= REMEMBERED_LENGTH_MAX) known.set(text, written);
  return written;
}

/** Longer keys may be written in another way. */
const LONG_KEY = 500;

const isBare = (value: string): boolean =>
  SURELY_TEXT.test(value) || !typesOfOthers().some((type) => type.test(value));

function libraryText(value: unknown): string {
  const document = new Document(value, STYLE);
  visit(document, {
    Scalar(_key, scalar) {
      const content = scalar.value;
      if (typeof content === "string" && NOT_BARE.test(content) && !NOT_SINGLE.test(content))
        scalar.type = "QUOTE_SINGLE";
    },
  });
  return document.toString({ lineWidth: 0 });
}

function otherTypes(): RegExp[] {
  const { tags, compat } = new Document(null, STYLE).schema;
  return [...tags, ...(compat ?? [])].flatMap((tag) =>
    "test" in tag && tag.test !== undefined && tag.default ? [tag.test] : [],
  );
}
