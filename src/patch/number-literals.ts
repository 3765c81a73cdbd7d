// A JSON patch's test compares numbers as they are written: 1.0 is not 1. Decoding loses the spelling, so the text of
// the patch is read once more with every number replaced by a NumberLiteral.
import { isObject } from "../meta/json.ts";

class NumberLiteral {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** Stands for a number while the text is parsed; JSON text cannot hold the bare character. */
const MARK = "\u0000";

/** Parses valid JSON, keeping the spelling of its numbers. */
export function parseKeepingNumbers(text: string): unknown {
  const marked = text.replace(STRING_OR_NUMBER, (token) =>
    token.startsWith('"') ? token : `{"\\u0000":"${token}"}`,
  );
  return JSON.parse(marked, (_key, value: unknown) => {
    const written = isObject(value) ? value[MARK] : undefined;
    return typeof written === "string" ? new NumberLiteral(written) : value;
  });
}

/** True when no number in the value is spelt otherwise in the literal. Both are known to be equal as JSON. */
export function sameLiteral(value: unknown, literal: unknown): boolean {
  if (literal instanceof NumberLiteral) return String(value) === literal.text;
  if (Array.isArray(value) && Array.isArray(literal)) {
    return value.every((item, index) => sameLiteral(item, literal[index]));
  }
  if (isObject(value) && isObject(literal)) {
    return Object.keys(value).every((key) => sameLiteral(value[key], literal[key]));
  }
  return true;
}
