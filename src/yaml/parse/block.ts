// Lists and mappings that are told by their indentation.
import type { TokenType } from "../scan/token.ts";
import { emptyScalar, YamlEvent } from "./event.ts";
import type { Parser, State } from "./parser.ts";

export function parseBlockSequence(parser: Parser): YamlEvent {
  parser.skip();
  return parseBlockEntry(parser);
}

function parseBlockEntry(parser: Parser): YamlEvent {
  const { type, line } = parser.peek();
  if (type === "block-entry") return parseItem(parser, parseBlockEntry);
  if (type !== "block-end") throw parser.error(parser.peek(), "did not find expected '-' indicator");
  parser.skip();
  return parser.leave(new YamlEvent("sequence-end", line));
}

/** A list whose items stand as far left as the key that it belongs to. */
export function parseIndentlessSequence(parser: Parser): YamlEvent {
  const { type, line } = parser.peek();
  if (type === "block-entry") return parseItem(parser, parseIndentlessSequence);
  return parser.leave(new YamlEvent("sequence-end", line));
}

function parseItem(parser: Parser, next: State): YamlEvent {
  const { line } = parser.peek();
  const { type } = parser.advance();
  const isEmpty =
    type === "block-entry" ||
    type === "block-end" ||
    (next === parseIndentlessSequence && (type === "key" || type === "value"));
  return isEmpty ? parser.enter(next, emptyScalar(line)) : parser.node("block", next);
}

export function parseBlockMapping(parser: Parser): YamlEvent {
  parser.skip();
  return parseBlockKey(parser);
}

function parseBlockKey(parser: Parser): YamlEvent {
  const { type, line } = parser.peek();
  if (type === "key") return parseMember(parser, parseBlockValue);
  if (type !== "block-end") throw parser.error(parser.peek(), "did not find expected key");
  parser.skip();
  return parser.leave(new YamlEvent("mapping-end", line));
}

function parseBlockValue(parser: Parser): YamlEvent {
  const { type, line } = parser.peek();
  if (type === "value") return parseMember(parser, parseBlockKey);
  return parser.enter(parseBlockKey, emptyScalar(line));
}

const AFTER_EMPTY: ReadonlySet<TokenType> = new Set<TokenType>(["key", "value", "block-end"]);

/** What stands behind "?" or ":". */
function parseMember(parser: Parser, next: State): YamlEvent {
  const { line } = parser.peek();
  const { type } = parser.advance();
  return AFTER_EMPTY.has(type) ? parser.enter(next, emptyScalar(line)) : parser.node("behind-key", next);
}
