// Splits a long text, as it is streamed, into portions that decode independently: some documents, values or items of a
// list, each with the list's header. If a split could change the result, the rest is one portion.
import { DEFAULT_LIMITS, exceeded, type SourceLimits } from "../limits.ts";
import { endOfMember, itemsInJson, placeOfItems } from "./items-in-json.ts";
import { endOfItems, ITEMS } from "./items-in-yaml.ts";
import { endOfValue, nextSign, shallowObject } from "./values-in-json.ts";

export interface PortionSizes {
  /** Shorter texts are one portion. */
  readonly whole: number;
  /** Length of a portion, unless a single part is longer. */
  readonly portion: number;
}

const SIZES: PortionSizes = { whole: 8 << 20, portion: 1 << 20 };

/** How a text can be split. */
interface Form {
  /** Prepended to each portion but the first, which has it already. */
  readonly head: string;
  /** Appended to each portion but the last. */
  readonly close: string;
  /** The end of the last complete part, without and with the separator behind it; 0: there is none. */
  cut(text: string): Cut;
}

interface Cut {
  readonly end: number;
  readonly next: number;
  /** The text behind it has another form. */
  readonly isLast?: boolean;
}

const NOWHERE: Cut = { end: 0, next: 0 };

/** Throws SourceError for a text that is too long and cannot be split. */
export async function* portionsOf(
  chunks: AsyncIterable<string>,
  { whole, portion }: PortionSizes = SIZES,
  limits: SourceLimits = DEFAULT_LIMITS,
): AsyncGenerator<string, void, undefined> {
  const { documentBytesMax } = limits;
  const tooLarge = () =>
    exceeded(limits, "documentBytesMax", "it can only be read as a whole, and is larger than");
  const rest = new TextRest(chunks);
  let isFirst = true;
  while (await rest.has(whole)) {
    const form = formOf(rest.text, portion);
    if (form === undefined) break;
    yield* cutPortions(rest, form, { portion, limits });
    isFirst = false;
  }
  // The length doubles each time, so that concatenating the buffer takes linear time.
  while (await rest.has(Math.min(Math.max(2 * rest.text.length, portion), documentBytesMax + 1)))
    if (rest.text.length > documentBytesMax) throw tooLarge();
  if (isFirst || rest.text.trim() !== "") yield rest.text;
}

/** Yields portions up to the end of this form, or of the text. */
async function* cutPortions(
  rest: TextRest,
  form: Form,
  { portion, limits }: { readonly portion: number; readonly limits: SourceLimits },
): AsyncGenerator<string, void, undefined> {
  const { head, close } = form;
  rest.take(head.length);
  for (let wanted = portion; ; ) {
    const goesOn = await rest.has(wanted);
    const { end, next, isLast } = form.cut(rest.text);
    if (isLast || !goesOn) {
      // The rest of a truncated text contains the syntax error by itself.
      const last = head + rest.take(isLast ? end : rest.text.length);
      if (last !== "") yield last;
      return;
    }
    if (end > 0) yield `${head}${rest.text.slice(0, end)}${close}`;
    rest.take(next);
    wanted = next > 0 ? portion : 2 * wanted; // a part is longer than that
    if (wanted > limits.documentBytesMax)
      throw exceeded(limits, "documentBytesMax", "a part of it is larger than");
  }
}

/** The buffered, unconsumed part of a text. */
class TextRest {
  readonly #chunks: AsyncIterator<string>;
  text = "";

