// Validates the CEL rules of a schema when a CRD is written: they must be complete, compile, and stay below the cost
// limits. It covers the rules only. The schema must be structural; positions with other errors are passed in.

import { addCosts, multiplyCosts } from "../../cel/library/price.ts";
import { trimSpace } from "../../go/white-space.ts";
import { type FieldError, forbidden, invalid, notSupported, required } from "../../meta/field-error.ts";
import { append } from "../../meta/lists.ts";
import { type JsonSchema, limitOf } from "../schema-node.ts";
import {
  type CompiledRule,
  maxCostOf,
  type PositionRules,
  type RuleNode,
  ruleTreeOf,
} from "./compiled-rule.ts";
import { type DeclType, REQUEST_BYTES_MAX } from "./decl-type.ts";
import { describeRuleText, normalizeRulePath, type RuleText } from "./rule-text.ts";

/** Cost limit of one rule over all its positions in an object. */
const RULE_COST_MAX = 10_000_000;
/** Cost limit of all rules of a schema. */
const SCHEMA_COST_MAX = 100_000_000;
const DEAREST_SHOWN = 4;
const REASONS = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

/** All errors of the rules in the schema at the path. Rules at faulty positions are not compiled. */
export function validateRuleDeclarations(
  raw: JsonSchema,
  fieldPath: string,
  faulty: ReadonlySet<string> = new Set(),
): FieldError[] {
  const tree = ruleTreeOf(raw);
  if (tree === undefined) return [];
  const total = new TotalCost();
  const place: Place = { path: fieldPath, count: 1, uncorrelated: undefined, faulty };
  const { ofText, ofRules } = visit(tree, place, total);
  return [...ofText, ...ofRules, ...total.findings(fieldPath)];
}

interface Place {
  readonly path: string;
  /** Maximal number of occurrences of the position in an object; undefined: unlimited. */
  readonly count: number | undefined;
  /** Enclosing list whose items have no counterpart in the old list. */
  readonly uncorrelated: string | undefined;
  readonly faulty: ReadonlySet<string>;
}

interface Findings {
  readonly ofText: FieldError[];
  readonly ofRules: FieldError[];
}

class TotalCost {
  #total = 0;
  #dearest: { path: string; cost: number }[] = [];

  add(path: string, cost: number): void {
    this.#total = addCosts([this.#total, cost]);
    if (cost < SCHEMA_COST_MAX / 100) return;
    this.#dearest.push({ path, cost });
    this.#dearest.sort((a, b) => b.cost - a.cost);
    this.#dearest.splice(DEAREST_SHOWN);
  }

