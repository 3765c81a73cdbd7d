// Macros: calls that the parser replaces. They see expressions, not values, so that x in list.all(x, …) is a name.
import { lookupTable } from "../../meta/json.ts";
import { ACCUMULATOR, call, type Expr, ident, list, literal } from "./ast.ts";

/** A macro was called with something that it cannot expand. */
export class MacroError extends Error {
  readonly offset: number;
  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

/** Makes the replacement of a call at an offset (that of its opening bracket). */
type Expand = (offset: number, args: readonly Expr[], target: Expr) => Expr;

const NAME_EXPECTED = "argument must be a simple name";
const NOT_A_NAME = "argument is not an identifier";
/** Names that a macro may use itself, now or in older versions of the language. */
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
  readonly vars: readonly string[];
  readonly init: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

const fold = (offset: number, range: Expr, { vars, init, condition, step, result }: Loop): Expr => ({
  kind: "fold",
  offset,
  range,
  iterVar: vars[0] ?? "",
  iterVar2: vars[1],
  accuVar: ACCUMULATOR,
  accuInit: init,
  condition,
  step,
  result,
});

/** The names of the loop: one, or two where the macro is called with one argument more. */
function loopNames(args: readonly Expr[], count: number, message = NAME_EXPECTED): string[] {
  const names = Array.from({ length: count }, (_, index) => nameAt(args, index, message));
  if (count === 2 && names[0] === names[1]) {
    throw new MacroError(argAt(args, 1).offset, `duplicate variable name: ${names[0]}`);
  }
  return names;
}

const accu = (offset: number): Expr => ident(offset, ACCUMULATOR);
const not = (offset: number, expr: Expr): Expr => call(offset, "!_", [expr]);
const stop = (offset: number, expr: Expr): Expr => call(offset, "@not_strictly_false", [expr]);

const all =
  (names: number): Expand =>
  (offset, args, target) =>
    fold(offset, target, {
      vars: loopNames(args, names),
      init: literal(offset, true),
      condition: stop(offset, accu(offset)),
      step: call(offset, "_&&_", [accu(offset), argAt(args, names)]),
      result: accu(offset),
    });

const exists =
  (names: number): Expand =>
  (offset, args, target) =>
    fold(offset, target, {
      vars: loopNames(args, names),
      init: literal(offset, false),
      condition: stop(offset, not(offset, accu(offset))),
      step: call(offset, "_||_", [accu(offset), argAt(args, names)]),
      result: accu(offset),
    });

const existsOne =
  (names: number): Expand =>
  (offset, args, target) =>
    fold(offset, target, {
      vars: loopNames(args, names),
      init: literal(offset, 0n),
      condition: literal(offset, true),
      step: call(offset, "_?_:_", [
        argAt(args, names),
        call(offset, "_+_", [accu(offset), literal(offset, 1n)]),
        accu(offset),
      ]),
      result: call(offset, "_==_", [accu(offset), literal(offset, 1n)]),
    });

/** A loop that collects: the step runs for every element, or only where the filter holds. */
function collect(
  offset: number,
  target: Expr,
  vars: readonly string[],
  { init, step, filter }: { init: Expr; step: Expr; filter: Expr | undefined },
): Expr {
  return fold(offset, target, {
    vars,
    init,
    condition: literal(offset, true),
    step: filter ? call(offset, "_?_:_", [filter, step, accu(offset)]) : step,
    result: accu(offset),
  });
}

const addItem = (offset: number, item: Expr): Expr =>
  call(offset, "_+_", [accu(offset), list(offset, [item])]);

const filter: Expand = (offset, args, target) =>
  collect(offset, target, loopNames(args, 1, NOT_A_NAME), {
    init: list(offset, []),
    step: addItem(offset, argAt(args, 0)),
    filter: argAt(args, 1),
  });

const map: Expand = (offset, args, target) =>
  collect(offset, target, loopNames(args, 1, NOT_A_NAME), {
    init: list(offset, []),
    step: addItem(offset, argAt(args, args.length - 1)),
    filter: args.length === 3 ? argAt(args, 1) : undefined,
  });

const transformList: Expand = (offset, args, target) =>
  collect(offset, target, loopNames(args, 2), {
    init: list(offset, []),
    step: addItem(offset, argAt(args, args.length - 1)),
    filter: args.length === 4 ? argAt(args, 2) : undefined,
  });

const transformInto =
  (insert: (offset: number, name: string, item: Expr) => readonly Expr[]): Expand =>
  (offset, args, target) => {
    const vars = loopNames(args, 2);
    return collect(offset, target, vars, {
      init: { kind: "map", offset, entries: [] },
      step: call(offset, "cel.@mapInsert", insert(offset, vars[0] ?? "", argAt(args, args.length - 1))),
      filter: args.length === 4 ? argAt(args, 2) : undefined,
    });
  };

const transformMap = transformInto((offset, name, item) => [accu(offset), ident(offset, name), item]);
const transformMapEntry = transformInto((offset, _name, item) => [accu(offset), item]);

/** Gives a value a name for one expression: a loop that never runs. */
function bind(offset: number, name: string, value: Expr, body: Expr): Expr {
  return {
    kind: "fold",
    offset,
    range: list(offset, []),
    iterVar: "#unused",
    iterVar2: undefined,
    accuVar: name,
    accuInit: value,
    condition: literal(offset, false),
    step: ident(offset, name),
    result: body,
  };
}

const optional =
  (macro: string, wrap: (offset: number, expr: Expr) => Expr): Expand =>
  (offset, args, target) => {
    const name = nameAt(args, 0, `${macro}() variable name must be a simple identifier`);
    const body = bind(offset, name, call(offset, "value", [], target), argAt(args, 1));
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
  "all/2": all(1),
  "all/3": all(2),
  "exists/2": exists(1),
  "exists/3": exists(2),
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
