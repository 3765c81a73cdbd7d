// Label selectors: the query text ("env in (a,b),!x"), and the object form of the API (matchLabels, matchExpressions).
// Both become requirements that must all hold, and these are compiled. Errors are worded as in k8s.io/apimachinery.

import { goQuote } from "../go/strconv.ts";
import {
  isObject,
  type JsonObject,
  lookupTable,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from "../json/json.ts";
import { type Coroutine, runSync } from "../scheduling/coroutine.ts";
import type { Anchor, Labels, SelectorRules } from "./key-rule.ts";
import {
  InvalidSelectorError,
  type LabelOperator,
  type LabelRequirement,
  requirement,
} from "./label-requirement.ts";
import { SelectorParser } from "./label-selector-text.ts";
import { compileRules, compileRulesInSteps } from "./selector-rules.ts";
import { badRequest } from "./status.ts";

export interface LabelSelector {
  /** True if it selects everything. */
  readonly isEmpty: boolean;
  /** The key with the fewest values that all selected labels have; undefined if no key is required. */
  readonly anchor: Anchor | undefined;
  matches(labels: Labels | undefined): boolean;
}

/** Parses a labelSelector parameter; throws a 400 StatusError. */
export const parseLabelSelector = (text: string): LabelSelector => runSync(parseLabelSelectorInSteps(text));

/** As parseLabelSelector, in steps for a long text. */
export function* parseLabelSelectorInSteps(text: string): Coroutine<LabelSelector> {
  if (text === "") return EVERYTHING;
  try {
    return selectorOf(yield* compileRulesInSteps(new SelectorParser(text).requirements()));
  } catch (error) {
    throw error instanceof InvalidSelectorError ? badRequest(error.message) : error;
  }
}

const OBJECT_OPERATORS: Readonly<Record<string, LabelOperator>> = lookupTable({
  In: "in",
  NotIn: "notin",
  Exists: "exists",
  DoesNotExist: "!",
});

/** Compiles a metav1.LabelSelector: absent selects nothing, empty selects everything. Throws InvalidSelectorError. */
export function labelSelectorFromObject(selector: unknown): LabelSelector {
  return isObject(selector) ? selectorOf(compileRules(requirementsOf(selector))) : NOTHING;
}

/** The requirements of a metav1.LabelSelector in the order of their keys. Throws InvalidSelectorError. */
export function labelRequirements(selector: unknown): readonly LabelRequirement[] {
  if (!isObject(selector)) return [];
  return [...requirementsOf(selector)].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

function* requirementsOf(selector: JsonObject): Generator<LabelRequirement, undefined> {
  for (const [key, value] of Object.entries(objectAt(selector, "matchLabels") ?? {}))
    yield requirement(key, "=", [String(value)]);
  for (const expression of objectsAt(selector, "matchExpressions")) yield requirementOf(expression);
}

function requirementOf({ key, operator, values }: JsonObject): LabelRequirement {
  const name = String(operator ?? "");
  const meant = OBJECT_OPERATORS[name];
  if (meant === undefined) {
    throw new InvalidSelectorError(`${goQuote(name)} is not a valid label selector operator`);
  }
  const given = Array.isArray(values) && values.length > 0 ? values.map(String) : undefined;
  return requirement(String(key ?? ""), meant, given);
}

/** As labelSelectorFromObject, but returns the error of an invalid selector. */
export function readLabelSelector(selector: unknown): LabelSelector | InvalidSelectorError {
  try {
    return labelSelectorFromObject(selector);
  } catch (error) {
    if (error instanceof InvalidSelectorError) return error;
    throw error;
  }
}

/** Whether the selector matches; an invalid one selects nothing. */
export function selects(selector: unknown, labels: Labels | undefined): boolean {
  const read = readLabelSelector(selector);
  return !(read instanceof InvalidSelectorError) && read.matches(labels);
}

const NOTHING: LabelSelector = { isEmpty: false, anchor: undefined, matches: () => false };
const EVERYTHING: LabelSelector = { isEmpty: true, anchor: undefined, matches: () => true };

const NO_LABELS: Labels = {};

function selectorOf(rules: SelectorRules | undefined): LabelSelector {
  if (rules === undefined) return EVERYTHING;
  return {
    isEmpty: false,
    get anchor() {
      return rules.anchor;
    },
    matches: (labels = NO_LABELS) => rules.matchLabels(labels),
  };
}

/**
 * Formats the struct as Go does: "&LabelSelector{MatchLabels:map[string]string{app: web,},MatchExpressions:[]…{},}".
 */
export function formatSelectorStruct(selector: JsonObject): string {
  const labels = objectAt(selector, "matchLabels") ?? {};
  const pairs = Object.keys(labels)
    .sort()
    .map((key) => `${key}: ${textAt(labels, key)},`);
  const expressions = objectsAt(selector, "matchExpressions").map((expression) => {
    const values = textsAt(expression, "values").join(" ");
    const [key, operator] = [textAt(expression, "key"), textAt(expression, "operator")];
    return `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values}],},`;
  });
  return `&LabelSelector{MatchLabels:map[string]string{${pairs.join("")}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join("")}},}`;
}
