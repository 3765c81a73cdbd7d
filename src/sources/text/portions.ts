// A long text as it comes, in portions that can be read one by one: so many documents, values or items of a list, each list
// with what stands before its items. Nothing is cut where that could change what is read: then the rest is one portion.
import { DEFAULT_LIMITS, exceeded, type SourceLimits } from "../limits.ts";
import { endOfMember, itemsInJson, placeOfItems } from "./items-in-json.ts";
import { endOfItems, ITEMS } from "./items-in-yaml.ts";
import { endOfValue, nextSign, shallowObject } from "./values-in-json.ts";

export interface PortionSizes {
  /** What is shorter is one portion. */
  readonly whole: number;
  /** So long are the portions of what is longer, or one part. */
  readonly portion: number;
}

const SIZES: PortionSizes = { whole: 8 << 20, portion: 1 << 20 };

/** Where a text can be cut. */
interface Form {
  /** Goes before each portion but the first, which has it. */
  readonly head: string;
  /** Closes each portion but the last. */
  readonly close: string;
  /** The place behind the last whole part, with or without what parts it from the next; 0: there is none. */
  cut(text: string): Cut;
}

interface Cut {
  readonly end: number;
  readonly next: number;
  /** What is behind is of another form. */
  readonly isLast?: boolean;
}

const NOWHERE: Cut = { end: 0, next: 0 };

/** Throws SourceError for a text that is too long and cannot be cut. */
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
  // Twice as much each time: a text that is put together anew for each portion would be copied as often as it has some.
  while (await rest.has(Math.min(Math.max(2 * rest.text.length, portion), documentBytesMax + 1)))
    if (rest.text.length > documentBytesMax) throw tooLarge();
  if (isFirst || rest.text.trim() !== "") yield rest.text;
}

/** Up to the end of what has this form, or of the text. */
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
      // The rest of a text that is cut off tells so itself.
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

/** What has come of a text and was not taken yet. */
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

/** undefined: none that could be cut. */
function formOf(text: string, portion: number): Form | undefined {
  const start = nextSign(text, 0);
  if (text[start] === "{") return jsonListOf(text, start) ?? jsonValuesOf(text, portion);
  return text[start] === "[" ? jsonArrayOf(text, start) : (yamlListOf(text) ?? yamlDocumentsOf(text));
}

/** Of objects in JSON: words of YAML may hold quotes and brackets that mean nothing. */
function jsonArrayOf(text: string, start: number): Form | undefined {
  const first = nextSign(text, start + 1);
  if (text[first] !== "{" || text[nextSign(text, first + 1)] !== '"') return undefined;
  const cut = (rest: string): Cut => cutItems(rest, (_, sign) => sign + 1);
  return { head: text.slice(0, start + 1), close: "]", cut };
}

/** A list whose items tell their kind, or that tells it before them. */
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

/** `behindOf`: the place behind all that the bracket closes, or the end of the text. */
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
    // A long one may be a list, which can be cut itself.
    if ((end > 0 || !isWhole) && behind - at > portion) return { end, next: end, isLast: true };
    if (!isWhole) break;
    end = behind;
  }
  const sign = text[nextSign(text, end)];
  // Between values stands something else, such as what containers have logged.
  if (end > 0 && sign !== undefined && sign !== "{") return { end: text.length, next: end, isLast: true };
  return { end, next: end };
}

/** Behind the mark with which the text may begin. */
const LATER_DOCUMENT = /\n(---|\.\.\.)/;

/** Of a list that tells its kind behind its items, which tell theirs: where that is missing the list was cut off. */
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
      return NOWHERE; // what stands behind the items belongs to the list
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
