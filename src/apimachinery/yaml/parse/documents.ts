// Parses the start and the end of documents, and their directives.
import type { Token, TokenType } from "../scan/token.ts";
import { parseNode } from "./nodes.ts";
import { emptyScalar, errorAt, eventOf, type Parser, type State, type YamlEvent } from "./parser.ts";

const SUPPORTED_VERSION = "1.1";
const DEFAULT_HANDLES: readonly (readonly [handle: string, prefix: string])[] = [
  ["!", "!"],
  ["!!", "tag:yaml.org,2002:"],
];

/** The first document needs no marker. */
export function parseDocumentStart(parser: Parser): YamlEvent {
  const token = parser.peek();
  if (isDirective(token) || token.type === "document-start" || token.type === "stream-end")
    return parseExplicitStart(parser);
  readDirectives(parser);
  return parser.enter(parseDocument, eventOf("document-start", token.line));
}

const parseDocument: State = (parser) => parseNode(parser, "block", parseDocumentEnd);

function parseExplicitStart(parser: Parser): YamlEvent {
  let token = parser.peek();
  while (token.type === "document-end") token = parser.advance();
  const { line } = token;
  if (token.type === "stream-end") return eventOf("stream-end", line);
  readDirectives(parser);
  token = parser.peek();
  if (token.type !== "document-start") throw errorAt(token, "did not find expected <document start>");
  parser.skip();
  return parser.enter(parseMarkedDocument, eventOf("document-start", line));
}

const NO_CONTENT: ReadonlySet<TokenType> = new Set<TokenType>([
  "version-directive",
  "tag-directive",
  "document-start",
  "document-end",
  "stream-end",
]);

function parseMarkedDocument(parser: Parser): YamlEvent {
  const { type, line } = parser.peek();
  return NO_CONTENT.has(type) ? parser.enter(parseDocumentEnd, emptyScalar(line)) : parseDocument(parser);
}

/** Accepts any token behind the end; parseExplicitStart rejects one that starts no document. */
function parseDocumentEnd(parser: Parser): YamlEvent {
  const token = parser.peek();
  if (token.type === "document-end") parser.skip();
  parser.handles.clear();
  return parser.enter(parseExplicitStart, eventOf("document-end", token.line));
}

const isDirective = ({ type }: Token): boolean => type === "version-directive" || type === "tag-directive";

function readDirectives(parser: Parser): void {
  const { handles } = parser;
  let hasVersion = false;
  for (let token = parser.peek(); isDirective(token); token = parser.advance()) {
    if (token.type === "tag-directive") {
      if (handles.has(token.value)) throw errorAt(token, "found duplicate %TAG directive");
      handles.set(token.value, token.suffix);
      continue;
    }
    if (hasVersion) throw errorAt(token, "found duplicate %YAML directive");
    if (token.value !== SUPPORTED_VERSION) throw errorAt(token, "found incompatible YAML document");
    hasVersion = true;
  }
  for (const [handle, prefix] of DEFAULT_HANDLES) if (!handles.has(handle)) handles.set(handle, prefix);
}
