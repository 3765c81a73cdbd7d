// Lists and mappings in brackets.
import { emptyScalar, YamlEvent } from "./event.ts";
import type { Parser } from "./parser.ts";

export function parseFlowSequence(parser: Parser): YamlEvent {
  const { type } = parser.advance();
  return type === "flow-sequence-end" ? endSequence(parser) : parseItem(parser);
}

function parseNextItem(parser: Parser): YamlEvent {
  const token = parser.peek();
  if (token.type === "flow-sequence-end") return endSequence(parser);
  if (token.type !== "flow-entry") throw parser.error(token, "did not find expected ',' or ']'");
  const { type } = parser.advance();
  return type === "flow-sequence-end" ? endSequence(parser) : parseItem(parser);
}

/** "a: b" in a list is a mapping of one key. */
function parseItem(parser: Parser): YamlEvent {
  const { type, line } = parser.peek();
  if (type !== "key") return parser.node("flow", parseNextItem);
  parser.skip();
  return parser.enter(parsePairKey, new YamlEvent("mapping-start", line));
}

function endSequence(parser: Parser): YamlEvent {
  const { line } = parser.peek();
  parser.skip();
  return parser.leave(new YamlEvent("sequence-end", line));
}

function parsePairKey(parser: Parser): YamlEvent {
  const { type, line } = parser.peek();
  if (type !== "value" && type !== "flow-entry" && type !== "flow-sequence-end")
    return parser.node("flow", parsePairValue);
  // The token is lost, and what is wrong then shows behind it: go-yaml reads it so.
  parser.skip();
  return parser.enter(parsePairValue, emptyScalar(line));
}

function parsePairValue(parser: Parser): YamlEvent {
  let token = parser.peek();
  if (token.type === "value") {
    token = parser.advance();
    if (token.type !== "flow-entry" && token.type !== "flow-sequence-end")
      return parser.node("flow", parsePairEnd);
  }
  return parser.enter(parsePairEnd, emptyScalar(token.line));
}

function parsePairEnd(parser: Parser): YamlEvent {
  return parser.enter(parseNextItem, new YamlEvent("mapping-end", parser.peek().line));
}

export function parseFlowMapping(parser: Parser): YamlEvent {
  const { type } = parser.advance();
  return type === "flow-mapping-end" ? endMapping(parser) : parseKey(parser);
}

function parseNextKey(parser: Parser): YamlEvent {
  const token = parser.peek();
  if (token.type === "flow-mapping-end") return endMapping(parser);
  if (token.type !== "flow-entry") throw parser.error(token, "did not find expected ',' or '}'");
  const { type } = parser.advance();
  return type === "flow-mapping-end" ? endMapping(parser) : parseKey(parser);
}

/** What has no ":" behind it is a key, too. */
function parseKey(parser: Parser): YamlEvent {
  if (parser.peek().type !== "key") return parser.node("flow", parseNoValue);
  const { type, line } = parser.advance();
  return type === "value" || type === "flow-entry" || type === "flow-mapping-end"
    ? parser.enter(parseValue, emptyScalar(line))
    : parser.node("flow", parseValue);
}

function parseNoValue(parser: Parser): YamlEvent {
  return parser.enter(parseNextKey, emptyScalar(parser.peek().line));
}

function parseValue(parser: Parser): YamlEvent {
  let token = parser.peek();
  if (token.type === "value") {
    token = parser.advance();
    if (token.type !== "flow-entry" && token.type !== "flow-mapping-end")
      return parser.node("flow", parseNextKey);
  }
  return parser.enter(parseNextKey, emptyScalar(token.line));
}

function endMapping(parser: Parser): YamlEvent {
  const { line } = parser.peek();
  parser.skip();
  return parser.leave(new YamlEvent("mapping-end", line));
}
