// The rules that schemas state about values of built-in types. A definition lists its members under x-egret-rules, in the
// order in which Go's validation function looks at them, each with what is asked of it:
//
//   required: true             it may not be missing, empty or 0; a text is told along. Nothing else is looked at then
//   notBlank: true             the same of a text, where white space is nothing, too
//   mustBeSet: true            the same, but to be empty is to be there
//   forbidden: text            it may not be there
//   invalid: text              what is there, if only the empty text, is wrong; [text, value]: another value is told
//   enum: [A, B]               one of these, in the order in which messages list them; not asked of an empty optional text
//   minimum, maximum: 1        a number within these; [1, must be greater than 0]: in other words than the usual ones
//   atMost: {all: total}       a number that is no greater than the one of another member, which is called like that
//   format: dns-label          a text or a number of this form (checks.ts); not asked of what is optional and empty or 0
//   maxBytes: 1024             of a text
//   unique: true               another item of the same list does not have it
//   maxItems: 100              of a list; the items of a longer one are not looked at
//   items: {…}                 what is asked of each item of a list
//   code: name                 a rule in TypeScript, for what takes more than that; driverName, labels and selector are known
//   immutable: member          an update may not change this member; stands under a key in parentheses
//
// Members that are structs are looked into by the rules of their types. A key in parentheses is no member: its rule is
// about the struct as a whole. Keys that are not listed are not looked at. These say what a rule is about, and when:
//
//   of: member                 under a key in parentheses: this member, or one of a member's: target.value
//   called: name               what messages call the member, where that is not its name; "" is the struct that it is in
//   when: {type: [A, B]}       only where the members of the struct are so: one of these texts, or true: given, or false:
//                              not given. With several such conditions in a list: where one of them holds
//   unless: {type: A}          only where it is not so
//   ends: true                 what is wrong here is all that is told of the struct
import {
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  repeated,
  required,
  tooLong,
  tooMany,
} from "../meta/field-error.ts";
import { isObject, type JsonObject, numberAt, objectAt, textsAt } from "../meta/json.ts";
import { append } from "../meta/lists.ts";
import { validateLabels } from "../meta/names.ts";
import { structNamedBy } from "../schema/go/go-struct.ts";
import { schemaLibrary } from "../schema/go/schema-library.ts";
import { FORMATS, formErrors, invalidTyped, validateDriverName, validateSame } from "./checks.ts";
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
  /** What is checked as a whole: the object, where the rules are those of a kind. */
  readonly root: JsonObject;
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

/** Everything that is wrong with a value of a type (its OpenAPI name), or with a list of them; `field` is its path. */
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

/** The members of a type that have rules, in their order. */
export const ruledMembers = (type: string): string[] => membersOf(type).map(({ name }) => name);

interface Findings {
  readonly errors: FieldError[];
  readonly code: CodeRules;
  readonly root: JsonObject;
  /** What items of the list around have already, by the name of the member. */
  readonly seen: Map<string, Set<unknown>>;
}

type Condition = Readonly<Record<string, boolean | string | readonly string[]>>;
/** One of which has to hold, with all that it says of members. */
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

/** A rule with what the schema says of the member. */
interface Member {
  readonly name: string;
  readonly rule: Rule;
  /** The type of the member, or of its items, where that is a struct. */
  readonly struct: string | undefined;
  /** The type in whose order its value is shown. */
  readonly shownAs: string | undefined;
  /** What a value that is not there counts as; undefined: nothing is asked of it. */
  readonly zero: unknown;
  /** Its zero value counts as not given. */
  readonly isOptional: boolean;
}

/** A test holds that it is there. */
const formOf = (name: string): ((value: never) => string[]) => FORMATS.get(name) ?? (() => []);

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

/** The old one of the place is the struct's own, and of what is inside it the struct's members. */
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

/** The value of a member, or of one of a member's: target.value. */
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

/** What is told of a value that is not there; undefined: it may be so. */
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
