// The syntax tree of an expression. The parser builds it with macros already expanded. The checker annotates every node
// with its type, and calls with the matching overloads. The planner turns the tree into functions.
import { append } from "../../meta/lists.ts";
import type { FunctionDecl, Overload } from "../library/declare.ts";
import type { Value } from "../values/value.ts";
import type { CelType } from "./types.ts";

interface Node {
  /** The position in messages: an operator, an opening bracket, or the first character. */
  readonly offset: number;
  /** Set by the checker. */
  type?: CelType;
}

interface LiteralExpr extends Node {
  readonly kind: "literal";
  readonly value: Value;
}
export interface IdentExpr extends Node {
  readonly kind: "ident";
  readonly name: string;
  /** Set by the checker if the name is that of a type. */
  typeValue?: CelType;
}
export interface SelectExpr extends Node {
  readonly kind: "select";
  readonly operand: Expr;
  readonly field: string;
  /** has(): tests whether the field is present. */
  readonly testOnly: boolean;
  /** Set by the checker if the whole is the name of a type ("google.protobuf.Duration"). */
  typeValue?: CelType;
  /** Set by the checker if the whole is the name of a variable ("authorizer.requestResource"). */
  variable?: string;
}
export interface CallExpr extends Node {
  readonly kind: "call";
  /** Becomes the qualified name ("ip.isCanonical") if the checker finds a function of that name. */
  fn: string;
  target: Expr | undefined;
  readonly args: readonly Expr[];
  /** Set by the checker: the function, and its matching overloads. */
  declared?: FunctionDecl;
  overloads?: readonly Overload[];
}
export interface ListExpr extends Node {
  readonly kind: "list";
  readonly items: readonly Expr[];
  /** Positions written as ?x: left out when the optional is empty. */
  readonly optional: ReadonlySet<number>;
}
export interface MapEntry {
  readonly offset: number;
  readonly key: Expr;
  readonly value: Expr;
  readonly optional: boolean;
}
export interface MapExpr extends Node {
  readonly kind: "map";
  readonly entries: readonly MapEntry[];
}
export interface StructExpr extends Node {
  readonly kind: "struct";
  readonly name: string;
  readonly fields: readonly {
    readonly name: string;
    readonly value: Expr;
    /** Written as ?name: the field is left out when the optional is empty. */
    readonly optional: boolean;
  }[];
}
/** The expansion of every macro over lists and maps: a loop with an accumulator. */
export interface FoldExpr extends Node {
  readonly kind: "fold";
  readonly range: Expr;
  readonly iterVar: string;
  readonly iterVar2: string | undefined;
  readonly accuVar: string;
  readonly accuInit: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

export type Expr =
  | LiteralExpr
  | IdentExpr
  | SelectExpr
  | CallExpr
  | ListExpr
  | MapExpr
  | StructExpr
  | FoldExpr;

/** The accumulator of a macro; not a valid identifier in an expression. */
export const ACCUMULATOR = "@result";

export const literal = (offset: number, value: Value): LiteralExpr => ({ kind: "literal", offset, value });
export const ident = (offset: number, name: string): IdentExpr => ({ kind: "ident", offset, name });
export const call = (offset: number, fn: string, args: readonly Expr[], target?: Expr): CallExpr => ({
  kind: "call",
  offset,
  fn,
  target,
  args,
});
export const list = (offset: number, items: readonly Expr[]): ListExpr => ({
  kind: "list",
  offset,
  items,
  optional: new Set(),
});

/** Visits every node below and including the root, parents first. The list of parents must not be kept. */
export function walk(root: Expr, visit: (expr: Expr, parents: readonly Expr[]) => void): void {
  const parents: Expr[] = [];
  const down = (expr: Expr): void => {
    visit(expr, parents);
    parents.push(expr);
    for (const child of children(expr)) down(child);
    parents.pop();
  };
  down(root);
}

export interface Measure {
  /** The number of nodes; those that a macro uses twice count twice. */
  readonly nodes: number;
  readonly depth: number;
}

/** Measures a tree of any depth. */
export function measure(root: Expr): Measure {
  const known = new Map<Expr, Measure>();
  const todo = [root];
  for (let expr = todo.at(-1); expr; expr = todo.at(-1)) {
    const below = children(expr);
    const open = below.filter((child) => !known.has(child));
    if (open.length > 0) {
      append(todo, open.slice(0, 1000));
      continue;
    }
    todo.pop();
    const of = below.map((child) => known.get(child) ?? { nodes: 0, depth: 0 });
    const nodes = of.reduce((sum, part) => sum + part.nodes, 1);
    known.set(expr, { nodes, depth: of.reduce((most, part) => Math.max(most, part.depth), 0) + 1 });
  }
  return known.get(root) ?? { nodes: 0, depth: 0 };
}

function children(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case "select":
      return [expr.operand];
    case "call":
      return expr.target ? [expr.target, ...expr.args] : expr.args;
    case "list":
      return expr.items;
    case "map":
      return expr.entries.flatMap(({ key, value }) => [key, value]);
    case "struct":
      return expr.fields.map(({ value }) => value);
    case "fold":
      return [expr.range, expr.accuInit, expr.condition, expr.step, expr.result];
    default:
      return [];
  }
}
