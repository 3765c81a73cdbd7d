// The positions of a schema that have rules, or something with rules below them: all that a validation visits.
import { isObject, objectAt } from "../../meta/json.ts";
import type { JsonSchema } from "../schema-node.ts";
import { type CompiledRule, compileRule } from "./compiled-rule.ts";
import { type DeclType, declTypeOf } from "./decl-type.ts";
import { type RuleText, rulesOf } from "./rule-text.ts";

export interface RuleNode {
  /** The structural schema of the position, also where the rules stand in an allOf. */
  readonly schema: JsonSchema;
  readonly rules: PositionRules | undefined;
  readonly allOf: readonly RuleNode[];
  /** By name, which fixes the order of findings. */
  readonly properties: readonly (readonly [string, RuleNode])[];
  readonly values: RuleNode | undefined;
  readonly items: RuleNode | undefined;
}

/** The rules of one position; compiled when the first object is checked. */
export class PositionRules {
  /** The type as findings show it in place of a value. */
  readonly typeName: string;
  readonly #texts: readonly RuleText[];
  readonly #schema: JsonSchema;
  readonly #isResourceRoot: boolean;
  #compiled: { decl: DeclType; rules: readonly CompiledRule[] } | undefined;
  #hasNoType = false;

  constructor(texts: readonly RuleText[], schema: JsonSchema, isResourceRoot: boolean) {
    this.#texts = texts;
    this.#schema = schema;
    this.#isResourceRoot = isResourceRoot;
    this.typeName = typeof schema["type"] === "string" ? schema["type"] : "";
  }

  /** undefined where rules see nothing: there they are not run. */
  compiled(): { decl: DeclType; rules: readonly CompiledRule[] } | undefined {
    if (this.#compiled || this.#hasNoType) return this.#compiled;
    const decl = declTypeOf(this.#schema, this.#isResourceRoot);
    if (decl)
      this.#compiled = { decl, rules: this.#texts.map((text) => compileRule(text, decl, this.#schema)) };
    else this.#hasNoType = true;
    return this.#compiled;
  }
}

/** The tree below a schema, or undefined if there is no rule in it. */
export function ruleTreeOf(schema: JsonSchema, isResourceRoot: boolean): RuleNode | undefined {
  return build(schema, schema, isResourceRoot);
}

/** Rules come from one schema, types from another: that is so in allOf, which has no types of its own. */
function build(rules: JsonSchema, schema: JsonSchema, isResourceRoot: boolean): RuleNode | undefined {
  const texts = rulesOf(rules);
  const properties: (readonly [string, RuleNode])[] = [];
  const own = objectAt(rules, "properties") ?? {};
  const typed = objectAt(schema, "properties") ?? {};
  for (const key of Object.keys(own).sort()) {
    const child = buildChild(own[key], Object.hasOwn(typed, key) ? typed[key] : undefined);
    if (child) properties.push([key, child]);
  }
  const values = buildChild(rules["additionalProperties"], schema["additionalProperties"]);
  const items = buildChild(rules["items"], schema["items"]);
  const nested = Array.isArray(rules["allOf"]) ? rules["allOf"].filter(isObject) : [];
  const allOf = nested.flatMap((inner) => build(inner, schema, isResourceRoot) ?? []);
  if (texts.length + properties.length + allOf.length === 0 && !values && !items) return undefined;
  const position = texts.length > 0 ? new PositionRules(texts, schema, isResourceRoot) : undefined;
  return { schema, rules: position, allOf, properties, values, items };
}

function buildChild(rules: unknown, schema: unknown): RuleNode | undefined {
  if (!isObject(rules) || !isObject(schema)) return undefined;
  return build(rules, schema, schema["x-kubernetes-embedded-resource"] === true);
}
