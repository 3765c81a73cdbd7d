// Documents: where one begins and ends, and its directives.
import type { Token } from "../scan/token.ts";
import { emptyScalar, YamlEvent } from "./event.ts";
import type { Parser } from "./parser.ts";

const SUPPORTED_VERSION = "1.1";
const DEFAULT_HANDLES: readonly (readonly [handle: string, prefix: string])[] = [
  ["!", "!"],
  ["!!", "tag:yaml.org,2002:"],
];

/** The first document needs no mark. */
export function parseDocumentStart(parser: Parser): YamlEvent {
  const token = parser.peek();
  if (isDirective(token) || token.type === "document-start" || token.type === "stream-end")
    return parseExplicitStart(parser);
  readDirectives(parser);
  return parser.enter(parseContentWithoutMark, new YamlEvent("document-start", token.line));
}

function parseExplicitStart(parser: Parser): YamlEvent {
  let token = parser.peek();
  while (token.type === "document-end") token = parser.advance();
  const { line } = token;
  if (token.type === "stream-end") return new YamlEvent("stream-end", line);
  readDirectives(parser);
  token = parser.peek();
  if (token.type !== "document-start") throw parser.error(token, "did not find expected <document start>");
  parser.skip();
  return parser.enter(parseContent, new YamlEvent("document-start", line));
}

const parseContentWithoutMark = (parser: Parser): YamlEvent => parser.node("block", parseDocumentEnd);

function parseContent(parser: Parser): YamlEvent {
  const token = parser.peek();
  const isOver =
    isDirective(token) ||
    token.type === "document-start" ||
    token.type === "document-end" ||
    token.type === "stream-end";
  if (!isOver) return parser.node("block", parseDocumentEnd);
  return parser.enter(parseDocumentEnd, emptyScalar(token.line));
}

/** Whatever follows: what is no next document is noticed by who asks for it. */
function parseDocumentEnd(parser: Parser): YamlEvent {
  const token = parser.peek();
  if (token.type === "document-end") parser.skip();
  parser.handles.clear();
  return parser.enter(parseExplicitStart, new YamlEvent("document-end", token.line));
}

const isDirective = ({ type }: Token): boolean => type === "version-directive" || type === "tag-directive";

function readDirectives(parser: Parser): void {
  const { handles } = parser;
  let hasVersion = false;
  for (let token = parser.peek(); isDirective(token); token = parser.advance()) {
    if (token.type === "tag-directive") {
      if (handles.has(token.value)) throw parser.error(token, "found duplicate %TAG directive");
      handles.set(token.value, token.suffix);
      continue;
    }
    if (hasVersion) throw parser.error(token, "found duplicate %YAML directive");
    if (token.value !== SUPPORTED_VERSION) throw parser.error(token, "found incompatible YAML document");
    hasVersion = true;
  }
  for (const [handle, prefix] of DEFAULT_HANDLES) if (!handles.has(handle)) handles.set(handle, prefix);
}
