// The rules that schemas state about values of built-in types. A definition lists its members under x-egret-rules, in the
// order in which Go's validation function looks at them, each with what is asked of it:
//
//   required: true             it may not be missing, empty or 0; a text is told along. Nothing else is looked at then
//   enum: [A, B]               one of these, in the order in which messages list them; not asked of an empty optional text
//   minimum, maximum: 1        a number within these; [1, must be greater than 0]: in other words than the usual ones
//   format: dns-label          a text or a number of this form; not asked of what is optional and empty or 0
//   maxItems: 100              of a list; the items of a longer one are not looked at
//   items: {…}                 what is asked of each item of a list
//   code: name                 a rule in TypeScript, for what takes more than one member; labels, selector and notBlank are known
//   immutable: member          an update may not change this member; stands under a key in parentheses
//
// Members that are structs are looked into by the rules of their types. A key in parentheses is no member: its rule is
// about the struct as a whole. Keys that are not listed are not looked at.
import { type FieldError, invalid, notSupported, required, tooMany } from "../meta/field-error.ts";
import { isObject, type JsonObject, objectAt, textsAt } from "../meta/json.ts";
import { append } from "../meta/lists.ts";
import {
  isDns1123Label,
  isDns1123Subdomain,
  isLabelValue,
  isPathSegmentName,
  isQualifiedName,
  nameIsDnsSubdomain,
  validateLabels,
} from "../meta/names.ts";
import { schemaLibrary } from "../schema/go/schema-library.ts";
import { isCanonicalIp, isExternalIp, isIp } from "./addresses.ts";
import { formErrors, isPortName, isPortNumber, validateSame } from "./checks.ts";
import { isConfigKey } from "./config-keys.ts";
import { textMap, validateLabelSelector } from "./label-selectors.ts";

export interface Place {
  /** The key of the rule, without the parentheses. */
  readonly name: string;
  readonly value: unknown;
  readonly field: string;
  /** The struct that the value is a member of, or an item below a member of. */
  readonly owner: JsonObject;
  /** The same before an update; undefined too for what lies in a list. */
  readonly old: JsonObject | undefined;
}

/** Rules in code by the names that schemas call them. */
export type CodeRules = Readonly<Record<string, (place: Place) => FieldError[]>>;

interface Asked {
  /** Left out: the value is an object. */
  readonly field?: string;
  readonly code?: CodeRules;
  /** What was there before an update. */
  readonly old?: Readonly<JsonObject> | undefined;
}

/** Everything that is wrong with a value of a type (its OpenAPI name); `field` is its path. */
export function schemaErrors(
  type: string,
  value: Readonly<JsonObject>,
  { field = "", code = {}, old }: Asked = {},
): FieldError[] {
  const errors: FieldError[] = [];
  checkStruct(type, { value, field, old }, { errors, code });
  return errors;
}

const COMMON: CodeRules = {
  labels: ({ field, value }) => validateLabels(textMap(objectOf(value)), field),
  selector: ({ field, value }) => validateLabelSelector(field, objectOf(value)),
  notBlank: ({ field, value }) => (String(value).trim() === "" ? [required(field)] : []),
};

/** The members of a type that have rules, in their order. */
export const ruledMembers = (type: string): string[] => membersOf(type).map(({ name }) => name);

interface Findings {
  readonly errors: FieldError[];
  readonly code: CodeRules;
}

interface Rule {
  readonly required?: true | string;
  readonly enum?: readonly string[];
  readonly minimum?: number | readonly [number, string];
  readonly maximum?: number | readonly [number, string];
  readonly format?: string;
  readonly maxItems?: number;
  readonly items?: Rule;
  readonly code?: string;
  readonly immutable?: string;
}

/** A rule with what the schema says of the member. */
interface Member {
  readonly name: string;
  readonly rule: Rule;
  /** The type of the member, or of its items, where that is a struct. */
  readonly struct: string | undefined;
  /** What a value that is not there counts as; undefined: nothing is asked of it. */
  readonly zero: unknown;
  /** Its zero value counts as not given. */
  readonly isOptional: boolean;
}

const VARIABLE_NAME_RULE =
  "a valid environment variable name must consist only of printable ASCII characters other than '='";

export const FORMATS = new Map<string, (value: never) => string[]>([
  ["dns-label", isDns1123Label],
  ["dns-subdomain", isDns1123Subdomain],
  ["label-key", isQualifiedName],
  ["label-value", (text: string) => [isLabelValue(text).join(";")].filter(Boolean)],
  ["path-segment", (text: string) => isPathSegmentName(text, false)],
  ["generated-name", (text: string) => nameIsDnsSubdomain(text, true)],
  ["config-key", isConfigKey],
  ["variable-name", (name: string) => (/^[\x20-\x3c\x3e-\x7e]*$/.test(name) ? [] : [VARIABLE_NAME_RULE])],
  ["ip", isIp],
  ["canonical-ip", isCanonicalIp],
  ["external-ip", isExternalIp],
  ["port-number", isPortNumber],
  ["port", (port: number | string) => (typeof port === "string" ? isPortName(port) : isPortNumber(port))],
  [
    "file-mode",
    (mode: number) => between(mode, 0o777, "must be a number between 0 and 0777 (octal), both inclusive"),
  ],
  ["user-id", (id: number) => between(id, 2 ** 31 - 1, `must be between 0 and ${2 ** 31 - 1}, inclusive`)],
]);

