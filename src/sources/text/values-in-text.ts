// The values of a text, in JSON or YAML. The items of one long list are read one by one, so that others can be served in
// between, and so that of a list that was cut off all is read that is whole.
import { decodeJson } from "../../meta/json-decode.ts";
import { LEVELS_MAX } from "../../meta/levels.ts";
import { decodeDocuments, isUnreadable, strictValue } from "../../yaml/decode-yaml.ts";
import type { ItemTexts } from "./item-texts.ts";
import { itemsInJson } from "./items-in-json.ts";
import { itemsInYaml } from "./items-in-yaml.ts";
import { valuesInJson } from "./values-in-json.ts";

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

function* severalInJson(text: string): Generator<unknown, void, undefined> {
  let isFirst = true;
  for (const part of valuesInJson(text)) {
    // What is no JSON from the first may be YAML in the notation that looks like it.
    const value = isFirst ? orUndefined(() => readJson(part)) : readJson(part);
    if (value === undefined) {
      const items = itemsInJson(part);
      if (items === undefined || items.end === "whole") return yield* valuesInYamlText(text);
      return yield* valuesOfList(items, readJson);
    }
    isFirst = false;
    yield value;
  }
}

/** Digits of integers that a double would lose. */
const LONG_NUMBER = /[:[,]\s*-?\d{16}/;

function readJson(text: string): unknown {
  return LONG_NUMBER.test(text)
    ? decodeJson(text, { depthMax: LEVELS_MAX }).value
    : (parsed(text) ?? decodeJson(text).value);
}

/** undefined: it is not one value, or is better read with care. */
function parsed(text: string): unknown {
  if (LONG_NUMBER.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** undefined: it cannot be read. */
function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isUnreadable(error)) return undefined;
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
  if (items !== undefined && (yield* allOfList(items, readYaml))) return;
  let count = 0;
  try {
    for (const document of decodeDocuments(text)) {
      if (document.duplicates.some((finding) => finding.includes('"apiVersion"')))
        return yield* text
          .split(NEXT_OUTPUT)
          .flatMap((output) => [...decodeDocuments(output)].map(strictValue));
      yield strictValue(document);
      count++;
    }
  } catch (error) {
    const cut = count === 0 && isUnreadable(error) ? itemsInYaml(text) : undefined;
    if (cut === undefined) throw error;
    yield* allOfList(cut, readYaml);
    throw error;
  }
}

function readYaml(text: string): unknown {
  const [first] = decodeDocuments(text);
  return first && strictValue(first);
}
