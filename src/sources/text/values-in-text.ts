// The values of a text, in JSON or YAML. The items of one long list are read one by one, so that others can be served in
// between, and so that of a list that was cut off all is read that is whole.
import { isObject } from "../../meta/json.ts";
import { decodeJson } from "../../meta/json-decode.ts";
import { LEVELS_MAX } from "../../meta/levels.ts";
import { decodeDocuments, isUnreadable, strictValue } from "../../yaml/decode-yaml.ts";
import { YamlSyntaxError } from "../../yaml/yaml-error.ts";
import type { ItemTexts } from "./item-texts.ts";
import { itemsInJson } from "./items-in-json.ts";
import { itemsInYaml } from "./items-in-yaml.ts";
import { endOfValue, shallowValue, startOfValue } from "./values-in-json.ts";

/** Shorter texts are read as a whole, and only where that fails by their items. */
const LONG = 1 << 20;

/** Throws what isUnreadable() knows, behind all that could be read. */
export function* valuesInText(text: string): Generator<unknown, void, undefined> {
  const objects = withoutLogs(text);
  if (/^\s*[{[]/.test(objects)) yield* valuesInJsonText(objects);
  else yield* valuesInYamlText(objects);
}

const LOG_BEGINS = /^==== START logs for container .*$/m;

/** `kubectl cluster-info dump` prints what containers have logged between its lists. */
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

/** So many values that cannot be read are passed over, each of which may have been looked for to the end of the text. */
const BROKEN_MAX = 20;

/** Behind what cannot be read it goes on where the next line begins a value. Throws what was wrong first, behind all others. */
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
  // What is no JSON from the first may be YAML in the notation that looks like it.
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

/** Of the line below that begins a value. */
function startOfLine(text: string, from: number): number | undefined {
  const found = /\n[{[]/g;
  found.lastIndex = from;
  const at = found.exec(text)?.index;
  return at === undefined ? undefined : at + 1;
}

/** Digits of integers that a double would lose. */
const LONG_NUMBER = /[:[,]\s*-?\d{16}/;

function readJson(text: string): unknown {
  return LONG_NUMBER.test(text)
    ? decodeJson(text, { depthMax: LEVELS_MAX }).value
    : (parsed(text) ?? decodeJson(text, { depthMax: LEVELS_MAX }).value);
}

/** undefined: it is not one value, or is better read with care. */
const parsed = (text: string): unknown => (LONG_NUMBER.test(text) ? undefined : shallowValue(text));

function attempt<T>(read: () => T): { readonly value: T } | { readonly error: unknown } {
  try {
    return { value: read() };
  } catch (error) {
    if (isUnreadable(error)) return { error };
    throw error;
  }
}

/** One list for each item: it is what tells its kind. Throws for an item that cannot be read, behind the others. */
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

/** Whether all could be read: else the whole has to be, as the items may have been found where none are. */
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

/** Where outputs were put one behind the other, each begins with its first key. */
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

/** Whether one of them was cut off. */
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
 * YAML that is cut off where a line ends reads as if nothing were missing. But a list that kubectl prints tells its kind behind
 * its items, and one that never tells it has no version either.
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
