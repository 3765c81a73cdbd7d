// Checks the rules of a schema when a CRD is written: that they are complete, compile, and cannot cost too much.
// It looks at the rules only; call it for structural schemas, and say where they are faulty otherwise.

import { addCosts, multiplyCosts } from "../../cel/library/price.ts";
import { trimSpace } from "../../cel/library/strings.ts";
import { type FieldError, forbidden, invalid, notSupported, required } from "../../meta/field-error.ts";
import { isObject, objectAt } from "../../meta/json.ts";
import { append } from "../../meta/lists.ts";
import type { JsonSchema } from "../schema-node.ts";
import { type CompiledRule, compileRule, maxCostOf } from "./compiled-rule.ts";
import { type DeclType, declTypeOf, REQUEST_BYTES_MAX } from "./decl-type.ts";
import { describeRuleText } from "./describe-rule.ts";
import { normalizeRulePath } from "./rule-path.ts";
import { type RuleText, rulesOf } from "./rule-text.ts";

/** What one rule may cost at most over all its positions in an object. */
const RULE_COST_MAX = 10_000_000;
/** What all rules of a schema may cost together. */
const SCHEMA_COST_MAX = 100_000_000;
const DEAREST_SHOWN = 4;
const REASONS = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

/** All that is wrong with the rules of the schema at the path. At faulty places they are not compiled. */
export function validateRuleDeclarations(
  raw: JsonSchema,
  fieldPath: string,
  faulty: ReadonlySet<string> = new Set(),
): FieldError[] {
  const total = new TotalCost();
  const place: Place = { path: fieldPath, count: 1, isResourceRoot: true, uncorrelated: undefined, faulty };
  const { ofText, ofRules } = visit(raw, raw, place, total);
  return [...ofText, ...ofRules, ...total.findings(fieldPath)];
}

interface Place {
  readonly path: string;
  /** How often the position can occur in an object; undefined: without limit. */
  readonly count: number | undefined;
  readonly isResourceRoot: boolean;
  /** The list above whose items do not correspond to old ones. */
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

/** Children first. The rules of a position are compiled only if nothing else is wrong at it and below, nor with the texts. */
function visit(rules: JsonSchema, schema: JsonSchema, place: Place, total: TotalCost): Findings {
  const found: Findings = { ofText: [], ofRules: [] };
  for (const child of childrenOf(rules, schema, place)) {
    const { ofText, ofRules } = visit(child.rules, child.schema, child.place, total);
    append(found.ofText, ofText);
    append(found.ofRules, ofRules);
  }
  const texts = rulesOf(rules);
  texts.forEach((text, index) => {
    append(found.ofText, checkText(text, schema, `${place.path}.x-kubernetes-validations[${index}]`));
  });
  if (texts.length > 0 && found.ofText.length === 0 && !place.faulty.has(place.path))
    append(found.ofRules, checkRules(texts, schema, place, total));
  return found;
}

interface Child {
  readonly rules: JsonSchema;
  readonly schema: JsonSchema;
  readonly place: Place;
}

function childrenOf(rules: JsonSchema, schema: JsonSchema, place: Place): Child[] {
  const children: Child[] = [];
  const add = (own: unknown, typed: unknown, path: string, uncorrelated: string | undefined): void => {
    if (!isObject(own) || !isObject(typed)) return;
    const isResourceRoot = typed["x-kubernetes-embedded-resource"] === true;
    const count = countBelow(schema, place.count);
    const at = { ...place, path, count, isResourceRoot, uncorrelated };
    children.push({ rules: own, schema: typed, place: at });
  };
  const { path, uncorrelated } = place;
  add(
    rules["additionalProperties"],
    schema["additionalProperties"],
    `${path}.additionalProperties`,
    uncorrelated,
  );
  const own = objectAt(rules, "properties") ?? {};
  const typed = objectAt(schema, "properties") ?? {};
  for (const key of Object.keys(own).sort())
    add(own[key], typed[key], `${path}.properties[${key}]`, uncorrelated);
  if (Array.isArray(rules["allOf"])) {
    rules["allOf"].forEach((nested, index) => {
      if (isObject(nested))
        children.push({ rules: nested, schema, place: { ...place, path: `${path}.allOf[${index}]` } });
    });
  }
  const isMapList = schema["x-kubernetes-list-type"] === "map";
  add(rules["items"], schema["items"], `${path}.items`, uncorrelated ?? (isMapList ? undefined : path));
  return children;
}

function countBelow(schema: JsonSchema, count: number | undefined): number | undefined {
  const factor = entriesMax(schema);
  return count === undefined || factor === undefined ? undefined : multiplyCosts(count, factor);
}

function entriesMax(schema: JsonSchema): number | undefined {
  if (schema["type"] === "array") return wholeAt(schema, "maxItems");
  if (schema["type"] !== "object" || schema["additionalProperties"] === undefined) return 1;
  return wholeAt(schema, "maxProperties");
}

function wholeAt(schema: JsonSchema, key: string): number | undefined {
  const value = schema[key];
  return typeof value === "number" || typeof value === "bigint" ? Math.max(0, Number(value)) : undefined;
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

function checkRules(
  texts: readonly RuleText[],
  schema: JsonSchema,
  place: Place,
  total: TotalCost,
): FieldError[] {
  const decl = declTypeOf(schema, place.isResourceRoot);
  if (!decl) {
    const message =
      "Internal error: internal error: failed to retrieve type information for x-kubernetes-validations";
    return [{ reason: "InternalError", field: `${place.path}.x-kubernetes-validations`, message }];
  }
  return texts.flatMap((text, index) => {
    const path = `${place.path}.x-kubernetes-validations[${index}]`;
    const rule = compileRule(text, decl, schema);
    return [...checkCost(rule, decl, { path, place, total }), ...checkOldSelf(rule, path, place)];
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
