// Texts for the client beside the answer, as Warning headers (RFC 7234, code 299). Each is said once.

/** So many letters are said in full; when there are more, each text is cut, until as many are said again. */
const LETTERS_MAX = 4096;
const LETTERS_OF_CUT_TEXT = 256;
/** So many are remembered, to say none of them twice. Beyond, nothing more would be said anyway. */
const TEXTS_MAX = 10_000;

export class Warnings {
  readonly #texts = new Set<string>();

  /** What has letters that no header can hold is not said at all. */
  add(text: string): void {
    if (text !== "" && !/\p{Cc}/u.test(text) && this.#texts.size < TEXTS_MAX) this.#texts.add(text);
  }

  /** Header values; empty when there is nothing to say. */
  headers(): string[] {
    if (this.#texts.size === 0) return [];
    const texts = [...this.#texts].map((text) => [...text]);
    const total = texts.reduce((sum, { length }) => sum + length, 0);
    return total <= LETTERS_MAX ? texts.map(toHeader) : cut(texts).map(toHeader);
  }
}

type Letters = readonly string[];

/** Clients refuse answers whose headers are too large. */
function cut(texts: readonly Letters[]): Letters[] {
  const said: Letters[] = [];
  let letters = 0;
  for (const text of texts) {
    if (letters >= LETTERS_MAX) break;
    said.push(text.slice(0, LETTERS_OF_CUT_TEXT));
    letters += Math.min(text.length, LETTERS_OF_CUT_TEXT);
  }
  return said;
}

function toHeader(letters: Letters): string {
  return `299 - "${encodeLatin(letters.join("")).replace(/["\\]/g, "\\$&")}"`;
}

/** HTTP headers hold bytes: text beyond ASCII goes as its UTF-8 bytes. */
function encodeLatin(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII is meant
  return /^[\x00-\x7f]*$/.test(text) ? text : Buffer.from(text, "utf8").toString("latin1");
}
