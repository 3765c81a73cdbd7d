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
  /** With their places in it. */
  readonly allOf: readonly (readonly [number, RuleNode])[];
  /** By name, which fixes the order of findings. */
  readonly properties: readonly (readonly [string, RuleNode])[];
  readonly values: RuleNode | undefined;
  readonly items: RuleNode | undefined;
}

interface CompiledRules {
  readonly decl: DeclType;
  readonly rules: readonly CompiledRule[];
}

/** The rules of one position; compiled when the first object is checked. */
export class PositionRules {
  readonly texts: readonly RuleText[];
  readonly #schema: JsonSchema;
  readonly #isResourceRoot: boolean;
  #compiled: CompiledRules | null | undefined;

  constructor(texts: readonly RuleText[], schema: JsonSchema, isResourceRoot: boolean) {
    this.texts = texts;
    this.#schema = schema;
    this.#isResourceRoot = isResourceRoot;
  }

  /** The type as findings show it in place of a value. */
  get typeName(): string {
    const { type } = this.#schema;
    return typeof type === "string" ? type : "";
  }

  /** null where rules see nothing: there they are not run. */
  compiled(): CompiledRules | null {
    if (this.#compiled !== undefined) return this.#compiled;
    const schema = this.#schema;
    const decl = declTypeOf(schema, this.#isResourceRoot);
    this.#compiled = decl
      ? { decl, rules: this.texts.map((text) => compileRule(text, decl, schema)) }
      : null;
    return this.#compiled;
  }
}

/** The tree below the schema of a resource, or undefined if there is no rule in it. */
export const ruleTreeOf = (schema: JsonSchema): RuleNode | undefined => build(schema, schema, true);

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
  const allOf: (readonly [number, RuleNode])[] = [];
  for (const [index, nested] of Array.isArray(rules["allOf"]) ? rules["allOf"].entries() : []) {
    const inner = isObject(nested) ? build(nested, schema, isResourceRoot) : undefined;
    if (inner) allOf.push([index, inner]);
  }
  if (texts.length + properties.length + allOf.length === 0 && !values && !items) return undefined;
  const position = texts.length > 0 ? new PositionRules(texts, schema, isResourceRoot) : undefined;
  return { schema, rules: position, allOf, properties, values, items };
}

function buildChild(rules: unknown, schema: unknown): RuleNode | undefined {
  if (!isObject(rules) || !isObject(schema)) return undefined;
  return build(rules, schema, schema["x-kubernetes-embedded-resource"] === true);
}
