// Rules for names, label keys, annotations and finalizers. Each is* rule returns a list of error messages, worded as in
// k8s.io/apimachinery (its newer half counts "bytes", its older half "characters"). An empty list means valid.

import { goQuote } from "../go/strconv.ts";
import { equalJson } from "../json/json.ts";
import { type FieldError, forbidden, invalid, required, ToldFindings, tooLong } from "./field-error.ts";
import { append } from "./lists.ts";
import type { ManagedFieldsEntry, ObjectMeta, OwnerReference } from "./object-meta.ts";

/** A rule for metadata.name; with prefix the text is a generateName, to which letters will be added. */
export type NameRule = (name: string, prefix: boolean) => string[];

const DNS1123_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const DNS1123_SUBDOMAIN = `${DNS1123_LABEL}(\\.${DNS1123_LABEL})*`;
const DNS1035_LABEL = "[a-z]([-a-z0-9]*[a-z0-9])?";
const QUALIFIED_NAME = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";

const ANNOTATIONS_BYTES_MAX = 256 * 1024;
const FIELD_MANAGER_MAX = 128;
const SUBRESOURCE_MAX = 256;

// Browsers, which also parse selectors, have no Buffer.
const utf8 = new TextEncoder();
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is a byte a letter
const ASCII = /^[\x00-\x7f]*$/;
const bytesOf = (text: string): number => (ASCII.test(text) ? text.length : utf8.encode(text).length);

/** Maximum length in bytes and allowed pattern of a text, with their error messages. */
interface TextRule {
  readonly max: number;
  readonly tooLong: string;
  readonly pattern: RegExp;
  readonly complaint: string;
}

function textRule(
  max: number,
  unit: "bytes" | "characters",
  pattern: string,
  [rule = "", ...examples]: readonly string[],
): TextRule {
  const shown = examples.map((example) => `'${example}', `).join(" or ");
  return {
    max,
    tooLong: `must be no more than ${max} ${unit}`,
    pattern: new RegExp(`^(?:${pattern})$`),
    complaint: `${rule} (e.g. ${shown}regex used for validation is '${pattern}')`,
  };
}

const SUBDOMAIN = textRule(253, "characters", DNS1123_SUBDOMAIN, [
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  "example.com",
]);
const LABEL = textRule(63, "characters", DNS1123_LABEL, [
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  "my-name",
  "123-abc",
]);
const DOTTED_LABEL: TextRule = { ...LABEL, complaint: "must not contain dots" };
const OLD_LABEL = textRule(63, "characters", DNS1035_LABEL, [
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  "my-name",
  "abc-123",
]);
const KEY_PART = textRule(63, "bytes", QUALIFIED_NAME, [
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  "MyName",
  "my.name",
  "123-abc",
]);
const KEY_PREFIX: TextRule = { ...SUBDOMAIN, tooLong: "must be no more than 253 bytes" };
const LABEL_VALUE = textRule(63, "bytes", `(${QUALIFIED_NAME})?`, [
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  "MyValue",
  "my_value",
  "12345",
]);

function complaintsOf(text: string, { max, tooLong, pattern, complaint }: TextRule, part = ""): string[] {
  const complaints: string[] = [];
  if (bytesOf(text) > max) complaints.push(part + tooLong);
  if (!pattern.test(text)) complaints.push(part + complaint);
  return complaints;
}

export const isDns1123Subdomain = (text: string): string[] => complaintsOf(text, SUBDOMAIN);
export const isDns1035Label = (text: string): string[] => complaintsOf(text, OLD_LABEL);
export const isLabelValue = (text: string): string[] => complaintsOf(text, LABEL_VALUE);

export const isDns1123Label = (text: string): string[] =>
  complaintsOf(text, text.includes(".") && SUBDOMAIN.pattern.test(text) ? DOTTED_LABEL : LABEL);

