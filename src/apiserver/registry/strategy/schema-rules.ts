// Validation rules in the schemas of built-in types. A definition lists its members under x-egret-rules, in the order in
// which Go's validation function visits them, each with its rules:
//
//   required: true             must not be absent, empty or 0; a text is added to the error. No further rule is checked then
//   notBlank: true             as required, where a text of only white space is empty, too
//   mustBeSet: true            as required, but an empty value is accepted
//   forbidden: text            must be unset
//   invalid: text              any value is invalid, even ""; [text, value]: the error shows another value
//   enum: [A, B]               one of these, in the order of error messages; not checked for an optional empty text
//   minimum, maximum: 1        bounds of a number; [1, must be greater than 0]: with a text of its own
//   atMost: {all: total}       not greater than the number in another member, with that member's name in messages
//   format: dns-label          format of a text or number (checks.ts); not checked for an optional empty value
//   maxBytes: 1024             maximal size of a text
//   unique: true               no other item of the same list has the value
//   maxItems: 100              maximal length of a list; items of a longer one are not checked
//   items: {…}                 rules of each item of a list
//   code: name                 rule in TypeScript; driverName, labels and selector are predefined
//   immutable: member          an update must not change this member; used under a key in parentheses
//
// Members that are structs are validated by the rules of their types. A key in parentheses is no member: its rule applies to
// the struct as a whole. Members without a key are not validated. These select the subject and condition of a rule:
//
//   of: member                 under a key in parentheses: this member, or a nested one: target.value
//   called: name               name of the member in messages, where it differs; "" is the enclosing struct
//   when: {type: [A, B]}       only if the members of the struct match: one of these texts, or true: set, or false: unset.
//                              Of a list of conditions one must match
//   unless: {type: A}          only if they do not match
//   ends: true                 a finding of this rule is the last one of the struct

import { isObject, type JsonObject, numberAt, objectAt, textsAt } from "../../../apimachinery/json/json.ts";
import {
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  repeated,
  required,
  tooLong,
  tooMany,
} from "../../../apimachinery/meta/field-error.ts";
import { append } from "../../../apimachinery/meta/lists.ts";
import { validateLabels } from "../../../apimachinery/meta/names.ts";
import { structNamedBy } from "../../../apimachinery/schema/go/go-struct.ts";
import { schemaLibrary } from "../../../apimachinery/schema/go/schema-library.ts";
import { FORMATS, formErrors, invalidTyped, validateDriverName, validateSame } from "./checks.ts";
import { textMap, validateLabelSelector } from "./label-selectors.ts";

export interface Place {
  /** Key of the rule, without the parentheses. */
  readonly name: string;
  readonly value: unknown;
  readonly field: string;
  /** Struct that has the value as a member, or as an item of a member. */
  readonly owner: JsonObject;
  /** The same struct before an update; undefined for list items. */
  readonly old: JsonObject | undefined;
  /** Root of the validation: the object, where the rules are those of a kind. */
  readonly root: JsonObject;
}

/** Code rules by the names that schemas use. */
export type CodeRules = Readonly<Record<string, (place: Place) => FieldError[]>>;

interface Asked {
  /** Left out: the value is the whole object. */
  readonly field?: string;
  readonly code?: CodeRules;
  /** The value before an update. */
  readonly old?: Readonly<JsonObject> | undefined;
}

/** All findings about a value of a type (OpenAPI name), or about a list of them; `field` is its path. */
export function schemaErrors(
  type: string,
  value: Readonly<JsonObject> | readonly Readonly<JsonObject>[],
  { field = "", code = {}, old }: Asked = {},
): FieldError[] {
  const errors: FieldError[] = [];
  const root = objectOf(value);
  const findings = { errors, code, root, seen: new Map() };
  if (!Array.isArray(value)) checkStruct(type, { value, field, old }, findings);
  else checkItems({}, { name: "", value, field, owner: {}, old: undefined, root }, type, findings);
  return errors;
}

const COMMON: CodeRules = {
  driverName: ({ field, value }) => validateDriverName(field, String(value)),
  labels: ({ field, value }) => validateLabels(textMap(objectOf(value)), field),
  selector: ({ field, value }) => validateLabelSelector(field, objectOf(value)),
};

/** Members of a type with rules, in their order. */
export const ruledMembers = (type: string): string[] => membersOf(type).map(({ name }) => name);

