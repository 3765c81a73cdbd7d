// Macros: calls that the parser expands. Their arguments are expressions, not values, so x in list.all(x, …) is a name.
import { lookupTable } from "../../json/json.ts";
import { ACCUMULATOR, call, type Expr, ident, list, literal } from "./ast.ts";

/** A macro has arguments that it cannot expand. */
export class MacroError extends Error {
  readonly offset: number;
  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

/** Builds the replacement of a call at an offset (that of its opening bracket). */
type Expand = (offset: number, args: readonly Expr[], target: Expr) => Expr;

const NAME_EXPECTED = "argument must be a simple name";
const NOT_A_NAME = "argument is not an identifier";
/** Names that macros use internally, now or in older versions of the language. */
const ACCUMULATORS: ReadonlySet<string> = new Set([ACCUMULATOR, "__result__"]);

function nameAt(args: readonly Expr[], index: number, message: string): string {
  const arg = argAt(args, index);
  if (arg.kind !== "ident") throw new MacroError(arg.offset, message);
  if (ACCUMULATORS.has(arg.name)) {
    throw new MacroError(arg.offset, "iteration variable overwrites accumulator variable");
  }
  return arg.name;
}

function argAt(args: readonly Expr[], index: number): Expr {
  const arg = args[index];
  if (!arg) throw new MacroError(0, NAME_EXPECTED); // macros are found by their number of arguments
  return arg;
}

interface Loop {
  readonly init: Expr;
  /** Default: the loop runs to the end. */
  readonly condition?: Expr;
  readonly step: Expr;
  /** Default: the accumulator. */
  readonly result?: Expr;
}

const fold = (offset: number, range: Expr, vars: readonly string[], loop: Loop): Expr => ({
  kind: "fold",
  offset,
  range,
  iterVar: vars[0] ?? "",
  iterVar2: vars[1],
  accuVar: ACCUMULATOR,
  accuInit: loop.init,
  condition: loop.condition ?? literal(offset, true),
  step: loop.step,
  result: loop.result ?? accu(offset),
});

/** The variables of the loop: one, or two if the macro has one argument more. */
function loopNames(args: readonly Expr[], count: number, message = NAME_EXPECTED): string[] {
  const names = Array.from({ length: count }, (_, index) => nameAt(args, index, message));
  if (count === 2 && names[0] === names[1]) {
    throw new MacroError(argAt(args, 1).offset, `duplicate variable name: ${names[0]}`);
  }
  return names;
}

const accu = (offset: number): Expr => ident(offset, ACCUMULATOR);

/** A loop that stops at the first decisive element: all() at false, exists() at true. */
const quantifier =
  (names: number, decisive: boolean): Expand =>
  (offset, args, target) => {
    const open = decisive ? call(offset, "!_", [accu(offset)]) : accu(offset);
    return fold(offset, target, loopNames(args, names), {
      init: literal(offset, !decisive),
      condition: call(offset, "@not_strictly_false", [open]),
      step: call(offset, decisive ? "_||_" : "_&&_", [accu(offset), argAt(args, names)]),
    });
  };

const existsOne =
  (names: number): Expand =>
  (offset, args, target) => {
    const one = literal(offset, 1n);
    const next = call(offset, "_+_", [accu(offset), one]);
    return fold(offset, target, loopNames(args, names), {
      init: literal(offset, 0n),
      step: call(offset, "_?_:_", [argAt(args, names), next, accu(offset)]),
      result: call(offset, "_==_", [accu(offset), one]),
    });
  };

/** A loop that collects: the step runs for every element, or only for those that the filter accepts. */
function collect(
  offset: number,
  target: Expr,
  vars: readonly string[],
  { init, step, filter }: { init: Expr; step: Expr; filter: Expr | undefined },
): Expr {
  const chosen = filter ? call(offset, "_?_:_", [filter, step, accu(offset)]) : step;
  return fold(offset, target, vars, { init, step: chosen });
}

const addItem = (offset: number, item: Expr): Expr =>
  call(offset, "_+_", [accu(offset), list(offset, [item])]);

const filter: Expand = (offset, args, target) =>
  collect(offset, target, loopNames(args, 1, NOT_A_NAME), {
    init: list(offset, []),
    step: addItem(offset, argAt(args, 0)),
    filter: argAt(args, 1),
  });

/** The optional filter between the variables and the transformation of an element. */
const filterOf = (args: readonly Expr[], names: number): Expr | undefined =>
  args.length === names + 2 ? args[names] : undefined;

const lastOf = (args: readonly Expr[]): Expr => argAt(args, args.length - 1);

const toList =
  (names: number, message: string): Expand =>
  (offset, args, target) =>
    collect(offset, target, loopNames(args, names, message), {
      init: list(offset, []),
      step: addItem(offset, lastOf(args)),
      filter: filterOf(args, names),
    });

const map = toList(1, NOT_A_NAME);
const transformList = toList(2, NAME_EXPECTED);

/** Maps each key to its new value, or adds the entries that the step returns. */
const toMap =
  (withKey: boolean): Expand =>
  (offset, args, target) => {
    const vars = loopNames(args, 2);
    const key = withKey ? [ident(offset, vars[0] ?? "")] : [];
    return collect(offset, target, vars, {
      init: { kind: "map", offset, entries: [] },
      step: call(offset, "cel.@mapInsert", [accu(offset), ...key, lastOf(args)]),
      filter: filterOf(args, 2),
    });
  };

const transformMap = toMap(true);
const transformMapEntry = toMap(false);

/** Binds the value of an optional to a name for one expression, if there is a value: a loop that never runs. */
const optional =
  (macro: string, wrap: (offset: number, expr: Expr) => Expr): Expand =>
  (offset, args, target) => {
    const name = nameAt(args, 0, `${macro}() variable name must be a simple identifier`);
    const body: Expr = {
      kind: "fold",
      offset,
      range: list(offset, []),
      iterVar: "#unused",
      iterVar2: undefined,
      accuVar: name,
      accuInit: call(offset, "value", [], target),
      condition: literal(offset, false),
      step: ident(offset, name),
      result: argAt(args, 1),
    };
    return call(offset, "_?_:_", [
      call(offset, "hasValue", [], target),
      wrap(offset, body),
      call(offset, "optional.none", []),
    ]);
  };

const sortBy: Expand = (offset, args, target) =>
  call(offset, "@sortByAssociatedKeys", [map(offset, args, target)], target);

const has: Expand = (offset, args) => {
  const arg = argAt(args, 0);
  if (arg.kind !== "select") throw new MacroError(arg.offset, "invalid argument to has() macro");
  return { kind: "select", offset, operand: arg.operand, field: arg.field, testOnly: true };
};

const RECEIVER_MACROS: Readonly<Record<string, Expand>> = lookupTable({
  "all/2": quantifier(1, false),
  "all/3": quantifier(2, false),
  "exists/2": quantifier(1, true),
  "exists/3": quantifier(2, true),
  "exists_one/2": existsOne(1),
  "exists_one/3": existsOne(2),
  "existsOne/3": existsOne(2),
  "filter/2": filter,
  "map/2": map,
  "map/3": map,
  "transformList/3": transformList,
  "transformList/4": transformList,
  "transformMap/3": transformMap,
  "transformMap/4": transformMap,
  "transformMapEntry/3": transformMapEntry,
  "transformMapEntry/4": transformMapEntry,
  "optMap/2": optional("optMap", (offset, expr) => call(offset, "optional.of", [expr])),
  "optFlatMap/2": optional("optFlatMap", (_offset, expr) => expr),
  "sortBy/2": sortBy,
});

/** The replacement of a call, or undefined if the call is no macro. */
export function expandMacro(
  fn: string,
  args: readonly Expr[],
  offset: number,
  target: Expr | undefined,
): Expr | undefined {
  if (!target) return fn === "has" && args.length === 1 ? has(offset, args, argAt(args, 0)) : undefined;
  const key = `${fn}/${args.length}`;
  return Object.hasOwn(RECEIVER_MACROS, key) ? RECEIVER_MACROS[key]?.(offset, args, target) : undefined;
}
