// Parses an expression by recursive descent. The parser only recognizes valid text. For invalid text syntax/explain.ts
// computes the messages, and may be slower.
import { call, type Expr, ident, literal, type MapEntry, measure, type StructExpr } from "./ast.ts";
import { RESERVED_WORDS, type Token, type TokenKind, tokenize } from "./lexer.ts";
import { parseLiteral } from "./literals.ts";
import { expandMacro, MacroError } from "./macros.ts";
import type { Issue, Source } from "./source.ts";
import { DEPTH_MAX, explainSyntax } from "./syntax/explain.ts";

const LENGTH_MAX = 100_000;
/** Limits of the tree, which all later steps traverse recursively. */
const TREE_DEPTH_MAX = 800;
const NODES_MAX = 250_000;
/** The binary operators by precedence. */
const RELATIONS = new Map<TokenKind, string>([
  ...(["'<'", "'<='", "'>='", "'>'", "'=='", "'!='"] as const).map(functionOf),
  ["'in'", "@in"],
]);
const SUMS = new Map((["'+'", "'-'"] as const).map(functionOf));
const PRODUCTS = new Map((["'*'", "'/'", "'%'"] as const).map(functionOf));

/** The function of an operator: _+_ for '+'. */
function functionOf(kind: TokenKind): [TokenKind, string] {
  return [kind, `_${kind.slice(1, -1)}_`];
}

class SyntaxFailure extends Error {}
class TooDeep extends Error {}
const NESTED_TOO_DEEP = `expression recursion limit exceeded: ${DEPTH_MAX}`;
/** Each operator of a chain nests the tree by one, too. */
const CHAIN_TOO_LONG = "max recursion depth exceeded";

/** The tree, or the issues. If there are issues of the parser, there are no others. */
export function parse(source: Source): { expr: Expr } | { issues: Issue[] } {
  if (source.points.length > LENGTH_MAX) {
    const message = `expression code point size exceeds limit: size: ${source.points.length}, limit ${LENGTH_MAX}`;
    return { issues: [{ offset: undefined, message }] };
  }
  const { tokens, issues } = tokenize(source.text);
  if (issues.length > 0) return { issues: [...issues, ...explain(tokens)] };
  const parser = new Parser(tokens);
  try {
    const expr = parser.start();
    if (parser.issues.length === 0) checkSize(expr);
    return parser.issues.length > 0 ? { issues: parser.issues } : { expr };
  } catch (error) {
    if (error instanceof SyntaxFailure) return { issues: explain(tokens) };
    if (error instanceof TooDeep) return { issues: [{ offset: undefined, message: error.message }] };
    throw error;
  }
}

/** Syntax errors, then wrong names, macros and numbers in the part of the repaired text that has a tree. */
function explain(tokens: readonly Token[]): Issue[] {
  const { issues, repaired } = explainSyntax(tokens);
  const parser = new Parser(repaired);
  try {
    parser.start();
  } catch (error) {
    if (!(error instanceof SyntaxFailure || error instanceof TooDeep)) throw error;
  }
  return [...issues, ...parser.issues];
}

/** Macros can use an operand twice, so that a short text can expand to a huge tree. */
function checkSize(expr: Expr): void {
  const { nodes, depth } = measure(expr);
  if (depth > TREE_DEPTH_MAX) throw new TooDeep(CHAIN_TOO_LONG);
  if (nodes > NODES_MAX) throw new TooDeep(`expression node count exceeds limit: ${NODES_MAX}`);
}

class Parser {
  readonly issues: Issue[] = [];
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  start(): Expr {
    const expr = this.#expr();
    this.#expect("<EOF>");
    return expr;
  }