interface Findings {
  readonly errors: FieldError[];
  readonly code: CodeRules;
  readonly root: JsonObject;
  /** Values of earlier items in the enclosing list, by member. */
  readonly seen: Map<string, Set<unknown>>;
}

type Condition = Readonly<Record<string, boolean | string | readonly string[]>>;
/** One condition must match, with all of its members. */
export type Conditions = Condition | readonly Condition[];

interface Rule {
  readonly of?: string;
  readonly called?: string;
  readonly ends?: true;
  readonly atMost?: Readonly<Record<string, string>>;
  readonly when?: Conditions;
  readonly unless?: Conditions;
  readonly required?: true | string;
  readonly notBlank?: true | string;
  readonly mustBeSet?: true | string;
  readonly enum?: readonly string[];
  readonly minimum?: number | readonly [number, string];
  readonly maximum?: number | readonly [number, string];
  readonly format?: string;
  readonly maxBytes?: number;
  readonly forbidden?: string;
  readonly invalid?: string | readonly [text: string, shown: unknown];
  readonly unique?: true;
  readonly maxItems?: number;
  readonly items?: Rule;
  readonly code?: string;
  readonly immutable?: string;
}

/** A rule and the schema's properties of the member. */
interface Member {
  readonly name: string;
  readonly rule: Rule;
  /** Type of the member, or of its items, if it is a struct. */
  readonly struct: string | undefined;
  /** Type whose member order the shown value has. */
  readonly shownAs: string | undefined;
  /** Value that an absent member counts as; undefined: its rules, except the required ones, are skipped. */
  readonly zero: unknown;
  /** The zero value counts as unset. */
  readonly isOptional: boolean;
}

/** A test ensures that the format exists. */
const formOf = (name: string): ((value: never) => string[]) => FORMATS.get(name) ?? (() => []);

/** The value as an object, or an empty one. */
export const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {});

const plans = new Map<string, readonly Member[]>();

function membersOf(type: string): readonly Member[] {
  let members = plans.get(type);
  if (members === undefined) {
    const definition = schemaLibrary().definition(type) ?? {};
    const rules = Object.entries(objectAt(definition, "x-egret-rules") ?? {});
    members = rules.map(([name, rule]) => memberOf(definition, name, rule as Rule)); // the form is tested
    plans.set(type, members);
  }
  return members;
}

function memberOf(definition: JsonObject, name: string, rule: Rule): Member {
  const member = rule.immutable ?? rule.of ?? name;
  const schema = objectAt(objectAt(definition, "properties"), member) ?? {};
  const { type, "x-egret-pointer": pointer, "x-egret-zero": zero } = schema;
  const shownAs = structNamedBy(schema);
  const struct = name === member ? shownAs : undefined;
  const mustBeThere = textsAt(definition, "required").includes(member);
  const isNumber = type === "integer" || (mustBeThere && struct?.endsWith(".IntOrString"));
  const empty = type === "string" ? "" : isNumber ? 0 : undefined;
  const hasNone = pointer === true || zero === null;
  const isOptional = !hasNone && schema["default"] === undefined && !mustBeThere;
  const usual = hasNone ? undefined : (schema["default"] ?? empty);
  return { name, rule, struct, shownAs, zero: usual, isOptional };
}

/** `old` is the struct before the update; the rules of its members get it as their owner's old value. */
function checkStruct(
  type: string,
  { value, field, old }: Pick<Place, "value" | "field" | "old">,
  findings: Findings,
): void {
  const owner = objectOf(value);
  const at = (name: string): string => (field === "" || name === "" ? field + name : `${field}.${name}`);
  for (const member of membersOf(type)) {
    const { name, rule, zero } = member;
    const { immutable, of = name, called = immutable ?? of } = rule;
    if (!isAsked(rule, owner)) continue;
    if (immutable === undefined) {
      const place = of.startsWith("(")
        ? { name: of.slice(1, -1), value: owner, field, owner, old, root: findings.root }
        : { name: of, value: valueAt(owner, of) ?? zero, field: at(called), owner, old, root: findings.root };
      const { length } = findings.errors;
      checkValue(rule, place, member, findings);
      if (rule.ends && findings.errors.length > length) return;
    } else if (old !== undefined) {
      append(findings.errors, unchangedErrors(member, at(called), owner, old));
    }
  }
}

