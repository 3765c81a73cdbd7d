// Validates an object by the CEL rules of its schema (x-kubernetes-validations). Rules are compiled on first use; a
// schema without rules costs one lookup.

import { isObject, type JsonObject } from "../../json/json.ts";
import type { FieldError } from "../../meta/field-error.ts";
import { childPath, type SchemaNode } from "../schema-node.ts";
import { Correlation, oldItem } from "../value/correlation.ts";
import { valueSchema } from "../value/value-schema.ts";
import { type RuleNode, ruleTreeOf } from "./compiled-rule.ts";
import { OutOfBudget, RuleRun } from "./run-rules.ts";

interface RuleOptions {
  /** Path of the object; "" or left out: it is the whole resource. */
  readonly root?: string;
  /** Receives findings that are tolerated because the value did not change. */
  readonly onTolerated?: (finding: FieldError) => void;
  /** Cost after which TooDear is thrown; left out: only the object's budget applies. */
  readonly patience?: number | undefined;
}

/** Old value of a position, for deciding whether a finding is tolerated. */
interface Ratchet {
  readonly current: Correlation | undefined;
  /** The nearest enclosing position that has an old value. */
  readonly parent: Correlation | undefined;
}

const trees = new WeakMap<SchemaNode, RuleNode | null>();

/** All findings, in schema order; old is undefined at creation. */
export function validateRules(
  node: SchemaNode,
  object: unknown,
  old: unknown,
  options: RuleOptions = {},
): FieldError[] {
  let tree = trees.get(node);
  if (tree === undefined) {
    tree = ruleTreeOf(node.raw) ?? null;
    trees.set(node, tree);
  }
  if (tree === null) return [];
  const run = new RuleRun(options.onTolerated, options.patience ?? Infinity);
  const current =
    old === undefined || old === null ? undefined : new Correlation(object, old, valueSchema(tree.schema));
  try {
    visit(tree, { path: options.root ?? "", object, old, ratchet: { current, parent: undefined } }, run);
  } catch (error) {
    if (!(error instanceof OutOfBudget)) throw error;
  }
  return run.findings;
}

interface Place {
  readonly path: string;
  readonly object: unknown;
  readonly old: unknown;
  readonly ratchet: Ratchet;
}

function visit(node: RuleNode, place: Place, run: RuleRun): void {
  const { object, ratchet } = place;
  if (object === null || object === undefined) return;
  if (node.rules) {
    run.check(node.rules, place, () => (ratchet.current ?? ratchet.parent)?.unchanged === true);
  }
  for (const [, part] of node.allOf) {
    visit(part, { ...place, ratchet: { current: undefined, parent: ratchet.parent } }, run);
  }
  if (Array.isArray(object)) visitItems(node, object, place, run);
  else if (isObject(object)) visitMembers(node, object, place, run);
}

function visitItems(node: RuleNode, list: readonly unknown[], place: Place, run: RuleRun): void {
  const { items } = node;
  if (!items) return;
  const schema = valueSchema(node.schema);
  list.forEach((item, index) => {
    const old = oldItem(schema, place.old, item);
    const ratchet = below(place.ratchet, (current) => current.item(index));
    visit(items, { path: `${place.path}[${index}]`, object: item, old, ratchet }, run);
  });
}

function visitMembers(node: RuleNode, object: JsonObject, place: Place, run: RuleRun): void {
  const before = isObject(place.old) ? place.old : {};
  const child = (key: string, path: string): Place => ({
    path,
    object: object[key],
    old: Object.hasOwn(before, key) ? before[key] : undefined,
    ratchet: memberRatchet(place.ratchet, key),
  });
  if (node.values) {
    for (const key of Object.keys(object).sort())
      visit(node.values, child(key, `${place.path}[${key}]`), run);
  }
  for (const [key, property] of node.properties) {
    if (!Object.hasOwn(object, key)) continue;
    visit(property, child(key, childPath(place.path, key)), run);
  }
}

function below(ratchet: Ratchet, step: (current: Correlation) => Correlation | undefined): Ratchet {
  const { current } = ratchet;
  return current ? { current: step(current), parent: current } : ratchet;
}

/** apiVersion and kind of the resource are equal on both sides whatever was written, so that they cannot show a change. */
function memberRatchet(ratchet: Ratchet, key: string): Ratchet {
  if (ratchet.current && !ratchet.parent && (key === "apiVersion" || key === "kind")) {
    return { current: undefined, parent: undefined };
  }
  return below(ratchet, (current) => current.member(key));
}
