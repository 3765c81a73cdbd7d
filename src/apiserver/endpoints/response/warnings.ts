// Warning headers of a response (RFC 7234, code 299). Each text is sent once.
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import { apiVersionOf } from "../../registry/definition/view.ts";
import { compareVersions } from "../discovery/group-index.ts";

/** Limit of characters. Above it each text is truncated, up to the same limit again. */
const LETTERS_MAX = 4096;
const LETTERS_OF_CUT_TEXT = 256;

/** A character has at most two code units, so a longer text exceeds the limit in any case. */
const UNITS_MAX = 2 * LETTERS_MAX + 2;

type Letters = readonly string[];

export class Warnings {
  /** Created for the first text: nearly all responses have none. */
  #texts: Map<string, Letters> | undefined;
  /** Total number of characters after truncation of each text. */
  #letters = 0;

  /** Texts with characters that a header cannot hold are omitted, as are texts above the limit. */
  add(text: string): void {
    this.#texts ??= new Map();
    if (this.#letters > LETTERS_MAX || text === "" || this.#texts.has(text) || /\p{Cc}/u.test(text)) return;
    const letters = [...text.slice(0, UNITS_MAX)];
    this.#texts.set(text, letters);
    this.#letters += Math.min(letters.length, LETTERS_OF_CUT_TEXT);
  }

  /** Header values; empty without warnings. */
  headers(): string[] {
    if (this.#texts === undefined) return [];
    const texts = [...this.#texts.values()];
    const total = texts.reduce((sum, { length }) => sum + length, 0);
    return total <= LETTERS_MAX ? texts.map(toHeader) : cut(texts).map(toHeader);
  }
}

/** Truncates the texts: clients reject responses with too large headers. */
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

/** HTTP headers hold bytes: non-ASCII text is sent as UTF-8 bytes. */
function encodeLatin(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII is meant
  return /^[\x00-\x7f]*$/.test(text) ? text : Buffer.from(text, "utf8").toString("latin1");
}

export function deprecationWarning(view: ResourceView): string | undefined {
  const { deprecated, deprecationWarning: text } = view.version;
  if (!deprecated) return undefined;
  return text ?? `${nameOf(view)} is deprecated${advice(view)}`;
}

const nameOf = (view: ResourceView): string => `${apiVersionOf(view)} ${view.definition.kind}`;

/** The newest version that is served and not deprecated, if it is newer. */
function advice({ definition, version }: ResourceView): string {
  const [newest] = definition.versions
    .filter((item) => item.served && !item.deprecated && compareVersions(item.name, version.name) < 0)
    .sort((a, b) => compareVersions(a.name, b.name));
  return newest === undefined ? "" : `; use ${nameOf({ definition, version: newest })}`;
}
