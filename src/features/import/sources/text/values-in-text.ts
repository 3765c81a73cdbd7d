// The values of a text in JSON or YAML. The items of a long list are decoded one by one. This permits yields in
// between, and recovers all complete items of a truncated list.
import { isObject } from "../../../../apimachinery/json/json.ts";
import { decodeJson } from "../../../../apimachinery/json/json-decode.ts";
import { LEVELS_MAX } from "../../../../apimachinery/meta/max-nesting-depth.ts";
import { decodeDocuments, isUnreadable, strictValue } from "../../../../apimachinery/yaml/decode-yaml.ts";
import { YamlSyntaxError } from "../../../../apimachinery/yaml/yaml-error.ts";
import type { ItemTexts } from "./item-texts.ts";
import { itemsInJson } from "./items-in-json.ts";
import { itemsInYaml } from "./items-in-yaml.ts";
import { endOfValue, shallowValue, startOfValue } from "./values-in-json.ts";

/** Shorter texts are decoded as a whole, and item by item only if that fails. */
const LONG = 1 << 20;

/** Throws errors that isUnreadable() accepts, after all readable values. */
export function* valuesInText(text: string): Generator<unknown, void, undefined> {
  const objects = withoutLogs(text);
  if (/^\s*[{[]/.test(objects)) yield* valuesInJsonText(objects);
  else yield* valuesInYamlText(objects);
}

const LOG_BEGINS = /^==== START logs for container .*$/m;

/** `kubectl cluster-info dump` prints container logs between its lists. */
function withoutLogs(text: string): string {
  if (!LOG_BEGINS.test(text)) return text;
  const [first = "", ...rest] = text.split(/^==== START logs for container .*$/m);
  return (
    first +
    rest
      .map((part) =>
        part
          .split(/^==== END logs for container .*$/m)
          .slice(1)
          .join(""),
      )
      .join("")
  );
}

function* valuesInJsonText(text: string): Generator<unknown, void, undefined> {
  const items = text.length > LONG ? itemsInJson(text) : undefined;
  if (items !== undefined && (yield* allOfList(items, readJson))) return;
  const whole = parsed(text);
  if (whole !== undefined) return yield whole;
  yield* severalInJson(text);
}

/** Limit of unreadable values that are skipped, since each may have been searched up to the end of the text. */
const BROKEN_MAX = 20;

/**
 * Behind an unreadable value it continues at the next line that begins a value. Throws the first error, after all
 * readable values.
 */
function* severalInJson(text: string): Generator<unknown, void, undefined> {
  const broken: unknown[] = [];
  let found = 0;
  for (let at = startOfValue(text, 0); at !== undefined; ) {
    const end = endOfValue(text, at);
    const part = text.slice(at, end);
    const read = attempt(() => readJson(part));
    const cut = "error" in read ? itemsInJson(part) : undefined;
    if (!("error" in read)) yield read.value;
    else if (cut?.end === "cut") return yield* valuesOfList(cut, readJson);
    else broken.push(read.error);
    if (!("error" in read)) found++;
    else if (broken.length === BROKEN_MAX) break;
    at = "error" in read ? startOfLine(text, at) : startOfValue(text, end);
  }
  // A text without any JSON value may be YAML flow style, which looks similar.
  if (found === 0) yield* valuesInFlowYaml(text, broken[0]);
  else if (broken.length > 0) throw broken[0];
}

const BEGINS_AS_JSON = /^\s*(?:\{\s*["}]|\[\s*[\]["{])/;

function* valuesInFlowYaml(text: string, wrongAsJson: unknown): Generator<unknown, void, undefined> {
  try {
    yield* valuesInYamlText(text);
  } catch (error) {
    throw isUnreadable(error) && BEGINS_AS_JSON.test(text) ? wrongAsJson : error;
  }
}

/** The start of the next line that begins a value. */
function startOfLine(text: string, from: number): number | undefined {
  const found = /\n[{[]/g;
  found.lastIndex = from;
  const at = found.exec(text)?.index;
  return at === undefined ? undefined : at + 1;
}

/** Integers with digits that a double would lose. */
const LONG_NUMBER = /[:[,]\s*-?\d{16}/;

function readJson(text: string): unknown {
  return LONG_NUMBER.test(text)
    ? decodeJson(text, { depthMax: LEVELS_MAX }).value
    : (parsed(text) ?? decodeJson(text, { depthMax: LEVELS_MAX }).value);
}

/** undefined: it is not one value, or needs the exact decoder. */
const parsed = (text: string): unknown => (LONG_NUMBER.test(text) ? undefined : shallowValue(text));

function attempt<T>(read: () => T): { readonly value: T } | { readonly error: unknown } {
  try {
    return { value: read() };
  } catch (error) {
    if (isUnreadable(error)) return { error };
    throw error;
  }
}

/** Yields one list per item, because the list has the kind. Throws the first error of an item, after the others. */
function* valuesOfList(
  { head, items }: ItemTexts,
  read: (text: string) => unknown,
): Generator<unknown, void, undefined> {
  const list = read(head);
  const own = typeof list === "object" && list !== null ? list : {};
  let failure: unknown;
  for (const item of items) {
    try {
      yield { ...own, items: [read(item)] };
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
}

/**
 * Whether all items could be decoded. Otherwise the whole text must be decoded, since the item boundaries may be wrong.
 */
function* allOfList(
  items: ItemTexts,
  read: (text: string) => unknown,
): Generator<unknown, boolean, undefined> {
  try {
    yield* valuesOfList(items, read);
    return true;
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    return false;
  }
}

/** In concatenated outputs each begins with this key. */
const NEXT_OUTPUT = /^(?=apiVersion:)/m;

function* valuesInYamlText(text: string): Generator<unknown, void, undefined> {
  const items = text.length > LONG ? itemsInYaml(text) : undefined;
  if (items !== undefined && (yield* allOfList(items, readYaml))) {
    if (isCutList(readYaml(items.head))) throw cutOff();
    return;
  }
  let count = 0;
  let isCut = false;
  try {
    for (const document of decodeDocuments(text)) {
      if (document.duplicates.some((finding) => finding.includes('"apiVersion"'))) {
        isCut = yield* valuesInOutputs(text);
        break;
      }
      const value = strictValue(document);
      yield value;
      count++;
      isCut ||= isCutList(value);
    }
  } catch (error) {
    const cut = count === 0 && isUnreadable(error) ? itemsInYaml(text) : undefined;
    if (cut === undefined) throw error;
    yield* allOfList(cut, readYaml);
    throw error;
  }
  if (isCut) throw cutOff();
}

/** Whether one of them was truncated. */
function* valuesInOutputs(text: string): Generator<unknown, boolean, undefined> {
  const values = text.split(NEXT_OUTPUT).flatMap((output) => [...decodeDocuments(output)].map(strictValue));
  yield* values;
  return values.some(isCutList);
}

const cutOff = (): Error =>
  new YamlSyntaxError(
    "the list ends before it has told its kind: it was cut off, its last item perhaps as well",
  );

/**
 * Truncation at a line end leaves valid YAML. But a list printed by kubectl has its kind behind its items, and a list
 * that never has a kind has no apiVersion either.
 */
const isCutList = (value: unknown): boolean =>
  isObject(value) &&
  Array.isArray(value["items"]) &&
  value["apiVersion"] !== undefined &&
  value["kind"] === undefined;

function readYaml(text: string): unknown {
  const [first] = decodeDocuments(text);
  return first && strictValue(first);
}
