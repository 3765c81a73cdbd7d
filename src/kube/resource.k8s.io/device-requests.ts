// Device requests of claims, templates and classes: code rules of their schemas.
import { compileExpression, environmentOf } from "../../apimachinery/cel/evaluate.ts";
import { BOOL, DYN, sameType, struct } from "../../apimachinery/cel/language/types.ts";
import { typeOfText } from "../../apimachinery/cel/library/declare.ts";
import {
  isObject,
  type JsonObject,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from "../../apimachinery/json/json.ts";
import { encodeJson } from "../../apimachinery/json/json-encode.ts";
import {
  type FieldError,
  invalid,
  repeated,
  required,
  tooLong,
} from "../../apimachinery/meta/field-error.ts";
import { wasGivenEmpty } from "../../apimachinery/meta/given-empty.ts";
import { isDns1123Label, isDns1123Subdomain } from "../../apimachinery/meta/names.ts";
import { formErrors, validateDriverName } from "../../apiserver/registry/strategy/checks.ts";
import { specOf } from "../../apiserver/registry/strategy/fields.ts";
import type { CodeRules, Place } from "../../apiserver/registry/strategy/schema-rules.ts";
import { PLACEMENT_RULES } from "../core/pod/placement.ts";

const ID_MAX = 32;
const POOL_MAX = 253;
const EXPRESSION_MAX = 10 * 1024;
const PARAMETERS_MAX = 10 * 1024;
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;
const IDENTIFIER_RULE =
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')";

const DEVICE_FIELDS = new Map([
  ["driver", typeOfText("string")],
  ["attributes", typeOfText("map(string, map(string, dyn))")],
  ["capacity", typeOfText("map(string, map(string, dyn))")],
  ["allowMultipleAllocations", BOOL],
]);
const DEVICE = struct("kubernetes.DRADevice", (field) => DEVICE_FIELDS.get(field));

export const REQUEST_RULES: CodeRules = {
  ...PLACEMENT_RULES,
  pool: ({ field, value }) => validatePool(field, String(value)),
  namesApart: (place) => namesApart(place, "name"),
  setsApart: (place) => namesApart(place, "counterSet"),
  requestRef: validateRequestRef,
  fullName: ({ field, value }) => validateFullName(field, String(value)),
  expression: ({ field, value }) => validateExpression(field, String(value)),
  parameters: ({ field, owner }) => validateParameters(`${field}.parameters`, owner["parameters"]),
  count: validateCount,
  conditions: ({ field, owner }) => conditionErrors(field, owner),
  kind({ field, owner }) {
    const rule = "exactly one of `exactly` or `firstAvailable` is required";
    const [exactly, first] = [isObject(owner["exactly"]), objectsAt(owner, "firstAvailable").length > 0];
    if (exactly && first) return [invalid(field, null, `${rule}, but multiple fields are set`)];
    return exactly || first ? [] : [required(field, rule)];
  },
  /** Upstream reports the same error where no attribute is set. */
  someAttribute({ field, owner }) {
    const rule =
      'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set';
    const { matchAttribute, distinctAttribute } = owner;
    return (matchAttribute ?? distinctAttribute ?? undefined) === undefined ? [required(field, rule)] : [];
  },
};

/** Subdomains separated by slashes. */
function validatePool(field: string, name: string): FieldError[] {
  if (name === "") return [required(field)];
  const long = name.length > POOL_MAX ? [tooLong(field, POOL_MAX)] : [];
  return [...long, ...name.split("/").flatMap((part) => formErrors(isDns1123Subdomain, field, part))];
}

/** Items with the name of an earlier one; reported after the other errors of the list. */
function namesApart({ field, value }: Place, member: string): FieldError[] {
  const seen = new Set<unknown>();
  return [value].flat().flatMap((item, index) => {
    return repeated(seen, `${field}[${index}]`, isObject(item) ? textAt(item, member) : item);
  });
}

/** The device claim of the validated object: of a ResourceClaim, or of a template. */
export function claimOf(root: Readonly<JsonObject>): JsonObject | undefined {
  const spec = specOf(root);
  return objectAt(spec, "devices") ?? objectAt(objectAt(spec, "spec"), "devices");
}

export function validateRequestRef({ field, value, root }: Place): FieldError[] {
  const name = String(value);
  const rule =
    "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
  const [request, subrequest, ...more] = name.split("/");
  if (more.length > 0) return [invalid(field, name, rule)];
  const found = objectsAt(claimOf(root), "requests").find((item) => textAt(item, "name") === request);
  const others = objectsAt(found, "firstAvailable").map((item) => textAt(item, "name"));
  const isKnown = found !== undefined && (subrequest === undefined || others.includes(subrequest));
  return [
    ...name.split("/").flatMap((part) => formErrors(isDns1123Label, field, part)),
    ...(isKnown ? [] : [invalid(field, name, rule)]),
  ];
}

/** Qualified name of a device attribute; the domain before the slash defaults to the driver's. */
export function validateQualityName(field: string, name: string): FieldError[] {
  const [first = "", second, ...more] = name.split("/");
  if (second === undefined) return validateIdentifier(field, first);
  if (more.length > 0) return [];
  return [
    ...(first === ""
      ? [invalid(field, "", "the domain must not be empty")]
      : validateDriverName(field, first)),
    ...(second === ""
      ? [invalid(field, "", "the name must not be empty")]
      : validateIdentifier(field, second)),
  ];
}

function validateFullName(field: string, name: string): FieldError[] {
  const rule = "a fully qualified name must be a domain and a name separated by a slash";
  return [...validateQualityName(field, name), ...(name.includes("/") ? [] : [invalid(field, name, rule)])];
}

const validateIdentifier = (field: string, name: string): FieldError[] => [
  ...(Buffer.byteLength(name) > ID_MAX ? [tooLong(field, ID_MAX)] : []),
  ...(IDENTIFIER.test(name) ? [] : [invalid(field, name, IDENTIFIER_RULE)]),
];

function validateExpression(field: string, text: string): FieldError[] {
  if (Buffer.byteLength(text) > EXPRESSION_MAX) return [tooLong(field, EXPRESSION_MAX)];
  const compiled = compileExpression(text, environmentOf(new Map([["device", DEVICE]])));
  if ("problem" in compiled) return [invalid(field, text, `compilation failed: ${compiled.problem}`)];
  if (sameType(compiled.type, BOOL) || sameType(compiled.type, DYN)) return [];
  const rule = `must evaluate to bool or the unknown type, not ${compiled.type.name}`;
  return [invalid(field, text, rule)];
}

function validateParameters(field: string, value: unknown): FieldError[] {
  if (value === undefined || value === null) return [required(field)];
  if (Buffer.byteLength(encodeJson(value)) > PARAMETERS_MAX) return [tooLong(field, PARAMETERS_MAX)];
  return isObject(value) ? [] : [invalid(field, "<value omitted>", "must be a valid JSON object")];
}

function validateCount({ field, value, owner }: Place): FieldError[] {
  const count = Number(value ?? 0);
  const mode = owner["allocationMode"];
  if (mode === "All" && count !== 0)
    return [invalid(field, count, "must not be specified when allocationMode is 'All'")];
  return mode === "ExactCount" && count <= 0 ? [invalid(field, count, "must be greater than zero")] : [];
}

/** Binding conditions and failure conditions are disjoint, and must be set together. */
function conditionErrors(field: string, owner: JsonObject): FieldError[] {
  const [first, second] = ["bindingConditions", "bindingFailureConditions"] as const;
  const [waits, ends] = [new Set<string>(), new Set<string>()];
  const [waited, ended] = [textsAt(owner, first), textsAt(owner, second)];
  const errors = [
    ...waited.flatMap((text, index) => repeated(waits, `${field}.${first}[${index}]`, text)),
    ...ended.flatMap((text, index) => [
      ...repeated(ends, `${field}.${second}[${index}]`, text),
      ...(waited.includes(text)
        ? [invalid(`${field}.${second}[${index}]`, text, `${second} must not overlap with ${first}`)]
        : []),
    ]),
  ];
  if (waited.length > 0 === ended.length > 0) return errors;
  const [missing, given] = waited.length > 0 ? [second, first] : [first, second];
  const shown = owner[missing] ?? (wasGivenEmpty(owner, missing) ? [] : null);
  return [...errors, invalid(`${field}.${missing}`, shown, `${missing} are required to use ${given}`)];
}
