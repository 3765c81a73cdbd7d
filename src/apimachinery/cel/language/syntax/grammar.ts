// The grammar as a network of states (ATN), for explaining invalid text. Its rules have the structure from which the
// reference parser was generated. That structure determines the expected tokens in messages, and how parsing continues
// after an error.
import type { TokenKind, WordOf } from "../lexer.ts";

export type RuleName =
  WordOf<"start expr or and relation calc unary member primary exprList listInit fieldInit optField mapInit escapeIdent optExpr literal">;

type Edge =
  | { readonly to: State }
  | { readonly to: State; readonly tokens: readonly TokenKind[] }
  /** Reads a rule, then continues at `to`. */
  | { readonly to: State; readonly rule: RuleName };

/** The part of a choice or a loop that begins at a state; recovery depends on it. */
type StateRole = "block" | "starEntry" | "starBack" | "plusBack" | "plain";

export interface State {
  readonly id: number;
  /** The rule that contains it. */
  readonly rule: RuleName;
  readonly role: StateRole;
  readonly edges: Edge[];
}

/** The first and the last state of a part of a rule. */
export interface Span {
  readonly start: State;
  readonly end: State;
}

interface Part extends Span {
  read(reader: Reader): void;
}

/** Reads a text by the grammar, and repairs errors. */
export interface Reader {
  match(span: Span, kinds: readonly TokenKind[]): void;
  /** Reads a rule in place of the span. */
  call(span: Span, name: RuleName, precedence: number): void;
  /** Before a decision: checks that the next token is accepted here, and repairs the text otherwise. */
  sync(state: State): void;
  /** The number of the alternative at a state, from 1. */
  decide(state: State): number;
  /** Whether the first alternative of a state is taken, rather than the second, which skips the part. */
  enters(state: State): boolean;
  /** Whether the next token is one of the operators, with at least the precedence that the rule was called with. */
  continues(operators: readonly Span[], precedences: readonly number[]): boolean;
}

type Make = (rule: RuleName) => Part;

let count = 0;
const follows = new Map<RuleName, State[]>();

const stateOf = (rule: RuleName, role: StateRole = "plain", edges: Edge[] = []): State => ({
  id: count++,
  rule,
  role,
  edges,
});

const tokens =
  (...kinds: TokenKind[]): Make =>
  (within) => {
    const end = stateOf(within);
    const start = stateOf(within, "plain", [{ to: end, tokens: kinds }]);
    return { start, end, read: (reader) => reader.match({ start, end }, kinds) };
  };

const rule =
  (name: RuleName, precedence = 0): Make =>
  (within) => {
    const end = stateOf(within);
    const start = stateOf(within, "plain", [{ to: end, rule: name }]);
    follows.set(name, [...followsOf(name), end]);
    return { start, end, read: (reader) => reader.call({ start, end }, name, precedence) };
  };

const seq =
  (first: Make, ...others: Make[]): Make =>
  (within) => {
    const head = first(within);
    const parts = [head, ...others.map((make) => make(within))];
    const last = parts.reduce((before, part) => {
      before.end.edges.push({ to: part.start });
      return part;
    });
    const read = (reader: Reader): void => {
      for (const part of parts) part.read(reader);
    };
    return { start: head.start, end: last.end, read };
  };

interface Block extends Part {
  readonly parts: readonly Part[];
}

function block(within: RuleName, of: readonly Make[]): Block {
  const [start, end] = [stateOf(within, "block"), stateOf(within)];
  const parts = of.map((make) => make(within));
  for (const part of parts) {
    start.edges.push({ to: part.start });
    part.end.edges.push({ to: end });
  }
  const read = (reader: Reader): void => {
    if (parts.length > 1) reader.sync(start);
    parts[parts.length > 1 ? reader.decide(start) - 1 : 0]?.read(reader);
  };
  return { start, end, parts, read };
}

const alternatives =
  (...of: Make[]): Make =>
  (within) =>
    block(within, of);

const optional =
  (first: Make, ...others: Make[]): Make =>
  (within) => {
    const { start, end, read } = block(within, [seq(first, ...others)]);
    start.edges.push({ to: end });
    const readIfThere = (reader: Reader): void => {
      reader.sync(start);
      if (reader.enters(start)) read(reader);
    };
    return { start, end, read: readIfThere };
  };

/** The body of a loop is a block of its own; the entry state decides between the body and the exit. */
function loop(
  within: RuleName,
  of: readonly Make[],
  goesOn: (reader: Reader, entry: State, body: Block) => boolean,
): Part {
  const [entry, back, end] = [stateOf(within, "starEntry"), stateOf(within, "starBack"), stateOf(within)];
  const body = block(within, of);
  entry.edges.push({ to: body.start }, { to: end });
  body.end.edges.push({ to: back });
  back.edges.push({ to: entry });
  const read = (reader: Reader): void => {
    reader.sync(entry);
    while (goesOn(reader, entry, body)) {
      body.read(reader);
      reader.sync(back);
    }
  };
  return { start: entry, end, read };
}

