// Parses nodes: an alias, a scalar, or the beginning of a list or a mapping, with its anchor and its tag.
import type { Token, TokenType } from "../scan/token.ts";
import {
  type EventType,
  emptyScalar,
  errorAt,
  eventOf,
  type Parser,
  type State,
  type YamlEvent,
} from "./parser.ts";

/** The context of a node: in brackets, in a block, or behind a key, where the items of a list need no indentation. */
type NodePlace = "flow" | "block" | "behind-key";

interface Properties {
  readonly line: number;
  readonly anchor: string;
  readonly tag: string;
}

/** Returns the first event of the next node; `after` is the state behind the node. */
export function parseNode(parser: Parser, place: NodePlace, after: State): YamlEvent {
  parser.wait(after);
  const token = parser.peek();
  switch (token.type) {
    case "alias":
      parser.skip();
      return parser.leave(eventOf("alias", token.line, token.value));
    case "anchor":
    case "tag":
      return parseContent(parser, place, takeProperties(parser, token));
    default:
      return parseContent(parser, place, { line: token.line, anchor: "", tag: "" });
  }
}

/** An anchor and a tag, in any order, once each. */
function takeProperties(parser: Parser, first: Token): Properties {
  const { line } = first;
  let anchor = first.type === "anchor" ? first : undefined;
  let tag = first.type === "tag" ? first : undefined;
  const second = parser.advance();
  if (second.type === "tag" && tag === undefined) tag = second;
  else if (second.type === "anchor" && anchor === undefined) anchor = second;
  if (second === tag || second === anchor) parser.advance();
  return { line, anchor: anchor?.value ?? "", tag: tag === undefined ? "" : fullTag(parser, tag) };
}

function fullTag(parser: Parser, token: Token): string {
  const { value: handle, suffix } = token;
  if (handle === "") return suffix;
  const prefix = parser.handles.get(handle);
  if (prefix === undefined) throw errorAt(token, "found undefined tag handle");
  return prefix + suffix;
}

type Beginning = readonly [event: EventType, state: State, places: readonly NodePlace[]];

/** The start of a node by its first token, and the contexts in which it is allowed. */
const BEGINNINGS: ReadonlyMap<TokenType, Beginning> = new Map<TokenType, Beginning>([
  ["flow-sequence-start", ["sequence-start", parseFlowSequence, ["flow", "block", "behind-key"]]],
  ["flow-mapping-start", ["mapping-start", parseFlowMapping, ["flow", "block", "behind-key"]]],
  ["block-sequence-start", ["sequence-start", skipTo(parseBlockEntry), ["block", "behind-key"]]],
  ["block-mapping-start", ["mapping-start", skipTo(parseBlockKey), ["block", "behind-key"]]],
  ["block-entry", ["sequence-start", parseIndentlessEntry, ["behind-key"]]],
]);

function skipTo(state: State): State {
  return (parser) => {
    parser.skip();
    return state(parser);
  };
}

function parseContent(parser: Parser, place: NodePlace, { line, anchor, tag }: Properties): YamlEvent {
  const token = parser.peek();
  if (token.type === "scalar") {
    parser.skip();
    const isImplicit = (tag === "" && token.isPlain) || tag === "!";
    return parser.leave(eventOf("scalar", line, token.value, tag, anchor, isImplicit));
  }
  const [event, state, places] = BEGINNINGS.get(token.type) ?? [];
  if (event !== undefined && state !== undefined && places?.includes(place))
    return parser.enter(state, eventOf(event, line, "", tag, anchor));
  if (anchor !== "" || tag !== "") return parser.leave(eventOf("scalar", line, "", tag, anchor, tag === ""));
  throw errorAt(token, "did not find expected node content");
}

// Lists and mappings in block style, delimited by indentation.

function parseBlockEntry(parser: Parser): YamlEvent {
  if (parser.peek().type === "block-entry") return parseBehind(parser, "block", parseBlockEntry, AFTER_DASH);
  return endBlock(parser, "sequence-end", "'-' indicator");
}

/** For a list whose items have the same indentation as its key. */
function parseIndentlessEntry(parser: Parser): YamlEvent {
  const { type, line } = parser.peek();
  if (type === "block-entry") return parseBehind(parser, "block", parseIndentlessEntry, AFTER_ANY);
  return parser.leave(eventOf("sequence-end", line));
}

function parseBlockKey(parser: Parser): YamlEvent {
  if (parser.peek().type === "key") return parseBehind(parser, "behind-key", parseBlockValue, AFTER_KEY);
  return endBlock(parser, "mapping-end", "key");
}

function parseBlockValue(parser: Parser): YamlEvent {
  const { type, line } = parser.peek();
  if (type === "value") return parseBehind(parser, "behind-key", parseBlockKey, AFTER_KEY);
  return parser.enter(parseBlockKey, emptyScalar(line));
}

