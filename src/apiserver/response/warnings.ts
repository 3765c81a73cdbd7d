// Texts for the client beside the answer, as Warning headers (RFC 7234, code 299). Each is said once.

const TEXT_CHARS_MAX = 4096;

export class Warnings {
  readonly #texts = new Set<string>();

  add(text: string): void {
    const clean = text.replace(/[\r\n\t]+/g, " ").slice(0, TEXT_CHARS_MAX);
    if (clean !== "") this.#texts.add(clean);
  }

  /** Header values; empty when there is nothing to say. */
  headers(): string[] {
    return [...this.#texts].map((text) => `299 - "${encodeLatin(text).replace(/["\\]/g, "\\$&")}"`);
  }
}

/** HTTP headers hold bytes: text beyond ASCII goes as its UTF-8 bytes. */
function encodeLatin(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII is meant
  return /^[\x00-\x7f]*$/.test(text) ? text : Buffer.from(text, "utf8").toString("latin1");
}