const star =
  (first: Make, ...others: Make[]): Make =>
  (within) =>
    loop(within, [seq(first, ...others)], (reader, entry) => reader.enters(entry));

/** The operators behind a first operand: alternatives with their precedences, the highest first. */
const operators =
  (precedences: readonly number[], ...of: Make[]): Make =>
  (within) =>
    loop(within, of, (reader, _entry, { parts }) => reader.continues(parts, precedences));

const plus =
  (of: Make): Make =>
  (within) => {
    const [back, end] = [stateOf(within, "plusBack"), stateOf(within)];
    const body = block(within, [of]);
    body.end.edges.push({ to: back });
    back.edges.push({ to: body.start }, { to: end });
    const read = (reader: Reader): void => {
      reader.sync(body.start);
      do {
        body.read(reader);
        reader.sync(back);
      } while (reader.enters(back));
    };
    return { start: body.start, end, read };
  };

const DOT = tokens("'.'");
const COMMA = tokens("','");
const COLON = tokens("':'");
const MARK = tokens("'?'");
const NAME = tokens("IDENTIFIER");
const EXPR = rule("expr");
const ARGUMENTS = seq(tokens("'('"), optional(rule("exprList")), tokens("')'"));

const GRAMMAR: Readonly<Record<RuleName, Make>> = {
  start: seq(EXPR, tokens("<EOF>")),
  expr: seq(rule("or"), optional(MARK, rule("or"), COLON, EXPR)),
  or: seq(rule("and"), star(tokens("'||'"), rule("and"))),
  and: seq(rule("relation"), star(tokens("'&&'"), rule("relation"))),
  relation: seq(
    rule("calc"),
    operators([1], seq(tokens("'=='", "'!='", "'in'", "'<'", "'<='", "'>='", "'>'"), rule("relation", 2))),
  ),
  calc: seq(
    rule("unary"),
    operators(
      [2, 1],
      seq(tokens("'*'", "'/'", "'%'"), rule("calc", 3)),
      seq(tokens("'+'", "'-'"), rule("calc", 2)),
    ),
  ),
  unary: alternatives(
    rule("member"),
    seq(plus(tokens("'!'")), rule("member")),
    seq(plus(tokens("'-'")), rule("member")),
  ),
  member: seq(
    rule("primary"),
    operators(
      [3, 2, 1],
      seq(DOT, optional(MARK), rule("escapeIdent")),
      seq(DOT, NAME, ARGUMENTS),
      seq(tokens("'['"), optional(MARK), EXPR, tokens("']'")),
    ),
  ),
  primary: alternatives(
    seq(optional(DOT), NAME),
    seq(optional(DOT), NAME, ARGUMENTS),
    seq(tokens("'('"), EXPR, tokens("')'")),
    seq(tokens("'['"), optional(rule("listInit")), optional(COMMA), tokens("']'")),
    seq(tokens("'{'"), optional(rule("mapInit")), optional(COMMA), tokens("'}'")),
    seq(
      seq(optional(DOT), NAME, star(DOT, NAME)),
      seq(tokens("'{'"), optional(rule("fieldInit")), optional(COMMA), tokens("'}'")),
    ),
    rule("literal"),
  ),
  exprList: seq(EXPR, star(COMMA, EXPR)),
  listInit: seq(rule("optExpr"), star(COMMA, rule("optExpr"))),
  fieldInit: seq(rule("optField"), COLON, EXPR, star(COMMA, rule("optField"), COLON, EXPR)),
  optField: seq(optional(MARK), rule("escapeIdent")),
  mapInit: seq(rule("optExpr"), COLON, EXPR, star(COMMA, rule("optExpr"), COLON, EXPR)),
  escapeIdent: alternatives(NAME, tokens("ESC_IDENTIFIER")),
  optExpr: seq(optional(MARK), EXPR),
  literal: alternatives(
    seq(optional(tokens("'-'")), tokens("NUM_INT")),
    tokens("NUM_UINT"),
    seq(optional(tokens("'-'")), tokens("NUM_FLOAT")),
    tokens("STRING"),
    tokens("BYTES"),
    tokens("'true'"),
    tokens("'false'"),
    tokens("'null'"),
  ),
};

let made: Readonly<Record<RuleName, Part>> | undefined;

/** Created when the first error is explained. */
export function ruleOf(name: RuleName): Part {
  made ??= Object.fromEntries(
    Object.entries(GRAMMAR).map(([key, make]) => [key, make(key as RuleName)]), // as GRAMMAR's own keys are
  ) as Record<RuleName, Part>;
  return made[name];
}

/** The states behind a rule, for every reference to it. */
export const followsOf = (name: RuleName): readonly State[] => follows.get(name) ?? [];

export const endsRule = (state: State): boolean => ruleOf(state.rule).end === state;
