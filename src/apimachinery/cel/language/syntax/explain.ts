// Computes the messages for invalid text as the reference parser (ANTLR) does: it reports an issue, repairs the text by
// dropping or inserting a token, and continues.

import { inTokenOrder, type Token, type TokenKind } from "../lexer.ts";
import type { Issue } from "../source.ts";
import {
  type Call,
  EPSILON,
  expectedAt,
  type Next,
  nextAnywhere,
  nextTokens,
  recoverySet,
} from "./expectations.ts";
import { type Reader, type RuleName, ruleOf, type Span, type State } from "./grammar.ts";
import { onStack, predict, type Stack } from "./predict.ts";

/** Limit of nested expressions. */
export const DEPTH_MAX = 250;
/** Limit of nested rules: invalid text is explained less deep than valid text is parsed. */
const CALLS_MAX = 800;
/** Number of repairs after which the parser stops. */
const REPAIRS_MAX = 30;
/** Limit of the tokens that one repair skips. */
const SKIPPED_MAX = 256;

class Mismatch extends Error {}
class NoAlternative extends Error {
  readonly from: number;
  readonly to: number;
  constructor(from: number, to: number) {
    super();
    this.from = from;
    this.to = to;
  }
}
class GivenUp extends Error {}

export interface Explanation {
  /** In the order of their detection. */
  readonly issues: readonly Issue[];
  /** The repaired text, from which the reference builds a tree that it checks, too. Empty if the parser has stopped. */
  readonly repaired: readonly Token[];
}

/** All issues of an invalid text. */
export function explainSyntax(tokens: readonly Token[]): Explanation {
  const explainer = new Explainer(tokens);
  const { issues, repaired } = explainer;
  try {
    explainer.run("start");
  } catch (error) {
    if (!(error instanceof GivenUp)) throw error;
    return { issues, repaired: [] };
  }
  return { issues, repaired };
}

/** Operand rules: if one fails before its first token, a constant replaces it. */
const OPERANDS: ReadonlySet<RuleName> = new Set(["unary", "member", "primary", "literal"] as const);

/** The position of an unknown operand in messages. */
const BEFORE_TEXT = -1;

const CLOSING: ReadonlyMap<TokenKind, TokenKind> = new Map([
  ["'('", "')'"],
  ["'['", "']'"],
  ["'{'", "'}'"],
]);