  #peek(ahead = 0): Token {
    const token = this.#tokens[Math.min(this.#at + ahead, this.#tokens.length - 1)];
    if (!token) throw new SyntaxFailure();
    return token;
  }

  #accept(kind: TokenKind): Token | undefined {
    const token = this.#peek();
    if (token.kind !== kind) return undefined;
    this.#at++;
    return token;
  }

  #expect(kind: TokenKind): Token {
    const token = this.#accept(kind);
    if (!token) throw new SyntaxFailure();
    return token;
  }

  #deeper<T>(inside: () => T): T {
    if (++this.#depth > DEPTH_MAX) throw new TooDeep(NESTED_TOO_DEEP);
    const out = inside();
    this.#depth--;
    return out;
  }

  #expr(): Expr {
    return this.#deeper(() => {
      const condition = this.#or();
      const mark = this.#accept("'?'");
      if (!mark) return condition;
      const yes = this.#or();
      this.#expect("':'");
      return call(mark.offset, "_?_:_", [condition, yes, this.#expr()]);
    });
  }

  #or(): Expr {
    return this.#logic("'||'", () => this.#logic("'&&'", () => this.#relation()));
  }

  /**
   * a
   * b
   * c is one call with three arguments.
   */
  #logic(kind: "'||'" | "'&&'", operand: () => Expr): Expr {
    const first = operand();
    const args = [first];
    let offset = first.offset;
    for (let op = this.#accept(kind); op; op = this.#accept(kind)) {
      offset = op.offset;
      args.push(operand());
    }
    return args.length === 1 ? first : call(offset, functionOf(kind)[1], args);
  }

  #binary(operators: ReadonlyMap<TokenKind, string>, operand: () => Expr): Expr {
    let left = operand();
    for (let count = 0; ; count++) {
      const { kind, offset } = this.#peek();
      const fn = operators.get(kind);
      if (fn === undefined) return left;
      if (count >= DEPTH_MAX) throw new TooDeep(CHAIN_TOO_LONG);
      this.#at++;
      left = call(offset, fn, [left, operand()]);
    }
  }

  #relation(): Expr {
    return this.#binary(RELATIONS, () =>
      this.#binary(SUMS, () => this.#binary(PRODUCTS, () => this.#unary())),
    );
  }

  #unary(): Expr {
    const first = this.#peek();
    if (first.kind === "'!'") return this.#repeated(first, "!_");
    const next = this.#peek(1).kind;
    if (first.kind === "'-'" && next !== "NUM_INT" && next !== "NUM_FLOAT")
      return this.#repeated(first, "-_");
    return this.#member();
  }

  /** Two signs cancel out. */
  #repeated(first: Token, fn: string): Expr {
    let count = 0;
    while (this.#accept(first.kind)) count++;
    const operand = this.#member();
    return count % 2 === 0 ? operand : call(first.offset, fn, [operand]);
  }

  #member(): Expr {
    let expr = this.#primary();
    for (let count = 0; ; count++) {
      const op = this.#accept("'.'") ?? this.#accept("'['");
      if (!op) return expr;
      if (count >= DEPTH_MAX) throw new TooDeep(CHAIN_TOO_LONG);
      expr = op.kind === "'.'" ? this.#selection(expr, op) : this.#index(expr, op);
    }
  }

  #selection(operand: Expr, dot: Token): Expr {
    const optional = this.#accept("'?'") !== undefined;
    const name = this.#fieldName();
    if (optional) return call(dot.offset, "_?._", [operand, literal(name.offset, name.text)]);
    const open = name.kind === "IDENTIFIER" ? this.#accept("'('") : undefined;
    if (!open) return { kind: "select", offset: dot.offset, operand, field: name.text, testOnly: false };
    return this.#callOrMacro(open, name.text, operand);
  }

  /** The grammar contains escaped names, but they are not enabled. */
  #fieldName(): Token {
    const escaped = this.#accept("ESC_IDENTIFIER");
    if (!escaped) return this.#expect("IDENTIFIER");
    this.issues.push({ offset: escaped.offset, message: "unsupported syntax: '`'" });
    return escaped;
  }

  #index(operand: Expr, open: Token): Expr {
    const optional = this.#accept("'?'") !== undefined;
    const index = this.#expr();
    this.#expect("']'");
    return call(open.offset, optional ? "_[?_]" : "_[_]", [operand, index]);
  }

  #callOrMacro(open: Token, fn: string, target: Expr | undefined): Expr {
    const args = this.#arguments();
    try {
      return expandMacro(fn, args, open.offset, target) ?? call(open.offset, fn, args, target);
    } catch (error) {
      if (!(error instanceof MacroError)) throw error;
      this.issues.push({ offset: error.offset, message: error.message });
      return literal(open.offset, null);
    }
  }

  #arguments(): Expr[] {
    const args: Expr[] = [];
    if (this.#accept("')'")) return args;
    do args.push(this.#expr());
    while (this.#accept("','"));
    this.#expect("')'");
    return args;
  }

  #primary(): Expr {
    const token = this.#peek();
    switch (token.kind) {
      case "'.'":
      case "IDENTIFIER":
        return this.#named();
      case "'('":
        return this.#nested();
      case "'['":
        return this.#list();
      case "'{'":
        return this.#map();
      default: {
        const taken = parseLiteral(this.#tokens, this.#at, this.issues);
        if (!taken) throw new SyntaxFailure();
        this.#at += taken.tokens;
        return taken.expr;
      }
    }
  }

  #nested(): Expr {
    this.#at++;
    const inner = this.#expr();
    this.#expect("')'");
    return inner;
  }

  #named(): Expr {
    const start = this.#peek();
    const leadingDot = this.#accept("'.'") ? "." : "";
    const name = this.#expect("IDENTIFIER");
    const structEnd = this.#structName();
    if (structEnd > 0) return this.#struct(leadingDot + name.text, structEnd);
    const open = this.#accept("'('");
    if (RESERVED_WORDS.has(name.text)) return this.#reserved(start, name, open !== undefined);
    return open
      ? this.#callOrMacro(open, leadingDot + name.text, undefined)
      : ident(name.offset, leadingDot + name.text);
  }

  /** A reserved word is an error; arguments of a call are parsed without further issues. */
  #reserved({ offset }: Token, { text }: Token, called: boolean): Expr {
    this.issues.push({ offset, message: `reserved identifier: ${text}` });
    const known = this.issues.length;
    if (called) this.#arguments();
    this.issues.length = known;
    return literal(offset, null);
  }

  /** Number of tokens up to the brace of a message (a.b.C{…}) whose first name has been read; 0 if it is no message. */
  #structName(): number {
    let ahead = 0;
    while (this.#peek(ahead).kind === "'.'" && this.#peek(ahead + 1).kind === "IDENTIFIER") ahead += 2;
    return this.#peek(ahead).kind === "'{'" ? ahead + 1 : 0;
  }

  #struct(first: string, length: number): Expr {
    let name = first;
    for (let index = 0; index < length - 1; index++) name += this.#peek(index).text;
    const { offset } = this.#peek(length - 1);
    this.#at += length;
    const fields: StructExpr["fields"][number][] = [];
    this.#items("'}'", () => {
      const optional = this.#accept("'?'") !== undefined;
      const { text } = this.#fieldName();
      this.#expect("':'");
      fields.push({ name: text, value: this.#expr(), optional });
    });
    return { kind: "struct", offset, name, fields };
  }

  /** Reads items up to the closing bracket. A trailing comma is allowed, also without any item. */
  #items(close: "'}'" | "']'", read: () => void): void {
    if (this.#accept("','")) {
      this.#expect(close);
      return;
    }
    while (!this.#accept(close)) {
      read();
      if (!this.#accept("','") && this.#peek().kind !== close) throw new SyntaxFailure();
    }
  }

  #list(): Expr {
    const { offset } = this.#expect("'['");
    const items: Expr[] = [];
    const optional = new Set<number>();
    this.#items("']'", () => {
      if (this.#accept("'?'")) optional.add(items.length);
      items.push(this.#expr());
    });
    return { kind: "list", offset, items, optional };
  }

  #map(): Expr {
    const { offset } = this.#expect("'{'");
    const entries: MapEntry[] = [];
    this.#items("'}'", () => {
      const optional = this.#accept("'?'") !== undefined;
      const key = this.#expr();
      const colon = this.#expect("':'");
      entries.push({ offset: colon.offset, key, value: this.#expr(), optional });
    });
    return { kind: "map", offset, entries };
  }
}
