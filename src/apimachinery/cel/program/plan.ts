// Plans a checked tree as nested functions. Errors are thrown. Only && and
// (and loops built of them) catch errors before they pass them on.
import type {
  Expr,
  FoldExpr,
  IdentExpr,
  ListExpr,
  MapExpr,
  SelectExpr,
  StructExpr,
} from "../language/ast.ts";
import type { CelType } from "../language/types.ts";
import { selectOptional } from "../library/optionals.ts";
import { LIST_COST, MAP_COST, MESSAGE_COST } from "../library/price.ts";
import { ArrayList, EntryMap, MessageValue } from "../values/collections.ts";
import { CelError, isList, isMap, noSuchOverload, Optional, TypeValue, type Value } from "../values/value.ts";
import { planCall } from "./calls.ts";
import type { Frame, Slot, Slots, Step } from "./frame.ts";

export function plan(expr: Expr, slots: Slots): Step {
  switch (expr.kind) {
    case "literal": {
      const { value } = expr;
      return () => value;
    }
    case "ident":
      return planIdent(expr, slots);
    case "select":
      return planSelect(expr, slots);
    case "call":
      return planCall(expr, (inner) => plan(inner, slots));
    case "list":
      return planList(expr, slots);
    case "map":
      return planMap(expr, slots);
    case "fold":
      return planFold(expr, slots);
    case "struct":
      return planStruct(expr, slots);
  }
}

function planIdent(expr: IdentExpr, slots: Slots): Step {
  return expr.typeValue ? typeStep(expr.typeValue) : planVariable(expr.name.replace(/^\./, ""), slots);
}

function planVariable(name: string, slots: Slots): Step {
  const slot = slotOf(slots, name);
  return (frame) => {
    frame.charge(1);
    return frame.read(slot, name);
  };
}

function typeStep(type: CelType): Step {
  const value = new TypeValue(type);
  return (frame) => {
    frame.charge(1);
    return value;
  };
}

function planSelect(expr: SelectExpr, slots: Slots): Step {
  if (expr.typeValue) return typeStep(expr.typeValue);
  if (expr.variable !== undefined) return planVariable(expr.variable, slots);
  const operand = plan(expr.operand, slots);
  const { field } = expr;
  if (expr.testOnly) return (frame) => hasField(operand(frame), field);
  return (frame) => {
    const value = operand(frame);
    frame.charge(1);
    return select(value, field);
  };
}

function hasField(value: Value, field: string): boolean {
  if (value instanceof Optional) return value.value !== undefined && hasField(value.value, field);
  return isMap(value) && value.find(field) !== undefined;
}

function select(value: Value, field: string): Value {
  if (value instanceof Optional) return selectOptional(value, field);
  const found = isMap(value) ? value.find(field) : undefined;
  if (found === undefined) throw new CelError(`no such key: ${field}`);
  return found;
}

function planList(expr: ListExpr, slots: Slots): Step {
  const { items, optional } = expr;
  const constants = items.flatMap((item) => (item.kind === "literal" ? [item.value] : []));
  if (optional.size === 0 && items.length > 0 && constants.length === items.length) {
    const constant = new ArrayList(constants);
    return () => constant;
  }
  const steps = items.map((item) => plan(item, slots));
  return (frame) => {
    const made: Value[] = [];
    steps.forEach((step, index) => {
      put(step(frame), optional.has(index), (value) => made.push(value));
    });
    frame.charge(LIST_COST);
    return new ArrayList(made);
  };
}

/** Adds a part to its container; of an optional part its value, if there is one. */
function put(value: Value, optional: boolean, into: (value: Value) => void): void {
  if (!optional) into(value);
  else if (!(value instanceof Optional)) throw noSuchOverload();
  else if (value.value !== undefined) into(value.value);
}

function planMap(expr: MapExpr, slots: Slots): Step {
  const entries = expr.entries.map(({ key, value, optional }) => ({
    key: plan(key, slots),
    value: plan(value, slots),
    optional,
  }));
  return (frame) => {
    const map = new EntryMap();
    for (const entry of entries) {
      const key = entry.key(frame);
      put(entry.value(frame), entry.optional, (value) => map.set(key, value));
    }
    frame.charge(MAP_COST);
    return map;
  };
}

function planStruct(expr: StructExpr, slots: Slots): Step {
  const fields = expr.fields.map((field) => ({ ...field, step: plan(field.value, slots) }));
  const name = expr.name.replace(/^\./, "");
  return (frame) => {
    const values = new Map<string, Value>();
    for (const { name: field, optional, step } of fields) {
      put(step(frame), optional, (value) => values.set(field, value));
    }
    frame.charge(MESSAGE_COST);
    return new MessageValue(name, values);
  };
}

// Loops, the expansions of macros. A list or map that the loop fills is changed in place until the loop is over.

/** The variables, with additional ones in unused slots. */
function withNames({ names, next }: Slots, added: readonly string[]): Slots {
  return { names: new Map([...names, ...added.map((name) => [name, next.count++] as const)]), next };
}

function slotOf({ names }: Slots, name: string): number {
  const slot = names.get(name);
  if (slot === undefined) throw new TypeError(`the checker lets no unknown name through: ${name}`);
  return slot;
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

/** Plans a loop, the expansion of a macro. */
function planFold(expr: FoldExpr, outer: Slots): Step {
  const { iterVar, iterVar2, accuVar } = expr;
  const range = plan(expr.range, outer);
  const start = plan(expr.accuInit, outer);
  const inLoop = withNames(outer, [accuVar]);
  const body = withNames(inLoop, iterVar2 === undefined ? [iterVar] : [iterVar, iterVar2]);
  const accuSlot = slotOf(inLoop, accuVar);
  const firstSlot = slotOf(body, iterVar);
  const secondSlot = iterVar2 === undefined ? undefined : slotOf(body, iterVar2);
  const condition = plan(expr.condition, body);
  const step = plan(expr.step, body);
  const result = plan(expr.result, inLoop);
  return (frame) => {
    const over = range(frame);
    const initial = attempt(start, frame);
    frame.slots[accuSlot] = fillable(expr.accuInit) ?? initial;
    iterate(over, secondSlot !== undefined, (first, second) => {
      frame.slots[firstSlot] = first;
      if (secondSlot !== undefined) frame.slots[secondSlot] = second;
      if (condition(frame) === false) return false;
      frame.slots[accuSlot] = attempt(step, frame);
      return true;
    });
    const filled = frame.slots[accuSlot];
    if (filled instanceof ArrayList || filled instanceof EntryMap) filled.growing = false;
    return result(frame);
  };
}

/** The list or map that the loop fills; undefined for any other initial value. */
function fillable(init: Expr): ArrayList | EntryMap | undefined {
  if (init.kind === "list" && init.items.length === 0) return new ArrayList([], true);
  return init.kind === "map" && init.entries.length === 0 ? new EntryMap(true) : undefined;
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
