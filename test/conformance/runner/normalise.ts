// Replaces what two conforming servers answer differently (uids, revisions, times, random names) by symbols, so that the
// rest can be compared. Equal values get equal symbols within one case, numbered by first occurrence. The order in which a
// server writes the members of an object is therefore compared as well.

const COMPARED_HEADERS = ["content-type", "warning", "retry-after", "location", "www-authenticate", "allow"];
const NOW_TOLERANCE_MS = 3_600_000;
const GENERATED_SUFFIX_LENGTH = 5;

const UID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
const AGE = /^(?:<invalid>|<unknown>|\d+(?:ms|[smhd])(?:\d+[smh])?)$/;
const REVISION = /^\d+$/;
const REVISION_OUT_OF_REACH = /too (old|large) resource version: \d+(?:, current: \d+| \(\d+\))?/gi;
const GENERATED_NAME = /[bcdfghjklmnpqrstvwxz2456789]{5}$/;

type JsonMembers = Record<string, unknown>;

/** Assigns the next symbol to every new value: `<label:1>`, `<label:2>`, … */
class SymbolTable {
  readonly #label: string;
  readonly #symbols = new Map<string, string>();

  constructor(label: string) {
    this.#label = label;
  }

  symbolOf(value: string): string {
    let symbol = this.#symbols.get(value);
    if (symbol === undefined) {
      symbol = `<${this.#label}:${this.#symbols.size + 1}>`;
      this.#symbols.set(value, symbol);
    }
    return symbol;
  }

  entries(): Iterable<[string, string]> {
    return this.#symbols;
  }
}

/** Holds the symbols of one case. */
export class Normaliser {
  readonly #caseId: string;
  readonly #uids = new SymbolTable("uid");
  readonly #revisions = new SymbolTable("rv");
  readonly #generated = new SymbolTable("generated");

  constructor(caseId: string) {
    this.#caseId = caseId;
  }

  /** From now on the generated suffix of this name is replaced by a symbol; other names are unchanged. */
  rememberGeneratedName(name: string): void {
    if (GENERATED_NAME.test(name)) this.#generated.symbolOf(name.slice(-GENERATED_SUFFIX_LENGTH));
  }

  text(text: string): string {
    let out = text;
    for (const [suffix, symbol] of this.#generated.entries()) out = out.replaceAll(suffix, symbol);
    out = out.replaceAll(this.#caseId, "<id>").replace(UID, (uid) => this.#uids.symbolOf(uid));
    if (TIME.test(out) && Math.abs(Date.now() - Date.parse(out)) < NOW_TOLERANCE_MS) {
      return out.includes(".") ? "<now-micro>" : "<now>";
    }
    return out.replace(REVISION_OUT_OF_REACH, "too $1 resource version: <rv>");
  }

  headers(
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): Record<string, string | string[]> {
    const out: Record<string, string | string[]> = {};
    for (const name of COMPARED_HEADERS) {
      const value = headers[name];
      if (value === undefined) continue;
      out[name] = Array.isArray(value) ? value.map((line) => this.text(line)) : this.text(value);
    }
    return out;
  }

  /** A decoded answer or watch event. */
  value(value: unknown): unknown {
    if (typeof value === "string") return this.text(value);
    if (Array.isArray(value)) return value.map((item) => this.value(item));
    if (!isMembers(value)) return value;
    const isList = typeof value["kind"] === "string" && /(?:List|^Table)$/.test(value["kind"]);
    const isBookmark = value["type"] === "BOOKMARK";
    const out: JsonMembers = {};
    for (const [name, item] of Object.entries(value)) {
      if (name === "metadata" && isList && isMembers(item)) out[name] = this.#listMeta(item);
      else if (name === "object" && isBookmark && isMembers(item)) out[name] = this.#bookmark(item);
      else if (name === "columnDefinitions" && Array.isArray(item)) out[name] = this.#columns(item);
      else if (name === "cells" && Array.isArray(item)) out[name] = item.map((cell) => this.#cell(cell));
      else out[this.text(name)] = this.#member(name, item, (revision) => this.#revisions.symbolOf(revision));
    }
    return out;
  }

  #member(name: string, item: unknown, symbolOf: (revision: string) => string): unknown {
    if (name === "resourceVersion" && typeof item === "string" && item !== "") {
      return REVISION.test(item) ? symbolOf(item) : item;
    }
    if (name === "continue" && typeof item === "string" && item !== "") return "<continue>";
    return this.value(item);
  }

  /** Every write changes the revision of a list, so only its presence is compared. */
  #listMeta(metadata: JsonMembers): JsonMembers {
    return Object.fromEntries(
      Object.entries(metadata).map(([name, item]) => [name, this.#member(name, item, () => "<rv:list>")]),
    );
  }

  #bookmark(object: JsonMembers): unknown {
    const metadata = isMembers(object["metadata"]) ? object["metadata"] : {};
    const revision = metadata["resourceVersion"] ? "<rv:bookmark>" : "";
    return this.value({ ...object, metadata: { ...metadata, resourceVersion: revision } });
  }

  /** Column descriptions differ between servers. */
  #columns(columns: readonly unknown[]): unknown[] {
    return columns.map((column) => {
      if (!isMembers(column)) return this.value(column);
      const { description: _ownWords, ...facts } = column;
      return this.value(facts);
    });
  }

  #cell(cell: unknown): unknown {
    return typeof cell === "string" && AGE.test(cell) ? "<age>" : this.value(cell);
  }
}

function isMembers(value: unknown): value is JsonMembers {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
