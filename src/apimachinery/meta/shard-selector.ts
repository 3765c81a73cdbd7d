// The shardSelector of a list or watch (KEP-5866, alpha in v1.36): ranges of the hash of a field. An object belongs to
// the shard if its hash is in one of them. The text is a subset of CEL; errors are those of a kube-apiserver.
import { badRequest } from "./status.ts";

export interface ShardSelector {
  /** The text that a list repeats in its metadata. */
  readonly text: string;
  /** `valueAt` returns the value of "metadata.uid" or "metadata.namespace". */
  matches(valueAt: (field: string) => string): boolean;
}

interface Range {
  readonly field: string;
  readonly start: string;
  readonly end: string;
}

const FIELDS = ["object.metadata.uid", "object.metadata.namespace"];
/** Longer texts name more ranges than a controller has replicas. */
const TEXT_MAX = 16 * 1024;
const ROOT = "object.";

/** Throws a 400 StatusError. */
export function parseShardSelector(given: string): ShardSelector {
  const text = given.trim();
  if (text === "")
    throw invalid("empty shard selector is not allowed; omit the parameter for unfiltered lists");
  if (text.length > TEXT_MAX) throw invalid(`it is longer than ${TEXT_MAX} characters`);
  const ranges = new Reader(tokensOf(text)).ranges();
  const [first] = ranges;
  const field = first?.field ?? "";
  const other = ranges.find((range) => range.field !== field);
  if (other !== undefined)
    throw invalid(
      `all shard ranges must use the same field, got ${JSON.stringify(field)} and ${JSON.stringify(other.field)}`,
    );
  const bounds = ranges.map(({ start, end }) => ({ start: BigInt(start), end: BigInt(end) }));
  return {
    text: ranges.map((range) => `shardRange(${range.field}, '${range.start}', '${range.end}')`).join(" || "),
    matches(valueAt) {
      const hash = hashOf(valueAt(field.slice(ROOT.length)));
      return bounds.some(({ start, end }) => start <= hash && hash < end);
    },
  };
}

const invalid = (why: string): Error => badRequest(`invalid shard selector: ${why}`);

const FNV_OFFSET = 0xcbf29ce484222325n;
const FNV_PRIME = 0x100000001b3n;
const BITS = 64;

/** 64-bit FNV-1a. */
function hashOf(value: string): bigint {
  let hash = FNV_OFFSET;
  for (const byte of new TextEncoder().encode(value))
    hash = BigInt.asUintN(BITS, (hash ^ BigInt(byte)) * FNV_PRIME);
  return hash;
}

type Token =
  | { readonly type: "name" | "number" | "text"; readonly value: string }
  | { readonly type: "sign"; readonly value: string };

const TOKEN = /\s*(?:([A-Za-z_]\w*)|(\d\w*)|'([^'\\\n]*)'|"([^"\\\n]*)"|(\|\||[.,()]))/y;

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
    const found = TOKEN.exec(text);
    if (found === null)
      throw invalid(
        `CEL parse error: nothing is known that begins with ${text.slice(at).trimStart().charAt(0)}`,
      );
    const [, name, number, single, double, sign] = found;
    const literal = single ?? double;
    if (name !== undefined) tokens.push({ type: "name", value: name });
    else if (number !== undefined) tokens.push({ type: "number", value: number });
    else if (literal !== undefined) tokens.push({ type: "text", value: literal });
    else tokens.push({ type: "sign", value: sign ?? "" });
  }
  return tokens;
}

/** Expression kinds by cel-go's numbers. */
const KIND = { call: 1, name: 3, literal: 5, select: 7 } as const;

type Expression =
  | { readonly kind: "call"; readonly name: string; readonly args: readonly Expression[] }
  | { readonly kind: "name" | "select"; readonly path: string }
  | { readonly kind: "literal"; readonly type: "text" | "number"; readonly value: string };