/** A test holds that it is there. */
const formOf = (name: string): ((value: never) => string[]) => FORMATS.get(name) ?? (() => []);

const between = (number: number, max: number, rule: string): string[] =>
  number >= 0 && number <= max ? [] : [rule];

/** The value of a place where a struct or a map is. */
export const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {});

const plans = new Map<string, readonly Member[]>();

function membersOf(type: string): readonly Member[] {
  let members = plans.get(type);
  if (members === undefined) {
    const definition = schemaLibrary().definition(type) ?? {};
    const rules = Object.entries(objectAt(definition, "x-egret-rules") ?? {});
    members = rules.map(([name, rule]) => memberOf(definition, name, rule as Rule)); // a test holds the form of the rules
    plans.set(type, members);
  }
  return members;
}

/** The type of a member, or of its items, where that is a struct. */
export function structNamedBy(schema: JsonObject): string | undefined {
  const parts = [schema, schema["items"], schema["allOf"]].flat();
  const references = parts.map((part) => (isObject(part) ? part["$ref"] : undefined));
  return references.find((reference) => typeof reference === "string")?.replace(/.*\//, "");
}

function memberOf(definition: JsonObject, name: string, rule: Rule): Member {
  const schema = objectAt(objectAt(definition, "properties"), rule.immutable ?? name) ?? {};
  const { type, "x-egret-pointer": pointer, "x-egret-zero": zero } = schema;
  const struct = structNamedBy(schema);
  const mustBeThere = textsAt(definition, "required").includes(name);
  const isNumber = type === "integer" || (mustBeThere && struct?.endsWith(".IntOrString"));
  const empty = type === "string" ? "" : isNumber ? 0 : undefined;
  const hasNone = pointer === true || zero === null;
  const isOptional = !hasNone && schema["default"] === undefined && !mustBeThere;
  return { name, rule, struct, zero: hasNone ? undefined : (schema["default"] ?? empty), isOptional };
}

/** The old one of the place is the struct's own, and of what is inside it the struct's members. */
function checkStruct(
  type: string,
  { value, field, old }: Pick<Place, "value" | "field" | "old">,
  findings: Findings,
): void {
  const owner = objectOf(value);
  const at = (name: string): string => (field === "" ? name : `${field}.${name}`);
  for (const member of membersOf(type)) {
    const { name, rule, zero } = member;
    const { immutable } = rule;
    if (immutable === undefined) {
      const place = name.startsWith("(")
        ? { name: name.slice(1, -1), value: owner, field, owner, old }
        : { name, value: owner[name] ?? zero, field: at(name), owner, old };
      checkValue(rule, place, member, findings);
    } else if (old !== undefined) {
      append(findings.errors, validateSame(at(immutable), owner[immutable] ?? zero, old[immutable] ?? zero));
    }
  }
}

function checkValue(
  rule: Rule,
  place: Place,
  { struct, zero, isOptional }: Pick<Member, "struct" | "zero" | "isOptional">,
  findings: Findings,
): void {
  const { name, value, field, old } = place;
  const { errors, code } = findings;
  if (rule.required !== undefined && isNothing(value)) {
    errors.push(required(field, rule.required === true ? "" : rule.required));
    return;
  }
  if (value === undefined || value === null) return;
  const isGiven = !isOptional || value !== zero;
  if (isGiven && rule.enum?.includes(String(value)) === false)
    errors.push(notSupported(field, value, rule.enum));
  if (typeof value === "number" || typeof value === "bigint") append(errors, rangeErrors(rule, field, value));
  if (isGiven && rule.format !== undefined) {
    append(errors, formErrors(formOf(rule.format), field, value as never));
  }
  if (Array.isArray(value)) {
    if (value.length > (rule.maxItems ?? Number.POSITIVE_INFINITY)) {
      errors.push(tooMany(field, value.length, rule.maxItems ?? 0));
      return;
    }
    for (const [index, item] of value.entries()) {
      const itemPlace = { ...place, value: item, field: `${field}[${index}]`, old: undefined };
      checkValue(rule.items ?? {}, itemPlace, { struct, zero: undefined, isOptional: false }, findings);
    }
  } else if (struct !== undefined && isObject(value)) {
    checkStruct(struct, { ...place, old: old && (objectAt(old, name) ?? {}) }, findings);
  }
  if (rule.code === undefined) return;
  const inCode = code[rule.code] ?? COMMON[rule.code];
  if (inCode === undefined) throw new Error(`no rule is called ${rule.code}`);
  append(errors, inCode(place));
}

const isNothing = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === "" ||
  value === 0 ||
  (Array.isArray(value) && value.length === 0);

function rangeErrors({ minimum, maximum }: Rule, field: string, value: number | bigint): FieldError[] {
  const [min, tooSmall] = limitOf(minimum, "greater");
  const [max, tooLarge] = limitOf(maximum, "less");
  return [
    ...(min !== undefined && value < min ? [invalid(field, Number(value), tooSmall)] : []),
    ...(max !== undefined && value > max ? [invalid(field, Number(value), tooLarge)] : []),
  ];
}

function limitOf(limit: Rule["minimum"], which: string): readonly [number | undefined, string] {
  return typeof limit === "object" ? limit : [limit, `must be ${which} than or equal to ${limit}`];
}