function unchangedErrors(
  { rule: { immutable = "" }, zero, shownAs }: Member,
  field: string,
  owner: JsonObject,
  old: JsonObject,
): FieldError[] {
  const value = owner[immutable] ?? zero;
  const errors = validateSame(field, value, old[immutable] ?? zero);
  if (errors.length === 0 || shownAs === undefined || !isObject(value)) return errors;
  return [invalidTyped(shownAs, field, value, "field is immutable")];
}

const isAsked = ({ when, unless }: Rule, owner: JsonObject): boolean =>
  (when === undefined || isSo(when, owner)) && (unless === undefined || !isSo(unless, owner));

export const isSo = (conditions: Conditions, owner: JsonObject): boolean =>
  [conditions].flat().some((condition) =>
    Object.entries(condition).every(([member, wanted]) => {
      const value = valueAt(owner, member) ?? "";
      if (typeof wanted === "boolean") return wanted === (value === 0 || !isNothing(value));
      return [wanted].flat().includes(String(value));
    }),
  );

/** The value of a member, or of a nested one: target.value. */
const valueAt = (owner: JsonObject, path: string): unknown =>
  path.includes(".")
    ? path.split(".").reduce<unknown>((value, member) => objectOf(value)[member], owner)
    : owner[path];

function checkValue(
  rule: Rule,
  place: Place,
  { struct, zero, isOptional }: Pick<Member, "struct" | "zero" | "isOptional">,
  findings: Findings,
): void {
  const { name, value, field, owner, old } = place;
  const { errors, code, seen } = findings;
  const missing = missingText(rule, value === owner ? undefined : value);
  if (missing !== undefined) errors.push(required(field, missing));
  if (missing !== undefined || value === undefined || value === null) return;
  const isGiven = !isOptional || value !== zero;
  const [wrong, shown = value] = [rule.invalid ?? []].flat();
  if (isGiven && rule.forbidden !== undefined) errors.push(forbidden(field, rule.forbidden));
  if (wrong !== undefined) errors.push(invalid(field, shown, String(wrong)));
  if (isGiven && rule.enum?.includes(String(value)) === false)
    errors.push(notSupported(field, value, rule.enum));
  if (typeof value === "number" || typeof value === "bigint") append(errors, rangeErrors(rule, field, value));
  for (const [other, called] of Object.entries(rule.atMost ?? {})) {
    if (Number(value) <= (numberAt(owner, other) ?? 0)) continue;
    errors.push(invalid(field, value, `cannot be greater than ${called}`));
  }
  if (isGiven && rule.format !== undefined) {
    append(errors, formErrors(formOf(rule.format), field, value as never));
  }
  if (rule.maxBytes !== undefined && Buffer.byteLength(String(value)) > rule.maxBytes) {
    errors.push(tooLong(field, rule.maxBytes));
  }
  if (isGiven && rule.unique) {
    const known = seen.get(name) ?? new Set();
    seen.set(name, known);
    append(errors, repeated(known, field, value));
  }
  if (Array.isArray(value)) {
    if (value.length > (rule.maxItems ?? Number.POSITIVE_INFINITY)) {
      errors.push(tooMany(field, value.length, rule.maxItems ?? 0));
      return;
    }
    checkItems(rule.items ?? {}, place, struct, findings);
  } else if (struct !== undefined && isObject(value)) {
    checkStruct(struct, { ...place, old: old && (objectAt(old, name) ?? {}) }, findings);
  }
  if (rule.code === undefined) return;
  const inCode = code[rule.code] ?? COMMON[rule.code];
  if (inCode === undefined) throw new Error(`no rule is called ${rule.code}`);
  append(errors, inCode(place));
}

/** Text of the error for a missing value; undefined: it may be absent. */
function missingText({ required, notBlank, mustBeSet }: Rule, value: unknown): string | undefined {
  const isAbsent = value === undefined || value === null;
  const text =
    (isAbsent ? mustBeSet : undefined) ??
    (isNothing(value) ? required : undefined) ??
    (isAbsent || (typeof value === "string" && value.trim() === "") ? notBlank : undefined);
  return text === true ? "" : text;
}

function checkItems(rule: Rule, list: Place, struct: string | undefined, findings: Findings): void {
  const ofItems = { ...findings, seen: new Map() };
  const member = { struct, zero: undefined, isOptional: false };
  for (const [index, value] of [list.value].flat().entries()) {
    checkValue(rule, { ...list, value, field: `${list.field}[${index}]`, old: undefined }, member, ofItems);
  }
}

export const isNothing = (value: unknown): boolean =>
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