class Explainer implements Reader {
  readonly issues: Issue[] = [];
  readonly repaired: Token[] = [];
  readonly #tokens: readonly Token[];
  readonly #calls: Call[] = [];
  #at = 0;
  #state: State;
  /** True from an issue to the next accepted token; further issues are suppressed. */
  #recovering = false;
  #repairs = 0;
  #lastRecovery = -1;
  readonly #recoveredStates = new Set<State>();

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
    this.#state = ruleOf("start").start;
  }

  run(rule: RuleName, follow?: State, precedence = 0): void {
    if (this.#calls.length >= CALLS_MAX) this.#giveUp(`expression recursion limit exceeded: ${DEPTH_MAX}`);
    this.#calls.push({ follow, precedence });
    const before = this.repaired.length;
    try {
      ruleOf(rule).read(this);
    } catch (error) {
      if (!(error instanceof Mismatch || error instanceof NoAlternative)) throw error;
      this.#reportFailure(error);
      if (this.repaired.length === before) this.#standIn(rule);
      else this.#closeBrackets(before);
      this.#recover();
    }
    this.#calls.pop();
  }

  /** Adds a token for a rule of which nothing was read. */
  #standIn(rule: RuleName): void {
    if (OPERANDS.has(rule)) this.#invent("'null'", rule === "primary" ? BEFORE_TEXT : undefined);
    if (rule !== "escapeIdent") return;
    this.issues.push({ offset: this.#token().offset, message: "unsupported ident kind" });
    this.#invent("IDENTIFIER");
  }

  /** A rule that fails behind an opening bracket still yields a call, a list or a map of the parts read so far. */
  #closeBrackets(from: number): void {
    const missing: TokenKind[] = [];
    for (const { kind } of this.repaired.slice(from)) {
      const closing = CLOSING.get(kind);
      if (closing !== undefined) missing.push(closing);
      else if (kind === missing.at(-1)) missing.pop();
    }
    for (const kind of missing.reverse()) this.#invent(kind);
  }

  #invent(kind: TokenKind, offset = this.#token().offset): void {
    this.repaired.push({ kind, text: "", blank: "", offset });
  }

  call({ start, end }: Span, rule: RuleName, precedence: number): void {
    this.#state = start;
    this.run(rule, end, precedence);
  }

  #giveUp(message: string): never {
    this.issues.push({ offset: undefined, message });
    throw new GivenUp();
  }

  #token(ahead = 0): Token {
    const token = this.#tokens[Math.min(this.#at + ahead, this.#tokens.length - 1)];
    if (!token) throw new GivenUp();
    return token;
  }

  #look(ahead = 0): TokenKind {
    return this.#token(ahead).kind;
  }

  /** Adds the token to the repaired text. */
  #keep(): void {
    this.repaired.push(this.#token());
    this.#consume();
  }

  #consume(): void {
    if (this.#at < this.#tokens.length - 1) this.#at++;
  }

  continues(operators: readonly Span[], precedences: readonly number[]): boolean {
    const asked = this.#calls.at(-1)?.precedence ?? 0;
    return operators.some(
      ({ start }, index) => (precedences[index] ?? 0) >= asked && nextTokens(start).has(this.#look()),
    );
  }

  enters(state: State): boolean {
    const [inside, past] = state.edges;
    if (!inside || !past) return false;
    const first = nextTokens(inside.to);
    const overlaps = [...nextAnywhere(past.to)].some((token) => first.has(token));
    return overlaps ? this.decide(state) === 1 : first.has(this.#look());
  }

  decide(state: State): number {
    const prediction = predict(
      state,
      (ahead) => this.#look(ahead),
      () => this.#stack(),
    );
    if ("alternative" in prediction) return prediction.alternative;
    throw new NoAlternative(this.#at, Math.min(this.#at + prediction.failedAt, this.#tokens.length - 1));
  }

  #stack(): Stack | undefined {
    return this.#calls.reduce<Stack | undefined>(
      (below, { follow }) => (follow ? onStack(follow, below) : below),
      undefined,
    );
  }

  match({ start, end }: Span, kinds: readonly TokenKind[]): void {
    this.#state = start;
    if (kinds.includes(this.#look())) {
      this.#recovering = false;
      this.#keep();
      return;
    }
    this.#countRepair();
    if (this.#dropToken()) {
      this.#keep();
      return;
    }
    if (expectedAt(end, this.#calls).has(this.#look())) {
      this.#report(`missing ${describe(this.#expected())} at ${display(this.#token())}`);
      this.#invent(kinds[0] ?? "<EOF>");
      return;
    }
    throw new Mismatch();
  }

  sync(state: State): void {
    this.#state = state;
    if (this.#recovering) return;
    const next = nextTokens(state);
    if (next.has(EPSILON) || next.has(this.#look())) return;
    if (state.role === "block" || state.role === "starEntry") {
      if (this.#dropToken()) return;
      throw new Mismatch();
    }
    if (state.role === "plain") return;
    this.#reportUnwanted();
    this.#skipTo(new Set([...this.#expected(), ...recoverySet(this.#calls)]));
  }

  /** Drops a token if the one after it is accepted. */
  #dropToken(): boolean {
    if (!this.#expected().has(this.#look(1))) return false;
    this.#reportUnwanted();
    this.#consume();
    this.#recovering = false;
    return true;
  }

  #reportUnwanted(): void {
    this.#report(`extraneous input ${display(this.#token())} expecting ${describe(this.#expected())}`);
  }

  #reportFailure(error: Mismatch | NoAlternative): void {
    if (error instanceof NoAlternative) {
      this.#report(describeNoAlternative(this.#textBetween(error.from, error.to)), this.#tokens[error.to]);
    } else this.#report(`mismatched input ${display(this.#token())} expecting ${describe(this.#expected())}`);
  }

  #report(message: string, at = this.#token()): void {
    if (this.#recovering) return;
    this.#recovering = true;
    this.issues.push({ offset: at.offset, message: `Syntax error: ${message}` });
  }

  #textBetween(from: number, to: number): string {
    const first = this.#tokens[from];
    if (first?.kind === "<EOF>") return first.text;
    return this.#tokens
      .slice(from, to + 1)
      .map(({ kind, text, blank }, index) => (index > 0 ? blank : "") + (kind === "<EOF>" ? "" : text))
      .join("");
  }

  #expected(): ReadonlySet<Next> {
    return expectedAt(this.#state, this.#calls);
  }

  #countRepair(): void {
    if (this.#repairs++ < REPAIRS_MAX) return;
    const message = `Syntax error: error recovery attempt limit exceeded: ${REPAIRS_MAX}`;
    this.issues.push({ offset: this.#token().offset, message });
    throw new GivenUp();
  }

  /** Skips to a token that can follow one of the rules being read. */
  #recover(): void {
    this.#countRepair();
    if (this.#lastRecovery === this.#at && this.#recoveredStates.has(this.#state)) this.#consume();
    this.#lastRecovery = this.#at;
    this.#recoveredStates.add(this.#state);
    this.#skipTo(recoverySet(this.#calls));
  }

  #skipTo(stops: ReadonlySet<Next>): void {
    for (let count = 0; this.#look() !== "<EOF>" && !stops.has(this.#look()); count++) {
      if (count === SKIPPED_MAX) {
        this.#giveUp(`error recovery token lookahead limit exceeded: ${SKIPPED_MAX}`);
      }
      this.#consume();
    }
  }
}

function describe(expected: ReadonlySet<Next>): string {
  const kinds = [...expected].filter((next): next is TokenKind => next !== EPSILON).sort(inTokenOrder);
  return kinds.length === 1 ? (kinds[0] ?? "") : `{${kinds.join(", ")}}`;
}

const quote = (text: string): string =>
  `'${text.replaceAll("\t", "\\t").replaceAll("\n", "\\n").replaceAll("\r", "\\r")}'`;
const display = (token: Token): string => quote(token.text);

/** A constant in place of a name has the message of older versions. */
function describeNoAlternative(text: string): string {
  const constant = /^[\s\S](true|false|null)$/.exec(text)?.[1];
  if (constant !== undefined) return `mismatched input '${constant}' expecting IDENTIFIER`;
  return `no viable alternative at input ${quote(text)}`;
}
