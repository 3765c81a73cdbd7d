// Plans calls: lazy ones (&&, ||, ?:, or, orValue), lookups, and plain functions. Their overload is chosen by the
// run-time types of the arguments if the checker could not decide.
import type { CallExpr, Expr } from "../language/ast.ts";
import { type CelType, isConcrete } from "../language/types.ts";
import type { Run } from "../library/declare.ts";
import { lookUp, tryLookUp } from "../library/operators.ts";
import { contentOf, selectOptional, toOptional } from "../library/optionals.ts";
import { fitsType, typeOfValue } from "../values/inspect.ts";
import { CelError, noSuchOverload, Optional, type Value } from "../values/value.ts";
import type { Frame, Step } from "./frame.ts";

const missing: Step = () => {
  throw new TypeError("the checker lets no call with too few arguments through");
};

export function planCall(expr: CallExpr, plan: (expr: Expr) => Step): Step {
  const steps = operandsOf(expr).map(plan);
  const [first = missing, second = missing, third = missing] = steps;
  switch (expr.fn) {
    case "_&&_":
      return planLogic(steps, false);
    case "_||_":
      return planLogic(steps, true);
    case "_?_:_":
      return planCondition(first, second, third);
    case "@not_strictly_false":
      return planNotFalse(first);
    case "_[_]":
    case "_[?_]":
      return planLookup(first, second, expr.fn === "_[?_]");
    case "_?._":
      return planOptionalSelect(expr, first);
    case "or":
    case "orValue":
      return planAlternative(first, second, expr.fn === "orValue");
    default:
      return planFunction(expr, steps);
  }
}

const operandsOf = ({ target, args }: CallExpr): readonly Expr[] => (target ? [target, ...args] : args);

/**
 * && with decisive false,
 * with decisive true: one decisive operand outweighs errors of the others.
 */
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

function planCondition(condition: Step, yes: Step, no: Step): Step {
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

function planLookup(within: Step, key: Step, optional: boolean): Step {
  return (frame) => {
    const value = within(frame);
    const at = key(frame);
    frame.charge(1);
    if (!optional && !(value instanceof Optional)) return lookUp(value, at);
    const inner = value instanceof Optional ? value.value : value;
    return toOptional(inner === undefined ? undefined : tryLookUp(inner, at));
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

function planAlternative(first: Step, second: Step, unwrap: boolean): Step {
  return (frame) => {
    const value = first(frame);
    frame.charge(1);
    if (!(value instanceof Optional)) throw noSuchOverload();
    if (value.value === undefined) return second(frame);
    return unwrap ? contentOf(value) : value;
  };
}

function planFunction(expr: CallExpr, steps: readonly Step[]): Step {
  const price = expr.declared?.price;
  const costOf = price && !isConstantMembership(expr) ? price.cost : () => 0;
  const ofResult = price?.result;
  const invoke = chooser(expr);
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

/** x in ["a", "b"] is a set lookup in the reference implementation, without any cost. */
const isConstantMembership = (expr: CallExpr): boolean =>
  expr.fn === "@in" &&
  expr.args[1]?.kind === "list" &&
  expr.args[1].items.every((item) => item.kind === "literal");

function chooser(expr: CallExpr): (args: readonly Value[]) => Value {
  const { fn, declared, overloads = [] } = expr;
  const first = overloads[0]?.run;
  if (!first) throw new TypeError(`no function: ${fn}`);
  if (declared?.looksItself) return applied(first);
  const runs = overloads.map(({ args, run }) => ({ types: args, invoke: run && applied(run) }));
  const shared = overloads.every(({ run }) => run === first);
  const known = operandsOf(expr).every(({ type }) => type !== undefined && isConcrete(type));
  return (args) => {
    for (const { types, invoke } of runs) if (invoke && fits(types, args)) return invoke(args);
    if (shared && known) throw noSuchOverload();
    throw noSuchOverload(`${fn}(${args.map((arg) => typeOfValue(arg).name).join(", ")})`);
  };
}

/** No function takes more than four arguments. Their types match the signature, because they have been checked. */
function applied(run: Run): (args: readonly Value[]) => Value {
  const code = run as (...args: (Value | undefined)[]) => Value;
  return (args) => code(args[0], args[1], args[2], args[3]);
}

function fits(types: readonly CelType[], args: readonly Value[]): boolean {
  for (let index = 0; index < types.length; index++) {
    const type = types[index];
    const arg = args[index];
    if (type === undefined || arg === undefined || !fitsType(type, arg)) return false;
  }
  return true;
}
