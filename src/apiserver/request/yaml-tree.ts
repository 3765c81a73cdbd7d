// The first document of a YAML text as a tree of nodes, with nothing said yet of what its scalars mean. The library's
// composer calls itself once for each level, so a text that nests too deeply is refused while its words are read.
import { Composer, type Document, Lexer, LineCounter, Parser, type YAMLError } from "yaml";

export class YamlSyntaxError extends Error {}

export interface YamlTree {
  readonly root: Document["contents"];
  lineAt(offset: number): number;
}

/** Nobody writes more levels than this by hand, and JSON takes more. */
const DEPTH_MAX = 500;
const DUMB = { version: "1.1", schema: "failsafe", merge: false, uniqueKeys: false } as const;

/** Throws YamlSyntaxError. */
export function readYamlTree(text: string): YamlTree {
  const lines = new LineCounter();
  const document = composeFirst(text, lines);
  const [error] = document?.errors ?? [];
  if (error) throw yamlError(describe(error, (offset) => lines.linePos(offset).line));
  return { root: document?.contents ?? null, lineAt: (offset) => lines.linePos(offset).line };
}

export const yamlError = (why: string): YamlSyntaxError =>
  new YamlSyntaxError(`error converting YAML to JSON: yaml: ${why}`);

function composeFirst(text: string, lines: LineCounter): Document | undefined {
  try {
    for (const document of new Composer(DUMB).compose(tokensOf(text, lines), true, text.length))
      return document;
    return undefined;
  } catch (error) {
    throw error instanceof RangeError ? tooDeep() : error;
  }
}

const tooDeep = (): YamlSyntaxError => yamlError("exceeded max depth");

/** What the library's own parser does, but for the look at the depth. */
function* tokensOf(text: string, lines: LineCounter) {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  const depth = new DepthGauge();
  for (const lexeme of new Lexer().lex(text)) {
    if (depth.after(lexeme) > DEPTH_MAX) throw tooDeep();
    yield* parser.next(lexeme);
  }
  yield* parser.end();
}

/**
 * How deep the text may be at most: the brackets that are open, the indentation of the line, and what begins in the line.
 *
 *   "    - - a: [["   →   4 + 2 + 2
 */
class DepthGauge {
  #brackets = 0;
  #indent = 0;
  #begun = 0;
  #atLineStart = true;

  after(lexeme: string): number {
    if (lexeme === "\n" || lexeme === "\r\n") {
      this.#indent = 0;
      this.#begun = 0;
      this.#atLineStart = true;
      return this.#brackets;
    }
    if (lexeme === "[" || lexeme === "{") this.#brackets++;
    else if (lexeme === "]" || lexeme === "}") this.#brackets--;
    else if (lexeme === "-" || lexeme === "?") this.#begun++;
    else if (this.#atLineStart && /^ +$/.test(lexeme) && this.#brackets <= 0) this.#indent = lexeme.length;
    this.#atLineStart = false;
    return Math.max(this.#brackets, 0) + this.#indent + this.#begun;
  }
}

/** As go-yaml words it, which does not tell the number of the first line. */
function describe(error: YAMLError, lineAt: (offset: number) => number): string {
  const line = lineAt(error.pos[0]);
  const where = line > 1 ? `line ${line}: ` : "";
  if (error.code === "BLOCK_AS_IMPLICIT_KEY") return `${where}mapping values are not allowed in this context`;
  if (error.code === "TAB_AS_INDENT" || error.code === "BAD_SCALAR_START")
    return `${where}found character that cannot start any token`;
  if (/flow (map|seq)|end of (flow|the document)/i.test(error.message) || error.code === "MISSING_CHAR")
    return `line ${line}: did not find expected ',' or '}'`;
  return `line ${line}: ${error.message.split("\n")[0]?.replace(/ at line .*$/, "")}`;
}
