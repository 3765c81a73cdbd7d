// Turns a checked tree into nested functions. Errors are thrown; only && and || (and the loops that are built of
// them) look at them before they pass them on.
import type {
  CallExpr,
  Expr,
  FoldExpr,
  IdentExpr,
  ListExpr,
  MapExpr,
  SelectExpr,
  StructExpr,
} from "../language/ast.ts";
import { CelError, noSuchOverload } from "../values/cel-error.ts";
import { ArrayList, EntryMap } from "../values/collections.ts";
import { MessageValue } from "../values/message.ts";
import { isMap, Optional, TypeValue, type Value } from "../values/value.ts";
import { LIST_COST, MAP_COST, MESSAGE_COST } from "./call-cost.ts";
import type { Step } from "./frame.ts";
import { planCall } from "./plan-call.ts";
import { planFold, type Slots } from "./plan-fold.ts";
import { selectOptional } from "./select-optional.ts";

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
      return planCallOf(expr, slots);
    case "list":
      return planList(expr, slots);
    case "map":
      return planMap(expr, slots);
    case "fold":
      return planFoldOf(expr, slots);
    case "struct":
      return planStruct(expr, slots);
  }
}

const planCallOf = (expr: CallExpr, slots: Slots): Step => planCall(expr, (inner) => plan(inner, slots));

const planFoldOf = (expr: FoldExpr, slots: Slots): Step => planFold(expr, slots, plan);

function planIdent(expr: IdentExpr, slots: Slots): Step {
  if (expr.typeValue) return typeStep(new TypeValue(expr.typeValue));
  return planVariable(expr.name.replace(/^\./, ""), slots);
}

function planVariable(name: string, slots: Slots): Step {
  const slot = slots.names.get(name);
  if (slot === undefined) throw new TypeError(`the checker lets no unknown name through: ${name}`);
  return (frame) => {
    frame.charge(1);
    return frame.read(slot, name);
  };
}

const typeStep =
  (value: TypeValue): Step =>
  (frame) => {
    frame.charge(1);
    return value;
  };

function planSelect(expr: SelectExpr, slots: Slots): Step {
  if (expr.typeValue) return typeStep(new TypeValue(expr.typeValue));
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
  const { optional } = expr;
  if (optional.size === 0 && expr.items.length > 0 && expr.items.every((item) => item.kind === "literal")) {
    const constant = new ArrayList(
      expr.items.flatMap((item) => (item.kind === "literal" ? [item.value] : [])),
    );
    return () => constant;
  }
  const steps = expr.items.map((item) => plan(item, slots));
  return (frame) => {
    const items: Value[] = [];
    steps.forEach((step, index) => {
      const value = step(frame);
      if (!optional.has(index)) items.push(value);
      else addIfThere(value, (inner) => items.push(inner));
    });
    frame.charge(LIST_COST);
    return new ArrayList(items);
  };
}

function addIfThere(value: Value, add: (inner: Value) => void): void {
  if (!(value instanceof Optional)) throw noSuchOverload();
  if (value.value !== undefined) add(value.value);
}

function planMap(expr: MapExpr, slots: Slots): Step {
  const entries = expr.entries.map((entry) => ({
    key: plan(entry.key, slots),
    value: plan(entry.value, slots),
    optional: entry.optional,
  }));
  return (frame) => {
    const map = new EntryMap();
    for (const entry of entries) {
      const key = entry.key(frame);
      const value = entry.value(frame);
      if (entry.optional) addIfThere(value, (inner) => map.set(key, inner));
      else map.set(key, value);
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
    for (const field of fields) {
      const value = field.step(frame);
      if (field.optional) addIfThere(value, (inner) => values.set(field.name, inner));
      else values.set(field.name, value);
    }
    frame.charge(MESSAGE_COST);
    return new MessageValue(name, values);
  };
}