  constructor(chunks: AsyncIterable<string>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** False: the text ends before. */
  async has(length: number): Promise<boolean> {
    const parts = [this.text];
    let known = this.text.length;
    while (known < length) {
      const { done, value } = await this.#chunks.next();
      if (done) break;
      parts.push(value);
      known += value.length;
    }
    if (parts.length > 1) this.text = parts.join("");
    return known >= length;
  }

  take(length: number): string {
    const taken = this.text.slice(0, length);
    this.text = this.text.slice(length);
    return taken;
  }
}

/** undefined: the text cannot be split. */
function formOf(text: string, portion: number): Form | undefined {
  const start = nextSign(text, 0);
  if (text[start] === "{") return jsonListOf(text, start) ?? jsonValuesOf(text, portion);
  return text[start] === "[" ? jsonArrayOf(text, start) : (yamlListOf(text) ?? yamlDocumentsOf(text));
}

/** Only for JSON objects: plain scalars of YAML may contain quotes and brackets without syntactic meaning. */
function jsonArrayOf(text: string, start: number): Form | undefined {
  const first = nextSign(text, start + 1);
  if (text[first] !== "{" || text[nextSign(text, first + 1)] !== '"') return undefined;
  const cut = (rest: string): Cut => cutItems(rest, (_, sign) => sign + 1);
  return { head: text.slice(0, start + 1), close: "]", cut };
}

/** A list with its kind in the items, or in front of them. */
function jsonListOf(text: string, start: number): Form | undefined {
  const list = placeOfItems(text, start + 1);
  if (list === undefined) return undefined;
  const head = text.slice(0, list + 1);
  const [first] = itemsInJson(text)?.items ?? [];
  const isTold = [shallowObject(`${head}]}`), shallowObject(first ?? "")].some(
    (told) => told?.["kind"] !== undefined,
  );
  if (!isTold || shallowObject(first ?? "") === undefined) return undefined;
  const behind = (rest: string, sign: number) => endOfValue(`{${rest.slice(sign + 1)}`, 0) + sign;
  return { head, close: "]}", cut: (rest) => cutItems(rest, behind) };
}

/** `behindOf`: the position behind all that the bracket closes, or the end of the text. */
function cutItems(text: string, behindOf: (text: string, sign: number) => number): Cut {
  let cut = NOWHERE;
  for (let at = nextSign(text, 0); at < text.length; at = nextSign(text, cut.next)) {
    const end = text[at] === "]" ? at : endOfMember(text, at);
    const sign = nextSign(text, end);
    if (text[sign] === "]") {
      const behind = behindOf(text, sign);
      return behind < text.length ? { end: behind, next: behind, isLast: true } : cut;
    }
    if (text[sign] !== ",") return cut;
    cut = { end, next: sign + 1 };
  }
  return cut;
}

function jsonValuesOf(text: string, portion: number): Form | undefined {
  const cut = (rest: string): Cut => cutValues(rest, portion);
  const { next } = cut(text);
  return next > 0 && text[nextSign(text, next)] === "{" ? { head: "", close: "", cut } : undefined;
}

function cutValues(text: string, portion: number): Cut {
  let end = 0;
  for (let at = nextSign(text, 0); text[at] === "{"; at = nextSign(text, end)) {
    const behind = endOfValue(text, at);
    const isWhole = behind < text.length;
    // A long value may be a list, which can be split itself.
    if ((end > 0 || !isWhole) && behind - at > portion) return { end, next: end, isLast: true };
    if (!isWhole) break;
    end = behind;
  }
  const sign = text[nextSign(text, end)];
  // The rest is not JSON, such as logs of containers between the values.
  if (end > 0 && sign !== undefined && sign !== "{") return { end: text.length, next: end, isLast: true };
  return { end, next: end };
}

/** A document marker that is not at the start of the text. */
const LATER_DOCUMENT = /\n(---|\.\.\.)/;

/**
 * Appended to portions of a list whose kind follows its items; the items have kinds of their own. A list without it
 * counts as truncated.
 */
const CLOSES_LIST = "kind: List\n";
const NAMES_KIND = /^["']?kind["']?[ \t]*:/m;

function yamlListOf(text: string): Form | undefined {
  const found = ITEMS.exec(text);
  if (found === null || LATER_DOCUMENT.test(text.slice(0, found.index))) return undefined;
  const head = text.slice(0, found.index + found[0].length);
  const indent = found[1] ?? "";
  const cut = (rest: string): Cut => {
    const edge = endOfItems(rest, 0, indent);
    if (edge < rest.length) {
      const document = /^---(?=\s)/m.exec(rest.slice(edge));
      if (document !== null) return { end: edge + document.index, next: edge + document.index, isLast: true };
      return NOWHERE; // the text behind the items belongs to the list
    }
    const end = rest.lastIndexOf(`\n${indent}- `) + 1;
    return { end, next: end };
  };
  return { head, close: NAMES_KIND.test(head) ? "" : CLOSES_LIST, cut };
}

function yamlDocumentsOf(text: string): Form | undefined {
  const cut = (rest: string): Cut => {
    const end = Math.max(rest.lastIndexOf("\n---\n"), rest.lastIndexOf("\n---\r\n")) + 1;
    return { end, next: end };
  };
  return cut(text).end > 0 ? { head: "", close: "", cut } : undefined;
}