/** A label key: an optional DNS subdomain and "/", then a name of at most 63 letters. */
export function isQualifiedName(text: string): string[] {
  const parts = text.split("/");
  if (parts.length > 2) {
    return [
      `a valid label key ${KEY_PART.complaint} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const name = parts.at(-1) ?? "";
  const complaints = parts.length === 2 ? keyPrefixComplaints(parts[0] ?? "") : [];
  if (name === "") complaints.push("name part must be non-empty");
  append(complaints, complaintsOf(name, KEY_PART, "name part "));
  return complaints;
}

const keyPrefixComplaints = (prefix: string): string[] =>
  prefix === "" ? ["prefix part must be non-empty"] : complaintsOf(prefix, KEY_PREFIX, "prefix part ");

/** A segment of a URL path: the rule for names of the most permissive kinds. */
export function isPathSegmentName(name: string, prefix: boolean): string[] {
  if (!prefix && (name === "." || name === "..")) return [`may not be '${name}'`];
  return ["/", "%"].filter((letter) => name.includes(letter)).map((letter) => `may not contain '${letter}'`);
}

/** A generateName may end with a dash, since letters follow: the last two letters are read as one "a". */
export const maskTrailingDash = (name: string): string =>
  name.length > 1 && name.endsWith("-") ? `${name.slice(0, -2)}a` : name;

export const nameIsDnsSubdomain: NameRule = (name, prefix) =>
  isDns1123Subdomain(prefix ? maskTrailingDash(name) : name);
export const nameIsDnsLabel: NameRule = (name, prefix) =>
  isDns1123Label(prefix ? maskTrailingDash(name) : name);

export interface ObjectMetaRules {
  readonly namespaceScoped: boolean;
  /** "metadata" unless the object is nested. */
  readonly fieldPath?: string;
  /** Default: a DNS subdomain. */
  readonly validateName?: NameRule;
}

/** Validates metadata of a new object, after its name was generated. */
export function validateObjectMeta(meta: Readonly<ObjectMeta>, rules: ObjectMetaRules): FieldError[] {
  const path = rules.fieldPath ?? "metadata";
  const nameRule = rules.validateName ?? nameIsDnsSubdomain;
  const errors: FieldError[] = [];
  const { name = "", generateName = "", namespace = "", generation = 0 } = meta;
  if (generateName !== "") {
    for (const text of nameRule(generateName, true))
      errors.push(invalid(`${path}.generateName`, generateName, text));
  }
  if (name === "") errors.push(required(`${path}.name`, "name or generateName is required"));
  else for (const text of nameRule(name, false)) errors.push(invalid(`${path}.name`, name, text));
  if (!rules.namespaceScoped) {
    if (namespace !== "") errors.push(forbidden(`${path}.namespace`, "not allowed on this type"));
  } else if (namespace === "") errors.push(required(`${path}.namespace`));
  else
    for (const text of isDns1123Label(namespace)) errors.push(invalid(`${path}.namespace`, namespace, text));
  if (generation < 0) {
    errors.push(invalid(`${path}.generation`, generation, "must be greater than or equal to 0"));
  }
  validateCommon(meta, path, errors, true);
  return errors;
}

/** Validates an update of metadata: immutable members, and the rules for new metadata. */
export function validateObjectMetaUpdate(
  meta: Readonly<ObjectMeta>,
  old: Readonly<ObjectMeta>,
  fieldPath = "metadata",
): FieldError[] {
  const errors: FieldError[] = [];
  if (old.deletionTimestamp) append(errors, newFinalizers(meta, old, `${fieldPath}.finalizers`));
  if (!meta.resourceVersion) {
    errors.push(invalid(`${fieldPath}.resourceVersion`, "", "must be specified for an update"));
  }
  if ((meta.generation ?? 0) < (old.generation ?? 0)) {
    errors.push(invalid(`${fieldPath}.generation`, meta.generation ?? 0, "must not be decremented"));
  }
  for (const [field, absent] of IMMUTABLE) {
    const value = meta[field] ?? absent;
    if (!equalJson(value, old[field] ?? absent)) {
      errors.push(invalid(`${fieldPath}.${field}`, value, "field is immutable"));
    }
  }
  validateCommon(meta, fieldPath, errors, false);
  return errors;
}

/** The members that an update may not change, with how an absent one is shown. */
const IMMUTABLE = [
  ["name", ""],
  ["namespace", ""],
  ["uid", ""],
  ["creationTimestamp", undefined],
  ["deletionTimestamp", undefined],
  ["deletionGracePeriodSeconds", undefined],
] as const;

function addedFinalizers(meta: Readonly<ObjectMeta>, old: Readonly<ObjectMeta> | undefined): string[] {
  const known = new Set(old?.finalizers);
  return [...new Set(meta.finalizers)].filter((finalizer) => !known.has(finalizer)).sort();
}

/** An object that is being deleted may lose finalizers, but not gain any. */
function newFinalizers(meta: Readonly<ObjectMeta>, old: Readonly<ObjectMeta>, field: string): FieldError[] {
  const added = addedFinalizers(meta, old).map(goQuote).join(", ");
  const rule = "no new finalizers can be added if the object is being deleted";
  return added === "" ? [] : [forbidden(field, `${rule}, found new finalizers []string{${added}}`)];
}

function validateCommon(
  meta: Readonly<ObjectMeta>,
  path: string,
  errors: FieldError[],
  creating: boolean,
): void {
  if (meta.labels) append(errors, validateLabels(meta.labels, `${path}.labels`));
  if (meta.annotations) append(errors, validateAnnotations(meta.annotations, `${path}.annotations`));
  if (meta.ownerReferences) {
    append(errors, validateOwnerReferences(meta.ownerReferences, `${path}.ownerReferences`));
  }
  if (creating && meta.finalizers) append(errors, validateFinalizers(meta.finalizers, `${path}.finalizers`));
  if (meta.managedFields) append(errors, validateManagedFields(meta.managedFields, `${path}.managedFields`));
}

export function validateLabels(labels: Readonly<Record<string, string>>, field: string): FieldError[] {
  const found = new ToldFindings();
  for (const key of Object.keys(labels)) {
    for (const text of isQualifiedName(key)) found.add(invalid(field, key, text));
    const value = labels[key] ?? "";
    for (const text of isLabelValue(value)) found.add(invalid(field, value, text));
    if (found.isFull) break;
  }
  return found.errors;
}

/** Keys as for labels, but of any case; values are arbitrary; all together at most 256 KiB. */
export function validateAnnotations(
  annotations: Readonly<Record<string, string>>,
  field: string,
): FieldError[] {
  const found = new ToldFindings();
  let bytes = 0;
  for (const key of Object.keys(annotations)) {
    for (const text of isQualifiedName(key.toLowerCase())) found.add(invalid(field, key, text));
    if (found.isFull) break;
    bytes += bytesOf(key) + bytesOf(annotations[key] ?? "");
  }
  if (bytes > ANNOTATIONS_BYTES_MAX) found.add(tooLong(field, ANNOTATIONS_BYTES_MAX));
  return found.errors;
}

function validateOwnerReferences(references: readonly OwnerReference[], field: string): FieldError[] {
  const found = new ToldFindings();
  let firstController = "";
  for (const reference of references) {
    if (found.isFull) break;
    const { apiVersion = "", kind = "", name = "", uid = "" } = reference;
    const parts = apiVersion.split("/");
    if (apiVersion === "" || apiVersion === "/" || parts.length > 2) {
      found.add(invalid(`${field}.apiVersion`, apiVersion, "version must not be empty"));
    }
    if (kind === "") found.add(invalid(`${field}.kind`, kind, "must not be empty"));
    if (name === "") found.add(invalid(`${field}.name`, name, "must not be empty"));
    if (uid === "") found.add(invalid(`${field}.uid`, uid, "must not be empty"));
    if (apiVersion === "v1" && kind === "Event") {
      const detail = "/v1, Kind=Event is disallowed from being an owner";
      found.add(invalidShown(field, showOwner(reference), detail));
    }
    if (reference.controller !== true) continue;
    const controller = `${kind}/${name}`;
    if (firstController === "") firstController = controller;
    else {
      const detail = `Only one reference can have Controller set to true. Found "true" in references for ${firstController} and ${controller}`;
      found.add(invalidShown(field, `[${references.map(showOwner).join(",")}]`, detail));
    }
  }
  return found.errors;
}

/** Formats an owner reference in the order of its Go type's members, as messages show it. */
function showOwner(reference: OwnerReference): string {
  const { apiVersion = "", kind = "", name = "", uid = "", controller, blockOwnerDeletion } = reference;
  return JSON.stringify({ apiVersion, kind, name, uid, controller, blockOwnerDeletion });
}

const invalidShown = (field: string, shown: string, detail: string): FieldError => ({
  reason: "FieldValueInvalid",
  field,
  message: `Invalid value: ${shown}: ${detail}`,
});

/** Propagation policies of a deletion add one of these. */
const DELETION_FINALIZERS = ["orphan", "foregroundDeletion"];
/** Finalizers that are valid without a domain. */
const STANDARD_FINALIZERS = [...DELETION_FINALIZERS, "kubernetes"];

const isNobodys = (finalizer: string): boolean =>
  !finalizer.includes("/") && !STANDARD_FINALIZERS.includes(finalizer);

/** Built-in kinds reject what custom resources only get a warning for. */
export const validateFinalizerOwner = (finalizer: string, field: string): FieldError[] =>
  isNobodys(finalizer)
    ? [invalid(field, finalizer, "name is neither a standard finalizer name nor is it fully qualified")]
    : [];

function validateFinalizers(finalizers: readonly string[], field: string): FieldError[] {
  const found = new ToldFindings();
  for (const finalizer of finalizers) {
    for (const text of isQualifiedName(finalizer)) found.add(invalid(field, finalizer, text));
    if (found.isFull) break;
  }
  if (DELETION_FINALIZERS.every((name) => finalizers.includes(name))) {
    found.add(invalid(field, finalizers, "finalizer orphan and foregroundDeletion cannot be both set"));
  }
  return found.errors;
}

/** Warnings for new finalizers of a custom object without a domain prefix. */
export function finalizerWarnings(
  meta: Readonly<ObjectMeta>,
  old: Readonly<ObjectMeta> | undefined,
  field = "metadata.finalizers",
): string[] {
  return addedFinalizers(meta, old).flatMap((finalizer) => {
    const texts = isQualifiedName(finalizer);
    if (isNobodys(finalizer)) {
      texts.push(
        "prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers",
      );
    }
    return texts.map((text) => `${field}: ${goQuote(finalizer)}: ${text}`);
  });
}

function validateManagedFields(entries: readonly ManagedFieldsEntry[], field: string): FieldError[] {
  return entries.flatMap((entry, index) => {
    const path = `${field}[${index}]`;
    const errors: FieldError[] = [];
    const { operation = "", fieldsType = "", manager = "", subresource = "" } = entry;
    if (operation !== "Apply" && operation !== "Update") {
      errors.push(invalid(`${path}.operation`, operation, "must be `Apply` or `Update`"));
    }
    if (fieldsType !== "" && fieldsType !== "FieldsV1") {
      errors.push(invalid(`${path}.fieldsType`, fieldsType, "must be `FieldsV1`"));
    }
    append(errors, validateFieldManager(manager, `${path}.manager`));
    if (bytesOf(subresource) > SUBRESOURCE_MAX) {
      errors.push(tooLong(`${path}.subresource`, SUBRESOURCE_MAX));
    }
    return errors;
  });
}

/** Names that need no further check, which are nearly all. */
const PLAIN = /^[\x20-\x7e]*$/;
/** Created on demand: compiling Unicode classes takes time. */
const unprintable = (): RegExp => /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

/** A field manager's name: at most 128 bytes, printable; also the rule for the fieldManager parameter. */
export function validateFieldManager(manager: string, field: string): FieldError[] {
  if (manager.length <= FIELD_MANAGER_MAX && PLAIN.test(manager)) return [];
  const errors: FieldError[] = [];
  if (bytesOf(manager) > FIELD_MANAGER_MAX) errors.push(tooLong(field, FIELD_MANAGER_MAX));
  for (const match of manager.matchAll(unprintable())) {
    const code = (match[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    const position = bytesOf(manager.slice(0, match.index));
    errors.push(invalid(field, manager, `invalid character U+${code} (at position ${position})`));
  }
  return errors;
}

/** The plural of a kind, as Kubernetes guesses it. */
export function pluralOf(kind: string): string {
  const word = kind.toLowerCase();
  if (word.endsWith("y")) return `${word.slice(0, -1)}ies`;
  return word.endsWith("s") ? `${word}es` : `${word}s`;
}
