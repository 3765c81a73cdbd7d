// Value validation with findings: texts and order are upstream's (kube-openapi's validator as apiextensions-apiserver
// reports it). Checks of one value are independent, so a value of a wrong type may have further findings.

import { compilePattern } from "../../go/pattern.ts";
import { goQuote } from "../../go/strconv.ts";
import { hasOwn, isObject, type JsonObject, type JsonTypeName } from "../../json/json.ts";
import { encodeJson } from "../../json/json-encode.ts";
import {
  type FieldError,
  invalid,
  notSupported,
  required,
  tooLong,
  tooMany,
  typeInvalid,
} from "../../meta/field-error.ts";
import { childPath } from "../schema-node.ts";
import { checksType, isEnumerated, kindOf, numberErrors, typeMismatch } from "./check-type.ts";
import { Correlation } from "./correlation.ts";
import { checkAlternatives, Findings, hasAlternatives } from "./findings.ts";
import type { ValueSchema } from "./value-schema.ts";

/** All findings about the value; with an old value, only those about changes. `root`: the field of the value. */
export function explainValue(
  schema: ValueSchema,
  value: unknown,
  { root, old }: { readonly root: string; readonly old?: unknown },
): FieldError[] {
  const findings = new Findings();
  const correlation = old === undefined ? undefined : new Correlation(value, old, schema);
  visitRatcheting(schema, value, { root, path: "", correlation }, findings);
  return findings.errors;
}

/** Position of the walk. */
interface Place {
  /** Field of the root value: "" for an object, "status" for its status. */
  readonly root: string;
  /** Path in messages, without the root. */
  readonly path: string;
  readonly correlation: Correlation | undefined;
}

/** Field of a path: the field contains the root, the message does not. */
function fieldOf({ root, path }: Place): string {
  const field = path.startsWith(".") ? path.slice(1) : path;
  return root === "" || field === "" ? root + field : `${root}.${field}`;
}

/** An unchanged value is exempt from findings (ratcheting). */
function visitRatcheting(schema: ValueSchema, value: unknown, place: Place, findings: Findings): void {
  const count = findings.errors.length;
  visit(schema, value, place, findings);
  if (findings.errors.length > count && place.correlation?.unchanged) findings.truncate(count);
}

function visit(schema: ValueSchema, value: unknown, place: Place, findings: Findings): void {
  const kind = kindOf(value);
  if (kind === "null") {
    checkType(schema, value, kind, place, findings);
    checkEnum(schema, value, place, findings);
    return;
  }
  if (checksType(schema)) {
    checkType(schema, value, kind, place, findings);
    findings.matches++;
  }
  if (hasAlternatives(schema)) visitAlternatives(schema, value, place, findings);
  else findings.matches++;
  findings.matches++;
  if (typeof value === "string") checkString(schema, value, place, findings);
  else if (typeof value === "number" || typeof value === "bigint") {
    const fields = { field: fieldOf(place), whole: place.root };
    for (const error of numberErrors(schema, value, place.path, fields)) findings.add(error);
    findings.matches += 2;
  } else if (Array.isArray(value)) {
    checkItems(schema, value, place, findings);
    findings.matches += 2;
  }
  checkEnum(schema, value, place, findings);
  findings.matches++;
  if (isObject(value)) {
    checkMembers(schema, value, place, findings);
    findings.matches++;
  }
  findings.matches++;
}

function visitAlternatives(schema: ValueSchema, value: unknown, place: Place, findings: Findings): void {
  checkAlternatives(schema, findings, {
    check: (branch) => {
      const found = new Findings();
      visit(branch, value, { ...place, correlation: undefined }, found);
      return found;
    },
    isMisfit: (branch) => lacksRequired(branch, value) || isOfOtherType(branch, value),
    complain: (text) => findings.add(invalid(place.root, "", `${goQuote(place.path)} must ${text}`)),
  });
}

const isOfOtherType = (schema: ValueSchema, value: unknown): boolean =>
  checksType(schema) && typeMismatch(schema, value, kindOf(value)) !== undefined;

const lacksRequired = ({ required: keys }: ValueSchema, value: unknown): boolean =>
  keys.length > 0 && isObject(value) && keys.some((key) => !hasOwn(value, key));

function checkType(
  schema: ValueSchema,
  value: unknown,
  kind: JsonTypeName,
  place: Place,
  findings: Findings,
): void {
  const mismatch = typeMismatch(schema, value, kind);
  if (mismatch === undefined) findings.matches++;
  else findings.add(wrongType(place, mismatch.expected, mismatch.found));
}

const wrongType = (place: Place, expected: string, found: string): FieldError =>
  typeInvalid(fieldOf(place), found, `${place.path} in body must be of type ${expected}: ${goQuote(found)}`);

