// YAML as sigs.k8s.io/yaml writes it: keys sorted, lists not indented, lines never folded, and quotes as go-yaml sets them:
// double ones where bare text would be read as something else, single ones where it could not be read at all. Objects are
// walked here, as deep as they are; only texts that need a second look are left to the library.
import { Document, visit } from "yaml";
import { isObject } from "../../meta/json.ts";
import { decodeJson } from "../../meta/json-decode.ts";
import { sortedKeys } from "../../meta/json-encode.ts";
import { LEVELS_MAX } from "../../meta/limits/levels.ts";

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
const OTHER_TYPES: readonly RegExp[] = otherTypes();

export function toYaml(json: string): string {
  return writeYaml(decodeJson(json, { depthMax: LEVELS_MAX }).value);
}

/** A list or an object that is being written. */
interface Open {
  readonly items: readonly unknown[];
  /** Of an object. */
  readonly keys: readonly string[] | undefined;
  /** What stands before each of its lines but the first, and before that one. */
  readonly pad: string;
  readonly firstPad: string;
  next: number;
}

function writeYaml(root: unknown): string {
  if (!hasItems(root)) return libraryText(root);
  let out = "";
  const stack = [open(root, "", "")];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    if (top.next === top.items.length) {
      stack.pop();
      continue;
    }
    const { keys, pad } = top;
    const item = top.items[top.next];
    out += top.next === 0 ? top.firstPad : pad;
    out += keys === undefined ? "-" : keyText(keys[top.next] ?? "", pad);
    top.next++;
    if (!hasItems(item)) out += ` ${leaf(item, pad)}\n`;
    else if (keys === undefined) stack.push(open(item, `${pad}  `, " "));
    else {
      const below = Array.isArray(item) ? pad : `${pad}  `;
      out += "\n";
      stack.push(open(item, below, below));
    }
  }
  return out;
}

const hasItems = (value: unknown): value is object =>
  Array.isArray(value) ? value.length > 0 : isObject(value) && Object.keys(value).length > 0;

function open(value: object, pad: string, firstPad: string): Open {
  if (Array.isArray(value)) return { items: value, keys: undefined, pad, firstPad, next: 0 };
  const keys = sortedKeys(value);
  const members = value as Record<string, unknown>; // no list, as just seen
  return { items: keys.map((key) => members[key]), keys, pad, firstPad, next: 0 };
}

/** A scalar, or a list or an object with nothing in it. */
function leaf(value: unknown, pad: string): string {
  if (typeof value === "string") return text(value, pad);
  if (Array.isArray(value)) return "[]";
  return typeof value === "object" && value !== null ? "{}" : Object.is(value, -0) ? "-0" : String(value);
}

function text(value: string, pad: string): string {
  if (PLAIN.test(value)) return isBare(value) ? value : JSON.stringify(value);
  return padded(libraryText({ k: value }).slice("k: ".length, -1), pad);
}

/** The key and its colon. */
function keyText(key: string, pad: string): string {
  if (key.length < LONG_KEY && PLAIN.test(key) && isBare(key)) return `${key}:`;
  return padded(libraryText({ [key]: 0 }).slice(0, -" 0\n".length), pad);
}

/** Longer keys may be written in another way. */
const LONG_KEY = 500;

const isBare = (value: string): boolean =>
  SURELY_TEXT.test(value) || !OTHER_TYPES.some((type) => type.test(value));

/** The lines of a text that has several. */
const padded = (lines: string, pad: string): string => lines.replace(/\n(?!\n|$)/g, `\n${pad}`);

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
