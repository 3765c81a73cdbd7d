// Turns a checked tree into nested functions. Errors are thrown; only && and || (and the loops that are built of
// them) look at them before they pass them on.
import type { Expr, IdentExpr, ListExpr, MapExpr, SelectExpr, StructExpr } from "../language/ast.ts";
import type { CelType } from "../language/types.ts";
import { selectOptional } from "../library/optionals.ts";
import { LIST_COST, MAP_COST, MESSAGE_COST } from "../library/price.ts";
import { CelError, noSuchOverload } from "../values/cel-error.ts";
import { ArrayList, EntryMap } from "../values/collections.ts";
import { MessageValue } from "../values/message.ts";
import { isMap, Optional, TypeValue, type Value } from "../values/value.ts";
import { planCall } from "./calls.ts";
import type { Step } from "./frame.ts";
import { planFold, type Slots } from "./plan-fold.ts";

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
      return planFold(expr, slots, plan);
    case "struct":
      return planStruct(expr, slots);
  }
}

function planIdent(expr: IdentExpr, slots: Slots): Step {
  return expr.typeValue ? typeStep(expr.typeValue) : planVariable(expr.name.replace(/^\./, ""), slots);
}

function planVariable(name: string, slots: Slots): Step {
  const slot = slots.names.get(name);
  if (slot === undefined) throw new TypeError(`the checker lets no unknown name through: ${name}`);
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

/** Puts a part in its place; of one that is optional what it holds, if it does. */
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