function checkEnum({ enumValues }: ValueSchema, value: unknown, place: Place, findings: Findings): void {
  if (enumValues === undefined || isEnumerated(enumValues, value)) return;
  const shown = enumValues.map((listed) => (typeof listed === "string" ? listed : encodeJson(listed)));
  findings.add(notSupported(fieldOf(place), value, shown));
}

function checkString(schema: ValueSchema, value: string, place: Place, findings: Findings): void {
  const error = stringError(schema, value, place);
  if (error !== undefined) findings.add(error);
  findings.matches++;
  if (schema.matchesFormat === undefined) return;
  if (!schema.matchesFormat(value)) findings.add(wrongType(place, schema.format, value));
  findings.matches++;
}

/** Only the first of the three errors. */
function stringError(schema: ValueSchema, value: string, place: Place): FieldError | undefined {
  const { minLength, maxLength, pattern } = schema;
  const field = fieldOf(place);
  if (minLength !== undefined || maxLength !== undefined) {
    const length = countLetters(value);
    if (maxLength !== undefined && length > maxLength) return tooLong(field, maxLength);
    if (minLength !== undefined && length < minLength) {
      return invalid(field, value, `${place.path} in body should be at least ${minLength} chars long`);
    }
  }
  if (pattern === undefined || compilePattern(pattern).test(value)) return undefined;
  return invalid(field, value, `${place.path} in body should match '${pattern}'`);
}

function countLetters(text: string): number {
  let count = 0;
  for (const _letter of text) count++;
  return count;
}

function checkItems(schema: ValueSchema, value: unknown[], place: Place, findings: Findings): void {
  const { items, minItems, maxItems } = schema;
  if (items !== undefined) {
    for (const [index, item] of value.entries()) {
      const correlation = place.correlation?.item(index);
      const path = `${place.path}[${index}]`;
      visitRatcheting(items, item, { root: place.root, path, correlation }, findings);
    }
  }
  const field = fieldOf(place);
  if (minItems !== undefined && value.length < minItems) {
    findings.add(
      invalid(field, value.length, `${place.path} in body should have at least ${minItems} items`),
    );
  }
  if (maxItems !== undefined && value.length > maxItems) findings.add(tooMany(field, value.length, maxItems));
  if (schema.uniqueItems && new Set(value.map((item) => encodeJson(item))).size < value.length) {
    findings.add(invalid(field, "", `${place.path} in body shouldn't contain duplicates`));
  }
}

function checkMembers(schema: ValueSchema, value: JsonObject, place: Place, findings: Findings): void {
  const { minProperties, maxProperties, additionalProperties, properties } = schema;
  const keys = Object.keys(value);
  if (minProperties !== undefined && keys.length < minProperties) {
    const detail = `${place.path} in body should have at least ${minProperties} properties`;
    findings.add(invalid(fieldOf(place), keys.length, detail));
    return;
  }
  if (maxProperties !== undefined && keys.length > maxProperties) {
    findings.add(tooMany(fieldOf(place), keys.length, maxProperties));
    return;
  }
  if (additionalProperties !== undefined && additionalProperties !== true) {
    for (const key of keys.sort()) {
      if (properties.has(key)) continue;
      if (additionalProperties === false) {
        const detail = `${place.path}.${key} in body is a forbidden property`;
        findings.add(invalid(fieldOf(place), key, detail));
      } else visitMember(additionalProperties, value, key, `${place.path}.${key}`, place, findings);
    }
  }
  for (const [key, property] of membersOf(properties, value, keys)) {
    visitMember(property, value, key, childPath(place.path, key), place, findings);
  }
  for (const key of schema.required) {
    if (hasOwn(value, key)) continue;
    findings.add(required(fieldOf({ ...place, path: `${place.path}.${key}` })));
  }
}

/** The value's declared properties, sorted by name; iterates over the shorter of the two lists. */
function* membersOf(
  properties: ValueSchema["properties"],
  value: JsonObject,
  keys: string[],
): Generator<[string, ValueSchema]> {
  if (properties.size <= keys.length) {
    for (const member of properties) if (hasOwn(value, member[0])) yield member;
    return;
  }
  for (const key of keys.sort()) {
    const property = properties.get(key);
    if (property !== undefined) yield [key, property];
  }
}

function visitMember(
  schema: ValueSchema,
  owner: JsonObject,
  key: string,
  path: string,
  place: Place,
  findings: Findings,
): void {
  // An object's version is that of the request, so a change of it is invisible.
  const isTypeMeta = place.path === "" && (key === "kind" || key === "apiVersion");
  const correlation = isTypeMeta ? undefined : place.correlation?.member(key);
  visitRatcheting(schema, owner[key], { root: place.root, path, correlation }, findings);
}
