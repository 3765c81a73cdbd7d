// The loops that macros become. A list or map that the loop fills is changed in place until the loop is over.
import type { Expr, FoldExpr } from "../language/ast.ts";
import { CelError } from "../values/cel-error.ts";
import { ArrayList, EntryMap } from "../values/collections.ts";
import { isList, isMap, type Value } from "../values/value.ts";
import type { Frame, Slot, Step } from "./frame.ts";

/** Which slot of the frame each visible variable has. */
export interface Slots {
  readonly names: ReadonlyMap<string, number>;
  /** Counts up over the whole expression, so that no two variables share a slot. */
  readonly next: { count: number };
}

type Plan = (expr: Expr, slots: Slots) => Step;

function withNames(slots: Slots, names: readonly string[]): { slots: Slots; added: number[] } {
  const added = names.map(() => slots.next.count++);
  const all = new Map(slots.names);
  names.forEach((name, index) => {
    all.set(name, added[index] ?? 0);
  });
  return { slots: { names: all, next: slots.next }, added };
}

/** The value of a step, or its error: an accumulator may hold one. */
function attempt(step: Step, frame: Frame): Slot {
  try {
    return step(frame);
  } catch (error) {
    if (error instanceof CelError) return error;
    throw error;
  }
}

export function planFold(expr: FoldExpr, outer: Slots, plan: Plan): Step {
  const range = plan(expr.range, outer);
  const start = plan(expr.accuInit, outer);
  const inLoop = withNames(outer, [expr.accuVar]);
  const [accuSlot = 0] = inLoop.added;
  const vars = expr.iterVar2 === undefined ? [expr.iterVar] : [expr.iterVar, expr.iterVar2];
  const body = withNames(inLoop.slots, vars);
  const [firstSlot = 0, secondSlot] = body.added;
  const condition = plan(expr.condition, body.slots);
  const step = plan(expr.step, body.slots);
  const result = plan(expr.result, inLoop.slots);
  return (frame) => {
    const over = range(frame);
    const initial = attempt(start, frame);
    const accu = fillable(expr.accuInit, initial);
    frame.slots[accuSlot] = accu;
    iterate(over, secondSlot !== undefined, (first, second) => {
      frame.slots[firstSlot] = first;
      if (secondSlot !== undefined) frame.slots[secondSlot] = second;
      if (condition(frame) === false) return false;
      frame.slots[accuSlot] = attempt(step, frame);
      return true;
    });
    settle(frame.slots[accuSlot]);
    return result(frame);
  };
}

/** Starts a list or map that the loop fills; anything else stays as it is. */
function fillable(init: Expr, value: Slot): Slot {
  if (init.kind === "list" && init.items.length === 0) return new ArrayList([], true);
  if (init.kind !== "map" || init.entries.length > 0) return value;
  const map = new EntryMap();
  map.growing = true;
  return map;
}

function settle(value: Slot): void {
  if (value instanceof ArrayList || value instanceof EntryMap) value.growing = false;
}

function iterate(over: Value, two: boolean, visit: (first: Value, second: Value) => boolean): void {
  if (isList(over)) {
    for (let index = 0; index < over.size; index++) {
      const item = over.at(index);
      if (!visit(two ? BigInt(index) : item, item)) return;
    }
    return;
  }
  if (!isMap(over)) throw new CelError(`got '${typeof over}', expected iterable type`);
  for (const key of over.keys()) {
    if (!visit(key, two ? (over.find(key) ?? null) : key)) return;
  }
}