  findings(path: string): FieldError[] {
    if (this.#total <= SCHEMA_COST_MAX) return [];
    const why = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
    const what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
    return [
      ...this.#dearest.map((dear) => forbidden(dear.path, why)),
      forbidden(path, describeCost(what, this.#total, SCHEMA_COST_MAX)),
    ];
  }
}

/**
 * Children first. Rules of a position are compiled only if neither its schema and descendants nor the rule texts have
 * errors.
 */
function visit(node: RuleNode, place: Place, total: TotalCost): Findings {
  const found: Findings = { ofText: [], ofRules: [] };
  for (const [child, at] of childrenOf(node, place)) {
    const { ofText, ofRules } = visit(child, at, total);
    append(found.ofText, ofText);
    append(found.ofRules, ofRules);
  }
  const { rules, schema } = node;
  if (rules === undefined) return found;
  const path = `${place.path}.x-kubernetes-validations`;
  rules.texts.forEach((text, index) => {
    append(found.ofText, checkText(text, schema, `${path}[${index}]`));
  });
  if (found.ofText.length === 0 && !place.faulty.has(place.path))
    append(found.ofRules, checkRules(rules, path, place, total));
  return found;
}

function childrenOf(
  { schema, values, properties, allOf, items }: RuleNode,
  place: Place,
): [RuleNode, Place][] {
  const { path } = place;
  const below = { ...place, count: countBelow(schema, place.count) };
  const children: [RuleNode, Place][] = [];
  if (values) children.push([values, { ...below, path: `${path}.additionalProperties` }]);
  for (const [key, property] of properties)
    children.push([property, { ...below, path: `${path}.properties[${key}]` }]);
  for (const [index, nested] of allOf) children.push([nested, { ...place, path: `${path}.allOf[${index}]` }]);
  const isMapList = schema["x-kubernetes-list-type"] === "map";
  const uncorrelated = place.uncorrelated ?? (isMapList ? undefined : path);
  if (items) children.push([items, { ...below, path: `${path}.items`, uncorrelated }]);
  return children;
}

function countBelow(schema: JsonSchema, count: number | undefined): number | undefined {
  const factor = entriesMax(schema);
  return count === undefined || factor === undefined ? undefined : multiplyCosts(count, factor);
}

function entriesMax(schema: JsonSchema): number | undefined {
  if (schema["type"] === "array") return limitOf(schema, "maxItems");
  if (schema["type"] !== "object" || schema["additionalProperties"] === undefined) return 1;
  return limitOf(schema, "maxProperties");
}

const hasLineBreak = (text: string): boolean => /[\n\r]/.test(text);

function checkText(text: RuleText, schema: JsonSchema, path: string): FieldError[] {
  const found: FieldError[] = [];
  const { rule, message, messageExpression, reason, fieldPath } = text;
  const trimmed = trimSpace(message);
  if (trimSpace(rule) === "") found.push(required(`${path}.rule`, "rule is not specified"));
  else if (message !== "" && trimmed === "") {
    found.push(invalid(`${path}.message`, message, "must be non-empty if specified"));
  } else if (hasLineBreak(trimmed)) {
    found.push(invalid(`${path}.message`, message, "must not contain line breaks"));
  } else if (hasLineBreak(trimSpace(rule)) && trimmed === "") {
    found.push(required(`${path}.message`, "message must be specified if rule contains line breaks"));
  }
  if (messageExpression !== "" && trimSpace(messageExpression) === "") {
    found.push(required(`${path}.messageExpression`, "messageExpression must be non-empty if specified"));
  }
  if (reason !== undefined && !REASONS.includes(reason)) {
    found.push(notSupported(`${path}.reason`, reason, REASONS));
  }
  const pathAt = `${path}.fieldPath`;
  if (fieldPath === "") return found;
  if (trimSpace(fieldPath) === "") found.push(invalid(pathAt, fieldPath, "must be non-empty if specified"));
  if (hasLineBreak(fieldPath)) found.push(invalid(pathAt, fieldPath, "must not contain line breaks"));
  if (normalizeRulePath(fieldPath, schema) === undefined) {
    found.push(invalid(pathAt, fieldPath, "must be a valid path"));
  }
  return found;
}

function checkRules(rules: PositionRules, field: string, place: Place, total: TotalCost): FieldError[] {
  const compiled = rules.compiled();
  if (compiled === null) {
    const message =
      "Internal error: internal error: failed to retrieve type information for x-kubernetes-validations";
    return [{ reason: "InternalError", field, message }];
  }
  return compiled.rules.flatMap((rule, index) => {
    const path = `${field}[${index}]`;
    return [...checkCost(rule, compiled.decl, { path, place, total }), ...checkOldSelf(rule, path, place)];
  });
}

function checkCost(
  rule: CompiledRule,
  decl: DeclType,
  { path, place, total }: { path: string; place: Place; total: TotalCost },
): FieldError[] {
  const found: FieldError[] = [];
  const times = place.count ?? Math.floor(REQUEST_BYTES_MAX / (decl.minSize + 1));
  const cost = multiplyCosts(maxCostOf(rule.expression, decl), times);
  if (cost > RULE_COST_MAX) {
    found.push(forbidden(`${path}.rule`, describeCost("estimated rule cost", cost, RULE_COST_MAX)));
  }
  total.add(`${path}.rule`, cost);
  if (rule.problem !== undefined) found.push(broken(`${path}.rule`, rule.text, rule.problem));
  if (rule.messageProblem !== undefined) {
    found.push(broken(`${path}.messageExpression`, rule.text, rule.messageProblem));
  } else if (rule.message) {
    const messageCost = maxCostOf(rule.message, decl);
    if (messageCost > RULE_COST_MAX) {
      const detail = describeCost("estimated messageExpression cost", messageCost, RULE_COST_MAX);
      found.push(forbidden(`${path}.messageExpression`, detail));
    }
    total.add(`${path}.messageExpression`, messageCost);
  }
  return found;
}

const broken = (field: string, text: RuleText, detail: string): FieldError => ({
  reason: "FieldValueInvalid",
  field,
  message: `Invalid value: ${describeRuleText(text)}: ${detail}`,
});

function checkOldSelf(rule: CompiledRule, path: string, place: Place): FieldError[] {
  const { text } = rule;
  if (rule.usesOldSelf) {
    if (place.uncorrelated === undefined) return [];
    const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${place.uncorrelated}`;
    return [invalid(`${path}.rule`, text.rule, detail)];
  }
  if (text.optionalOldSelf === undefined) return [];
  const detail = "may not be set if oldSelf is not used in rule";
  return [invalid(`${path}.optionalOldSelf`, text.optionalOldSelf, detail)];
}

function describeCost(what: string, cost: number, limit: number): string {
  const factor = cost / limit;
  let times = "more than 100x";
  if (factor < 1.5) times = `${factor.toFixed(6)}x`;
  else if (factor <= 100) times = `${factor.toFixed(1)}x`;
  const advice =
    "try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared";
  return `${what} exceeds budget by factor of ${times} (${advice})`;
}
