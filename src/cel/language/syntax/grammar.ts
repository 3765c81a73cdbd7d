// The grammar as data, for explaining what is wrong with a text: its rules in the shape in which the reference parser
// was generated, since that decides what its messages expect where.
import type { TokenKind } from "../lexer.ts";

export type RuleName =
  | "start"
  | "expr"
  | "or"
  | "and"
  | "relation"
  | "calc"
  | "unary"
  | "member"
  | "primary"
  | "exprList"
  | "listInit"
  | "fieldInit"
  | "optField"
  | "mapInit"
  | "escapeIdent"
  | "optExpr"
  | "literal";

export type Element =
  | { readonly kind: "tokens"; readonly of: readonly TokenKind[] }
  | { readonly kind: "rule"; readonly name: RuleName; readonly precedence: number }
  | { readonly kind: "seq"; readonly of: readonly Element[] }
  | { readonly kind: "alternatives"; readonly of: readonly Element[] }
  | { readonly kind: "optional" | "star" | "plus"; readonly of: Element }
  /** The operators behind a first operand: alternatives with their precedences, the highest first. */
  | { readonly kind: "operators"; readonly of: readonly Element[]; readonly precedences: readonly number[] };

const tokens = (...of: TokenKind[]): Element => ({ kind: "tokens", of });
const rule = (name: RuleName, precedence = 0): Element => ({ kind: "rule", name, precedence });
const seq = (...of: Element[]): Element => ({ kind: "seq", of });
const alternatives = (...of: Element[]): Element => ({ kind: "alternatives", of });
const optional = (...of: Element[]): Element => ({ kind: "optional", of: seq(...of) });
const star = (...of: Element[]): Element => ({ kind: "star", of: seq(...of) });
const plus = (...of: Element[]): Element => ({ kind: "plus", of: seq(...of) });
const operators = (precedences: readonly number[], ...of: Element[]): Element => ({
  kind: "operators",
  of,
  precedences,
});

const DOT = tokens("'.'");
const COMMA = tokens("','");
const COLON = tokens("':'");
const MARK = tokens("'?'");
const NAME = tokens("IDENTIFIER");
const EXPR = rule("expr");
const ARGUMENTS = [tokens("'('"), optional(rule("exprList")), tokens("')'")];

export const GRAMMAR: Readonly<Record<RuleName, Element>> = {
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
      seq(DOT, NAME, ...ARGUMENTS),
      seq(tokens("'['"), optional(MARK), EXPR, tokens("']'")),
    ),
  ),
  primary: alternatives(
    seq(optional(DOT), NAME),
    seq(optional(DOT), NAME, ...ARGUMENTS),
    seq(tokens("'('"), EXPR, tokens("')'")),
    seq(tokens("'['"), optional(rule("listInit")), optional(COMMA), tokens("']'")),
    seq(tokens("'{'"), optional(rule("mapInit")), optional(COMMA), tokens("'}'")),
    seq(
      optional(DOT),
      NAME,
      star(DOT, NAME),
      tokens("'{'"),
      optional(rule("fieldInit")),
      optional(COMMA),
      tokens("'}'"),
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
