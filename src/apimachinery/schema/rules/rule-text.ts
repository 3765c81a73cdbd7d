// One entry of x-kubernetes-validations as written, and its name in findings.

import { ESCAPE_LETTERS } from "../../go/strconv.ts";
import { trimSpace } from "../../go/white-space.ts";
import { isObject, type JsonObject, objectAt, objectsAt, textAt } from "../../json/json.ts";
import { escapeHtml } from "../../json/json-encode.ts";
import { childPath, type JsonSchema } from "../schema-node.ts";

export interface RuleText {
  readonly rule: string;
  readonly message: string;
  readonly messageExpression: string;
  readonly reason: string | undefined;
  readonly fieldPath: string;
  readonly optionalOldSelf: boolean | undefined;
}

export function rulesOf(schema: JsonSchema): RuleText[] {
  return objectsAt(schema, "x-kubernetes-validations").map((entry) => ({
    rule: textAt(entry, "rule"),
    message: textAt(entry, "message"),
    messageExpression: textAt(entry, "messageExpression"),
    reason: typeof entry["reason"] === "string" ? entry["reason"] : undefined,
    fieldPath: textAt(entry, "fieldPath"),
    optionalOldSelf: typeof entry["optionalOldSelf"] === "boolean" ? entry["optionalOldSelf"] : undefined,
  }));
}

/** Name of a rule in findings: its message, or else its text. */
export const ruleName = ({ rule, message }: RuleText): string => trimSpace(message === "" ? rule : message);

export const defaultMessage = (rule: RuleText): string =>
  rule.message === "" ? `failed rule: ${ruleName(rule)}` : ruleName(rule);

/** Members of the server's internal type, in its order. */
export const internalRule = (text: RuleText): JsonObject => ({
  Rule: text.rule,
  Message: text.message,
  MessageExpression: text.messageExpression,
  Reason: text.reason ?? null,
  FieldPath: text.fieldPath,
  OptionalOldSelf: text.optionalOldSelf ?? null,
});

/** A rule as the value of a finding, in Go's JSON. */
export const describeRuleText = (text: RuleText): string => escapeHtml(JSON.stringify(internalRule(text)));

// Tokens of a rule's fieldPath: ".a.b['c']", which must resolve to a field of the schema.

const TOKEN = /'(?:[^'\\]|\\[\s\S])*'|[.[\]]|[^.[\]']+/y;

/** The path in the notation of findings ("a.b[c]"); undefined if it does not resolve. */
export function normalizeRulePath(path: string, schema: JsonSchema): string | undefined {
  const tokens = tokensOf(path);
  if (!tokens) return undefined;
  let at: JsonSchema | undefined = schema;
  let shown = "";
  for (let index = 0; index < tokens.length; ) {
    const step = readStep(tokens, index);
    const found: Entered | undefined = step && at && enter(at, step.name);
    if (!step || !found) return undefined;
    shown = found.isKey ? `${shown}[${step.name}]` : childPath(shown, step.name);
    at = found.schema;
    index = step.next;
  }
  return shown;
}

function tokensOf(path: string): string[] | undefined {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < path.length) {
    const match = TOKEN.exec(path);
    if (!match) return undefined;
    tokens.push(match[0]);
  }
  return tokens;
}

function readStep(tokens: readonly string[], at: number): { name: string; next: number } | undefined {
  const name = tokens[at + 1];
  if (name === undefined) return undefined;
  if (tokens[at] === ".") return { name, next: at + 2 };
  if (tokens[at] !== "[" || !name.startsWith("'") || tokens[at + 2] !== "]") return undefined;
  const unescaped = unescapeName(name.slice(1, -1));
  return unescaped === undefined ? undefined : { name: unescaped, next: at + 3 };
}

function unescapeName(text: string): string | undefined {
  let broken = false;
  const out = text.replace(/\\([\s\S])/g, (_all, letter: string) => {
    const found = letter === "'" || letter === "\\" ? letter : ESCAPE_LETTERS.get(letter);
    if (found === undefined) broken = true;
    return found ?? "";
  });
  return broken ? undefined : out;
}

interface Entered {
  readonly schema: JsonSchema | undefined;
  readonly isKey: boolean;
}

function enter(schema: JsonSchema, name: string): Entered | undefined {
  const properties = objectAt(schema, "properties");
  if (properties) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return isObject(property) ? { schema: property, isKey: false } : undefined;
  }
  const values = schema["additionalProperties"];
  return values === undefined ? undefined : { schema: isObject(values) ? values : undefined, isKey: true };
}
