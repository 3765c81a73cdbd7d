// One node: an alias, a scalar, or the beginning of a list or a mapping, with its anchor and its tag.
import type { Token } from "../scan/token.ts";
import { parseBlockMapping, parseBlockSequence, parseIndentlessSequence } from "./block.ts";
import { YamlEvent } from "./event.ts";
import { parseFlowMapping, parseFlowSequence } from "./flow.ts";
import type { Parser } from "./parser.ts";

/** Where a node stands: in brackets, in a block, or behind a key, where the items of a list need no indentation. */
export type NodePlace = "flow" | "block" | "behind-key";

export function parseNode(parser: Parser, place: NodePlace): YamlEvent {
  const token = parser.peek();
  switch (token.type) {
    case "alias":
      parser.skip();
      return parser.leave(new YamlEvent("alias", token.line, token.value));
    case "anchor":
    case "tag":
      return parseContentOf(parser, place, takeProperties(parser, token));
    default:
      return parseContentOf(parser, place, { line: token.line, anchor: "", tag: "" });
  }
}

interface Properties {
  readonly line: number;
  readonly anchor: string;
  readonly tag: string;
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
  if (prefix === undefined) throw parser.error(token, "found undefined tag handle");
  return prefix + suffix;
}

function parseContentOf(parser: Parser, place: NodePlace, { line, anchor, tag }: Properties): YamlEvent {
  const token = parser.peek();
  switch (token.type) {
    case "scalar": {
      parser.skip();
      const isImplicit = (tag === "" && token.isPlain) || tag === "!";
      return parser.leave(new YamlEvent("scalar", line, token.value, tag, anchor, isImplicit));
    }
    case "flow-sequence-start":
      return parser.enter(parseFlowSequence, new YamlEvent("sequence-start", line, "", tag, anchor));
    case "flow-mapping-start":
      return parser.enter(parseFlowMapping, new YamlEvent("mapping-start", line, "", tag, anchor));
    case "block-entry":
      if (place !== "behind-key") break;
      return parser.enter(parseIndentlessSequence, new YamlEvent("sequence-start", line, "", tag, anchor));
    case "block-sequence-start":
      if (place === "flow") break;
      return parser.enter(parseBlockSequence, new YamlEvent("sequence-start", line, "", tag, anchor));
    case "block-mapping-start":
      if (place === "flow") break;
      return parser.enter(parseBlockMapping, new YamlEvent("mapping-start", line, "", tag, anchor));
  }
  if (anchor !== "" || tag !== "")
    return parser.leave(new YamlEvent("scalar", line, "", tag, anchor, tag === ""));
  throw parser.error(token, "did not find expected node content");
}
