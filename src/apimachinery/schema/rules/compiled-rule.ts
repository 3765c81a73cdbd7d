// A rule compiled against the declaration of its position, with the results that the validation of a CRD needs.
import { compileExpression, type Expression, environmentOf } from "../../cel/evaluate.ts";
import { optionalOf } from "../../cel/language/types.ts";
import type { Environment } from "../../cel/library/declare.ts";
import type { Size } from "../../cel/library/price.ts";
import { estimateCost, type SizeOfPath } from "../../cel/program/cost-estimate.ts";
import { trimSpace } from "../../go/white-space.ts";
import { isObject, objectAt } from "../../json/json.ts";
import { isEmbedded, type JsonSchema } from "../schema-node.ts";
import { type DeclType, declTypeOf } from "./decl-type.ts";
import { normalizeRulePath, type RuleText, rulesOf } from "./rule-text.ts";

export const SELF = "self";
const OLD_SELF = "oldSelf";

export interface CompiledRule {
  readonly text: RuleText;
  /** undefined if the rule is blank, or broken: see problem. */
  readonly expression: Expression | undefined;
  readonly problem: string | undefined;
  readonly usesOldSelf: boolean;
  readonly message: Expression | undefined;
  readonly messageProblem: string | undefined;
  /** Path of a finding below the position; undefined: the position itself. */
  readonly fieldPath: string | undefined;
}

const broken = (text: RuleText, problem: string | undefined): CompiledRule => ({
  text,
  expression: undefined,
  problem,
  usesOldSelf: false,
  message: undefined,
  messageProblem: undefined,
  fieldPath: undefined,
});

export function compileRule(text: RuleText, decl: DeclType, schema: JsonSchema): CompiledRule {
  if (trimSpace(text.rule) === "") return broken(text, undefined);
  const env = ruleEnvironment(decl, text.optionalOldSelf === true);
  const compiled = compileExpression(text.rule, env);
  if ("problem" in compiled) return broken(text, `compilation failed: ${compiled.problem}`);
  if (compiled.type.kind !== "bool") return broken(text, "cel expression must evaluate to a bool");
  const fieldPath = text.fieldPath === "" ? undefined : normalizeRulePath(text.fieldPath, schema);
  const rule = {
    ...broken(text, undefined),
    expression: compiled,
    usesOldSelf: compiled.uses(OLD_SELF),
    fieldPath,
  };
  if (text.messageExpression === "") return rule;
  const message = compileExpression(text.messageExpression, env);
  if ("problem" in message) {
    return { ...rule, messageProblem: `messageExpression compilation failed: ${message.problem}` };
  }
  if (message.type.kind !== "string") {
    return { ...rule, messageProblem: "messageExpression must evaluate to a string" };
  }
  return { ...rule, message };
}

function ruleEnvironment({ type }: DeclType, optionalOldSelf: boolean): Environment {
  return environmentOf(
    new Map([
      [SELF, type],
      [OLD_SELF, optionalOldSelf ? optionalOf(type) : type],
    ]),
  );
}

/** Maximal cost of one evaluation of the expression. */
export const maxCostOf = (expression: Expression | undefined, decl: DeclType): number =>
  expression ? estimateCost(expression.root, sizeOfPath(decl)) : 0;

function sizeOfPath(root: DeclType): SizeOfPath {
  return (path): Size | undefined => {
    let at: DeclType | undefined = root;
    for (const step of path.slice(1)) {
      if (step === "@keys") return at.kind === "map" ? { min: 0, max: 0 } : undefined;
      at = step === "@items" || step === "@values" ? at.item : at.fields.get(step);
      if (!at) return undefined;
    }
    return { min: 0, max: at.maxElements };
  };
}

// Positions of a schema that have rules themselves or below: all that validation visits.

export interface RuleNode {
  /** Structural schema of the position, also for rules inside of an allOf. */
  readonly schema: JsonSchema;
  readonly rules: PositionRules | undefined;
  /** With their indexes. */
  readonly allOf: readonly (readonly [number, RuleNode])[];
  /** Sorted by name, which is the order of findings. */
  readonly properties: readonly (readonly [string, RuleNode])[];
  readonly values: RuleNode | undefined;
  readonly items: RuleNode | undefined;
}

interface CompiledRules {
  readonly decl: DeclType;
  readonly rules: readonly CompiledRule[];
}

/** Rules of one position; compiled when the first object is validated. */
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

  /** Type in findings, in place of a value. */
  get typeName(): string {
    const { type } = this.#schema;
    return typeof type === "string" ? type : "";
  }

  /** null where the position is not visible to rules: there they are not run. */
  compiled(): CompiledRules | null {
    if (this.#compiled !== undefined) return this.#compiled;
    const schema = this.#schema;
    const decl = declTypeOf(schema, this.#isResourceRoot);
    this.#compiled = decl ? { decl, rules: this.texts.map((text) => compileRule(text, decl, schema)) } : null;
    return this.#compiled;
  }
}

/** Rule tree of a resource's schema, or undefined if it has no rules. */
export const ruleTreeOf = (schema: JsonSchema): RuleNode | undefined => build(schema, schema, true);

/** In an allOf, rules and types come from different schemas, because an allOf has no types of its own. */
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
  return build(rules, schema, isEmbedded(schema));
}
