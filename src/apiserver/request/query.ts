// The query of a URL, read as Go's url.ParseQuery reads it: a plus is a space, a pair that is escaped wrongly is
// dropped, and of several values the first counts.

export class Query {
  readonly #values = new Map<string, string[]>();

  constructor(text: string) {
    for (const pair of text.split("&")) {
      if (pair === "" || pair.includes(";")) continue;
      const cut = pair.indexOf("=");
      const key = unescapeQuery(cut < 0 ? pair : pair.slice(0, cut));
      const value = unescapeQuery(cut < 0 ? "" : pair.slice(cut + 1));
      if (key === undefined || value === undefined) continue;
      const known = this.#values.get(key);
      if (known) known.push(value);
      else this.#values.set(key, [value]);
    }
  }

  keys(): Iterable<string> {
    return this.#values.keys();
  }

  has(key: string): boolean {
    return this.#values.has(key);
  }

  /** Whether the key stands there without a value. */
  isEmpty(key: string): boolean {
    return this.#values.get(key)?.[0] === "";
  }

  /** The first value; "" when there is none. */
  get(key: string): string {
    return this.#values.get(key)?.[0] ?? "";
  }

  all(key: string): readonly string[] {
    return this.#values.get(key) ?? [];
  }

  /** A boolean as the API converts it: absent is false, "false" and "0" are false, any other text is true. */
  flag(key: string): boolean {
    return this.optionalFlag(key) ?? false;
  }

  optionalFlag(key: string): boolean | undefined {
    if (!this.has(key)) return undefined;
    return !["false", "0"].includes(this.get(key).toLowerCase());
  }
}

function unescapeQuery(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}