const AFTER_DASH: ReadonlySet<TokenType> = new Set<TokenType>(["block-entry", "block-end"]);
const AFTER_KEY: ReadonlySet<TokenType> = new Set<TokenType>(["key", "value", "block-end"]);
const AFTER_ANY: ReadonlySet<TokenType> = new Set([...AFTER_DASH, ...AFTER_KEY]);

/** The node behind "-", "?" or ":"; an empty scalar if one of these tokens follows. */
function parseBehind(
  parser: Parser,
  place: NodePlace,
  next: State,
  nothing: ReadonlySet<TokenType>,
): YamlEvent {
  const { line } = parser.peek();
  const { type } = parser.advance();
  return nothing.has(type) ? parser.enter(next, emptyScalar(line)) : parseNode(parser, place, next);
}

function endBlock(parser: Parser, end: EventType, expected: string): YamlEvent {
  const token = parser.peek();
  if (token.type !== "block-end") throw errorAt(token, `did not find expected ${expected}`);
  parser.skip();
  return parser.leave(eventOf(end, token.line));
}

// Lists and mappings in brackets.

interface Brackets {
  readonly close: TokenType;
  readonly end: EventType;
  readonly expected: string;
  readonly entry: State;
}

const SEQUENCE: Brackets = {
  close: "flow-sequence-end",
  end: "sequence-end",
  expected: "',' or ']'",
  entry: parseFlowItem,
};
const MAPPING: Brackets = {
  close: "flow-mapping-end",
  end: "mapping-end",
  expected: "',' or '}'",
  entry: parseFlowKey,
};

function parseFlowSequence(parser: Parser): YamlEvent {
  return flowEntry(parser, SEQUENCE);
}

function parseFlowMapping(parser: Parser): YamlEvent {
  return flowEntry(parser, MAPPING);
}

/** The entry behind the bracket or the comma. */
function flowEntry(parser: Parser, brackets: Brackets): YamlEvent {
  return parser.advance().type === brackets.close ? endFlow(parser, brackets) : brackets.entry(parser);
}

function nextFlowEntry(parser: Parser, brackets: Brackets): YamlEvent {
  const token = parser.peek();
  if (token.type === brackets.close) return endFlow(parser, brackets);
  if (token.type !== "flow-entry") throw errorAt(token, `did not find expected ${brackets.expected}`);
  return flowEntry(parser, brackets);
}

function endFlow(parser: Parser, { end }: Brackets): YamlEvent {
  const { line } = parser.peek();
  parser.skip();
  return parser.leave(eventOf(end, line));
}

const parseNextItem: State = (parser) => nextFlowEntry(parser, SEQUENCE);
const parseNextKey: State = (parser) => nextFlowEntry(parser, MAPPING);
const parseNoValue: State = (parser) => parser.enter(parseNextKey, emptyScalar(parser.peek().line));
const parseValue: State = (parser) => flowValue(parser, MAPPING, parseNextKey);
const parsePairValue: State = (parser) => flowValue(parser, SEQUENCE, parsePairEnd);
const parsePairEnd: State = (parser) =>
  parser.enter(parseNextItem, eventOf("mapping-end", parser.peek().line));

/** "a: b" in a list is a mapping of one key. */
function parseFlowItem(parser: Parser): YamlEvent {
  const { type, line } = parser.peek();
  if (type !== "key") return parseNode(parser, "flow", parseNextItem);
  parser.skip();
  return parser.enter(parsePairKey, eventOf("mapping-start", line));
}

function parsePairKey(parser: Parser): YamlEvent {
  const { type, line } = parser.peek();
  if (type !== "value" && type !== "flow-entry" && type !== "flow-sequence-end")
    return parseNode(parser, "flow", parsePairValue);
  // Skips the token as go-yaml does; an error then shows at the tokens behind it.
  parser.skip();
  return parser.enter(parsePairValue, emptyScalar(line));
}

/** A text without ":" is a key, too. */
function parseFlowKey(parser: Parser): YamlEvent {
  if (parser.peek().type !== "key") return parseNode(parser, "flow", parseNoValue);
  const { type, line } = parser.advance();
  return type === "value" || type === "flow-entry" || type === "flow-mapping-end"
    ? parser.enter(parseValue, emptyScalar(line))
    : parseNode(parser, "flow", parseValue);
}

function flowValue(parser: Parser, { close }: Brackets, next: State): YamlEvent {
  let token = parser.peek();
  if (token.type === "value") {
    token = parser.advance();
    if (token.type !== "flow-entry" && token.type !== close) return parseNode(parser, "flow", next);
  }
  return parser.enter(next, emptyScalar(token.line));
}
