// PersistentVolumeClaim: requests a volume. This server has no controller that binds it.
import { quantityNanos } from "../../apimachinery/go/quantity.ts";
import { equalJson, type JsonObject, objectAt, textAt, textsAt } from "../../apimachinery/json/json.ts";
import {
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from "../../apimachinery/meta/field-error.ts";
import { carryNotes } from "../../apimachinery/meta/given-empty.ts";
import { isDns1123Label, isDns1123Subdomain, isQualifiedName } from "../../apimachinery/meta/names.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { annotationOf, CLASS_ANNOTATION } from "../../apimachinery/meta/storage-class.ts";
import type { Strategy } from "../../apiserver/registry/definition/resource-definition.ts";
import { formErrors, validateSame } from "../../apiserver/registry/strategy/checks.ts";
import { AGE, column, NAME } from "../../apiserver/registry/strategy/columns.ts";
import { builtIn } from "../../apiserver/registry/strategy/define.ts";
import { ensureObject, keeping, keepingStatus, specOf } from "../../apiserver/registry/strategy/fields.ts";
import { structOf } from "../../apiserver/registry/strategy/internal-struct.ts";
import {
  type CodeRules,
  objectOf,
  type Place,
  schemaErrors,
} from "../../apiserver/registry/strategy/schema-rules.ts";
import { isNative } from "./amounts.ts";
import { showStructChange } from "./pod/update/show-change.ts";
import { claimWarnings } from "./pod/warnings.ts";
import { CLASS_COLUMNS, classWarnings, MODE_COLUMN, phaseCell, shortModes } from "./volume/shown.ts";
import {
  validateAccessModes,
  validateBasicAmount,
  validatePositiveAmount,
} from "./volume/spec-validation.ts";

const SPEC = "io.k8s.api.core.v1.PersistentVolumeClaimSpec";

type Source = Readonly<JsonObject> | undefined;

const sizeIn = (owner: Source, list: string): string => textAt(objectAt(owner, list), "storage");
const requestedSize = (object: Source): bigint =>
  quantityNanos(sizeIn(objectAt(specOf(object), "resources"), "requests") || "0");

// Data source of the volume. Of its two members the older one supports claims and snapshots only.

const isClaimOrSnapshot = (source: JsonObject): boolean => {
  const group = textAt(source, "apiGroup");
  return source["kind"] === "PersistentVolumeClaim" ? group === "" : isSnapshot(source, group);
};
const isSnapshot = ({ kind }: JsonObject, group: string): boolean =>
  kind === "VolumeSnapshot" && group === "snapshot.storage.k8s.io";

/** Sources that the older member does not support are dropped, unless the old object has one. */
function dropUnknownSources(spec: JsonObject, old: JsonObject): void {
  const { dataSource, dataSourceRef } = old;
  const reference = objectAt(spec, "dataSourceRef");
  if (textAt(reference, "namespace") !== "" && dataSourceRef === undefined) delete spec["dataSourceRef"];
  const source = objectAt(spec, "dataSource");
  if (dataSource !== undefined || dataSourceRef !== undefined || source === undefined) return;
  if (!isClaimOrSnapshot(source)) delete spec["dataSource"];
}

/** Each member is set from the other one, where that is possible. */
function agreeOnSource(spec: JsonObject): void {
  const { dataSource, dataSourceRef } = spec;
  if (dataSource !== undefined && dataSourceRef === undefined)
    spec["dataSourceRef"] = { ...objectOf(dataSource) };
  if (dataSourceRef === undefined || dataSource !== undefined) return;
  if (objectOf(dataSourceRef)["namespace"] === undefined) spec["dataSource"] = { ...objectOf(dataSourceRef) };
}

function prepareSources(object: KubeObject, old?: Readonly<KubeObject>): void {
  const spec = specOf(object);
  dropUnknownSources(spec, specOf(old));
  agreeOnSource(spec);
}

function validateDataSource({ field, value }: Place): FieldError[] {
  const source = objectOf(value);
  const [group, kind, namespace] = ["apiGroup", "kind", "namespace"].map((key) => textAt(source, key));
  const missing = ["name", "kind"].filter((key) => textAt(source, key) === "");
  return [
    ...missing.map((key) => required(`${field}.${key}`)),
    ...(group === "" && kind !== "PersistentVolumeClaim"
      ? [invalid(field, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup")]
      : []),
    ...(group ? formErrors(isDns1123Subdomain, `${field}.apiGroup`, group) : []),
    ...(namespace ? formErrors(isDns1123Label, `${field}.namespace`, namespace) : []),
  ];
}

/** Upstream shows the member's name as an empty struct. */
function validateBothSources({ field, owner }: Place): FieldError[] {
  const [source, reference] = [objectAt(owner, "dataSource"), objectAt(owner, "dataSourceRef")];
  if (source === undefined || reference === undefined) return [];
  if (textAt(reference, "namespace") !== "")
    return [invalid(field, {}, "may not be specified when dataSourceRef.namespace is specified")];
  const { namespace: _none, ...known } = reference;
  return equalJson(source, known) ? [] : [invalid(field, {}, "must match dataSourceRef")];
}

// Mutable fields of the spec.

const CHANGE_RULE =
  "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";

function validateChange({ owner, old }: Place): FieldError[] {
  if (old === undefined) return [];
  const [spec, oldSpec] = [specOf(owner), specOf(old)];
  const size = requestedSize(owner);
  const isLess = size < requestedSize(old);
  const given = quantityNanos(sizeIn(objectAt(old, "status"), "capacity") || "0");
  return [
    ...validateClassAnnotation(owner, old),
    ...validateFixedSpec(owner, old),
    ...(isLess && size <= given
      ? [forbidden("spec.resources.requests.storage", "field can not be less than status.capacity")]
      : []),
    ...validateSame("volumeMode", spec["volumeMode"], oldSpec["volumeMode"]),
    ...validateKeptAttributes(spec, old),
  ];
}

/** An update may move the class from the deprecated annotation to its member. */
function movesClass(object: JsonObject, old: JsonObject): boolean {
  const [before, after] = [annotationOf(old, CLASS_ANNOTATION), annotationOf(object, CLASS_ANNOTATION)];
  const isMoved =
    specOf(old)["storageClassName"] === undefined && specOf(object)["storageClassName"] === before;
  return before !== undefined && isMoved && (after === undefined || after === before);
}

/** A claim without a class may get one. */
function getsClass(object: JsonObject, old: JsonObject): boolean {
  const { storageClassName: name } = specOf(object);
  if (specOf(old)["storageClassName"] !== undefined || name === undefined) return false;
  return [object, old].every((item) => (annotationOf(item, CLASS_ANNOTATION) ?? name) === name);
}

function validateClassAnnotation(object: JsonObject, old: JsonObject): FieldError[] {
  if (movesClass(object, old)) return [];
  const [after = "", before = ""] = [object, old].map((item) => annotationOf(item, CLASS_ANNOTATION));
  const field = `metadata.annotations.${CLASS_ANNOTATION}`;
  return after === before ? [] : [invalid(field, after, "field is immutable")];
}

/**
 * The diff omits permitted changes: an initial volume name, a moved class, and of a bound claim the size and the
 * attributes class.
 */
function validateFixedSpec(object: JsonObject, old: JsonObject): FieldError[] {
  const [spec, oldSpec] = [specOf(object), specOf(old)];
  const { volumeName = spec["volumeName"], storageClassName, volumeAttributesClassName } = oldSpec;
  const free: JsonObject = {};
  if (movesClass(object, old) || getsClass(object, old)) free["storageClassName"] = storageClassName;
  if (textAt(objectAt(object, "status"), "phase") === "Bound") {
    free["volumeAttributesClassName"] = volumeAttributesClassName;
    free["resources"] = withSize(spec, oldSpec);
  }
  const [before, after] = [copyStruct(oldSpec, { volumeName }), copyStruct(spec, free)];
  if (equalJson(after, before)) return [];
  return [forbidden("spec", CHANGE_RULE + showStructChange(structOf(SPEC, before), structOf(SPEC, after)))];
}

function withSize(spec: JsonObject, oldSpec: JsonObject): JsonObject {
  const resources = objectAt(spec, "resources") ?? {};
  const requests = objectAt(resources, "requests");
  if (requests === undefined) return resources;
  const storage = sizeIn(objectAt(oldSpec, "resources"), "requests") || "0";
  return copyStruct(resources, { requests: { ...requests, storage } });
}

/** Applied volume attributes can be replaced, but not removed. */
function validateKeptAttributes(spec: JsonObject, old: JsonObject): FieldError[] {
  if (objectAt(old, "status")?.["currentVolumeAttributesClassName"] === undefined) return [];
  const name = spec["volumeAttributesClassName"];
  if (name === specOf(old)["volumeAttributesClassName"] || (name !== undefined && name !== "")) return [];
  const what = name === undefined ? "nil" : "empty string";
  const rule = `update to ${what} is forbidden when status.currentVolumeAttributesClassName is not nil`;
  return [forbidden("spec.volumeAttributesClassName", rule)];
}

/** A copy with some members replaced or removed. */
function copyStruct(struct: JsonObject, changes: JsonObject): JsonObject {
  const members = Object.entries({ ...struct, ...changes }).filter(([, value]) => value !== undefined);
  const copy = Object.fromEntries(members);
  carryNotes(struct, copy);
  return copy;
}

// Resize states of a claim.

const RESIZE_STATES = [
  "ControllerResizeInProgress",
  "ControllerResizeInfeasible",
  "NodeResizePending",
  "NodeResizeInProgress",
  "NodeResizeInfeasible",
].sort();

/** Native resources of a claim: storage only. */
function validateResourceKey(field: string, name: string): FieldError[] {
  const errors = formErrors(isQualifiedName, field, name);
  if (errors.length > 0 || !isNative(name) || name === "storage") return errors;
  return [notSupported(field, name, ["storage"])];
}

const rules: CodeRules = {
  accessModes: ({ field, value }) => validateAccessModes(field, [value].flat().map(String)),
  storage({ field, owner }) {
    const amount = sizeIn(objectAt(owner, "resources"), "requests");
    const place = `${field}.resources[storage]`;
    return amount === "" ? [required(place)] : validatePositiveAmount(place, amount);
  },
  dataSource: validateDataSource,
  dataSources: validateBothSources,
  changed: validateChange,
  amounts: ({ field, value }) =>
    Object.keys(objectOf(value)).flatMap((name) =>
      validateBasicAmount(`${field}[${name}]`, textAt(objectOf(value), name)),
    ),
  /** Upstream shows the resource instead of its state. */
  resizing: ({ field, value }) =>
    Object.entries(objectOf(value)).flatMap(([name, state]) => {
      const isKnown = RESIZE_STATES.includes(String(state));
      return [
        ...validateResourceKey(field, name),
        ...(isKnown ? [] : [notSupported(field, name, RESIZE_STATES)]),
      ];
    }),
  allocated: ({ field, value }) =>
    Object.keys(objectOf(value)).flatMap((name) => {
      const errors = validateResourceKey(field, name);
      return errors.length > 0
        ? errors
        : validateBasicAmount(`${field}[${name}]`, textAt(objectOf(value), name));
    }),
};

/** Validates a claim's spec, in a claim and in claim templates. */
export const validateClaimSpec = (field: string, claim: Readonly<JsonObject>): FieldError[] =>
  schemaErrors(SPEC, specOf(claim), { field, code: rules });

const kept = keepingStatus({});

const strategy: Strategy = {
  ...kept,
  metadataChecksOnUpdate: ["new", "changed"],
  writesUnchanged: true,
  prepareForCreate(object) {
    kept.prepareForCreate(object);
    prepareSources(object);
  },
  defaultStored(object) {
    ensureObject(object, "status")["phase"] = "Pending";
  },
  prepareForUpdate(object, old) {
    kept.prepareForUpdate(object, old);
    prepareSources(object, old);
  },
  warnings: (object) => [...classWarnings(object), ...claimWarnings("spec", specOf(object))],
};

/** Cells of the volume are empty while the claim is not bound. */
const ofVolume = (cell: (status: Source) => string) => (object: Readonly<JsonObject>) =>
  textAt(specOf(object), "volumeName") === "" ? "" : cell(objectAt(object, "status"));

export const persistentVolumeClaims = builtIn("v1", "PersistentVolumeClaim", {
  shortNames: ["pvc"],
  columns: [
    NAME,
    column("Status", "Whether the claim has got a volume.", phaseCell),
    column("Volume", "Name of the volume.", "spec.volumeName"),
    column(
      "Capacity",
      "How large the volume is.",
      ofVolume((status) => sizeIn(status, "capacity") || "0"),
    ),
    column(
      "Access Modes",
      "How the volume can be used.",
      ofVolume((status) => shortModes(textsAt(status, "accessModes"))),
    ),
    ...CLASS_COLUMNS,
    AGE,
    MODE_COLUMN,
  ],
  strategy,
  status: keeping("spec"),
  rules,
  returnsDeletedObject: true,
});
