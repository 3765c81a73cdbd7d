// Calls: those that decide what to evaluate (&&, ||, ?:, or, orValue), lookups, and plain functions, whose overload
// is chosen by the types of the arguments where the checker could not.
import type { CallExpr, Expr } from "../language/ast.ts";
import type { Overload } from "../language/overload.ts";
import { isConcrete } from "../language/types.ts";
import { lookUp, tryLookUp } from "../library/operators.ts";
import { contentOf } from "../library/optionals.ts";
import { CelError, noSuchOverload } from "../values/cel-error.ts";
import { fitsType, typeOfValue } from "../values/inspect.ts";
import { OPTIONAL_NONE, Optional, type Value } from "../values/value.ts";
import { callCostOf, resultCostOf } from "./call-cost.ts";
import type { Frame, Step } from "./frame.ts";
import { selectOptional } from "./select-optional.ts";

type Plan = (expr: Expr) => Step;

export function planCall(expr: CallExpr, plan: Plan): Step {
  const args = (expr.target ? [expr.target, ...expr.args] : expr.args).map(plan);
  switch (expr.fn) {
    case "_&&_":
      return planLogic(args, false);
    case "_||_":
      return planLogic(args, true);
    case "_?_:_":
      return planCondition(args);
    case "@not_strictly_false":
      return planNotFalse(stepAt(args, 0));
    case "_[_]":
    case "_[?_]":
      return planLookup(args, expr.fn === "_[?_]");
    case "_?._":
      return planOptionalSelect(expr, stepAt(args, 0));
    case "or":
    case "orValue":
      return planAlternative(args, expr.fn === "orValue");
    default:
      return planFunction(expr, args);
  }
}

function stepAt(steps: readonly Step[], index: number): Step {
  const step = steps[index];
  if (!step) throw new TypeError("the checker lets no call with too few arguments through");
  return step;
}

/** && with decisive false, || with decisive true: one decisive operand outweighs errors of the others. */
function planLogic(steps: readonly Step[], decisive: boolean): Step {
  return (frame) => {
    let failure: CelError | undefined;
    for (const step of steps) {
      try {
        const value = step(frame);
        if (value === decisive) return decisive;
        if (typeof value !== "boolean") failure ??= noSuchOverload();
      } catch (error) {
        if (!(error instanceof CelError)) throw error;
        failure ??= error;
      }
    }
    if (failure) throw failure;
    return !decisive;
  };
}

function planCondition(steps: readonly Step[]): Step {
  const condition = stepAt(steps, 0);
  const yes = stepAt(steps, 1);
  const no = stepAt(steps, 2);
  return (frame) => {
    const value = condition(frame);
    if (typeof value !== "boolean") throw noSuchOverload();
    return value ? yes(frame) : no(frame);
  };
}

function planNotFalse(step: Step): Step {
  return (frame) => {
    frame.charge(1);
    try {
      return step(frame) !== false;
    } catch (error) {
      if (error instanceof CelError) return true;
      throw error;
    }
  };
}

function planLookup(steps: readonly Step[], optional: boolean): Step {
  const within = stepAt(steps, 0);
  const key = stepAt(steps, 1);
  return (frame) => {
    const value = within(frame);
    const at = key(frame);
    frame.charge(1);
    if (!optional && !(value instanceof Optional)) return lookUp(value, at);
    const inner = value instanceof Optional ? value.value : value;
    const found = inner === undefined ? undefined : tryLookUp(inner, at);
    return found === undefined ? OPTIONAL_NONE : new Optional(found);
  };
}

function planOptionalSelect(expr: CallExpr, operand: Step): Step {
  const name = expr.args[1]?.kind === "literal" ? String(expr.args[1].value) : "";
  return (frame) => {
    const value = operand(frame);
    frame.charge(1);
    return selectOptional(value, name);
  };
}

function planAlternative(steps: readonly Step[], unwrap: boolean): Step {
  const first = stepAt(steps, 0);
  const second = stepAt(steps, 1);
  return (frame) => {
    const value = first(frame);
    frame.charge(1);
    if (!(value instanceof Optional)) throw noSuchOverload();
    if (value.value === undefined) return second(frame);
    return unwrap ? contentOf(value) : value;
  };
}

function planFunction(expr: CallExpr, steps: readonly Step[]): Step {
  const overloads = expr.overloads ?? [];
  const costOf = isConstantMembership(expr) ? () => 0 : callCostOf(expr.fn);
  const ofResult = resultCostOf(expr.fn);
  const invoke = chooser(expr, overloads);
  return (frame) => {
    const args = evaluateAll(steps, frame);
    frame.charge(costOf(args));
    const result = invoke(args);
    if (ofResult) frame.charge(ofResult(result));
    return result;
  };
}

function evaluateAll(steps: readonly Step[], frame: Frame): Value[] {
  const args: Value[] = [];
  for (const step of steps) args.push(step(frame));
  return args;
}

/** x in ["a", "b"] is looked up in a set by the reference implementation, which costs nothing. */
const isConstantMembership = (expr: CallExpr): boolean =>
  expr.fn === "@in" &&
  expr.args[1]?.kind === "list" &&
  expr.args[1].items.every((item) => item.kind === "literal");

function chooser(expr: CallExpr, overloads: readonly Overload[]): (args: readonly Value[]) => Value {
  const [first] = overloads;
  const run = first?.run;
  if (!run) throw new TypeError(`no function: ${expr.fn}`);
  const shared = overloads.every((overload) => overload.run === run);
  const operands = expr.target ? [expr.target, ...expr.args] : expr.args;
  const known = operands.every(({ type }) => type !== undefined && isConcrete(type));
  if (shared && (known || SELF_CHECKING.has(expr.fn))) return run;
  return (args) => {
    const fitting = overloads.find((overload) =>
      overload.args.every((type, index) => fitsAt(type, args, index)),
    );
    if (!fitting?.run)
      throw noSuchOverload(`${expr.fn}(${args.map((arg) => typeOfValue(arg).name).join(", ")})`);
    return fitting.run(args);
  };
}

function fitsAt(type: Overload["args"][number], args: readonly Value[], index: number): boolean {
  const arg = args[index];
  return arg !== undefined && fitsType(type, arg);
}

/** Functions that look at the types of their arguments themselves and have texts of their own for what they refuse. */
const SELF_CHECKING = new Set([
  "_+_",
  "_-_",
  "_*_",
  "_/_",
  "_%_",
  "-_",
  "!_",
  "_==_",
  "_!=_",
  "_<_",
  "_<=_",
  "_>_",
  "_>=_",
  "@in",
  "size",
  "dyn",
  "type",
  "contains",
  "startsWith",
  "endsWith",
  "matches",
  "bool",
  "bytes",
  "double",
  "duration",
  "int",
  "timestamp",
  "uint",
]);