class Reader {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  ranges(): Range[] {
    const ranges: Range[] = [];
    do ranges.push(rangeOf(this.#expression()));
    while (this.#takes("||"));
    if (this.#at < this.#tokens.length) throw this.#unexpected();
    return ranges;
  }

  #expression(): Expression {
    const token = this.#tokens[this.#at++];
    if (token?.type === "text" || token?.type === "number")
      return { kind: "literal", type: token.type, value: token.value };
    if (token?.type !== "name") {
      this.#at--;
      throw this.#unexpected();
    }
    if (this.#takes("(")) return { kind: "call", name: token.value, args: this.#arguments() };
    let path = token.value;
    while (this.#takes(".")) {
      const next = this.#tokens[this.#at++];
      if (next?.type !== "name") throw this.#unexpected();
      path += `.${next.value}`;
    }
    return { kind: path === token.value ? "name" : "select", path };
  }

  /** Called behind the opening bracket. */
  #arguments(): Expression[] {
    if (this.#takes(")")) return [];
    const args = [this.#expression()];
    while (this.#takes(",")) args.push(this.#expression());
    if (!this.#takes(")")) throw this.#unexpected();
    return args;
  }

  #takes(sign: string): boolean {
    const token = this.#tokens[this.#at];
    if (token?.type !== "sign" || token.value !== sign) return false;
    this.#at++;
    return true;
  }

  #unexpected(): Error {
    const token = this.#tokens[this.#at];
    return invalid(`CEL parse error: unexpected ${token === undefined ? "end" : token.value}`);
  }
}

function rangeOf(expression: Expression): Range {
  if (expression.kind !== "call")
    throw invalid(
      `unexpected expression kind ${KIND[expression.kind]}; expected shardRange() call or || operator`,
    );
  const { name, args } = expression;
  if (name !== "shardRange")
    throw invalid(`unsupported function ${JSON.stringify(name)}; only shardRange() and || are allowed`);
  const [field, start, end] = args;
  if (args.length !== 3 || field === undefined || start === undefined || end === undefined)
    throw invalid(`shardRange() requires exactly 3 arguments, got ${args.length}`);
  const range = { field: fieldOf(field), start: hexOf(start, "hexStart"), end: hexOf(end, "hexEnd") };
  if (BigInt(range.start) >= BigInt(range.end))
    throw invalid(`shard range start ${range.start} must be less than end ${range.end}`);
  return range;
}

function fieldOf(expression: Expression): string {
  if (expression.kind !== "name" && expression.kind !== "select")
    throw invalid(
      `shardRange() first argument: expected field path (e.g. object.metadata.uid), got expression kind ${KIND[expression.kind]}`,
    );
  const { path } = expression;
  if (!FIELDS.includes(path))
    throw invalid(`unsupported field path ${JSON.stringify(path)}; supported: ${FIELDS.join(", ")}`);
  return path;
}

const DIGITS = 16;
/** 2^64, one more than the last hash. */
const BEYOND = "0x10000000000000000";

function hexOf(expression: Expression, name: string): string {
  if (expression.kind !== "literal")
    throw invalid(
      `${name} must be a string literal (e.g. '0xff'), got expression kind ${KIND[expression.kind]}`,
    );
  const { type, value } = expression;
  if (type === "number") throw invalid(`${name} must be a string literal, got int64`);
  const shown = JSON.stringify(value);
  if (!value.startsWith("0x")) throw invalid(`${name} must have '0x' prefix, got ${shown}`);
  const hex = value.slice(2);
  if (hex === "") throw invalid(`${name}: hex value is required after '0x'`);
  if (hex.length > DIGITS + 1)
    throw invalid(
      `${name}: hex value too long (${hex.length} chars, max ${DIGITS + 1}): ${JSON.stringify(hex)}`,
    );
  const wrong = /[^0-9a-f]/.exec(hex)?.[0];
  if (wrong !== undefined)
    throw invalid(`${name}: invalid hex character ${JSON.stringify(wrong)} in ${shown}`);
  if (hex.length === DIGITS + 1) {
    if (value === BEYOND) return value;
    throw invalid(`${name}: 17-digit hex value must be '${BEYOND}' (2^64), got ${shown}`);
  }
  if (hex.length === DIGITS) return value;
  const padded = JSON.stringify(`0x${hex.padStart(DIGITS, "0")}`);
  throw invalid(`${name} must be a 0x-prefixed 16-digit hex value, got ${shown} (did you mean ${padded}?)`);
}
