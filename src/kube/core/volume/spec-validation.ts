// Validation of a volume's spec: of a PersistentVolume, or inline, without such an object.
import { isWholeQuantity, NANOS, quantityNanos } from "../../../apimachinery/go/quantity.ts";
import { type JsonObject, objectAt, textAt, textsAt } from "../../../apimachinery/json/json.ts";
import {
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from "../../../apimachinery/meta/field-error.ts";
import { wasGivenEmpty } from "../../../apimachinery/meta/given-empty.ts";
import { isDns1123Subdomain } from "../../../apimachinery/meta/names.ts";
import { formErrors } from "../../../apiserver/registry/strategy/checks.ts";
import { schemaErrors } from "../../../apiserver/registry/strategy/schema-rules.ts";
import { PLACEMENT_RULES } from "../pod/placement.ts";
import { countSources, persistentSourceRules } from "./sources.ts";

const SPEC = "io.k8s.api.core.v1.PersistentVolumeSpec";
const SINGLE = "ReadWriteOncePod";
const ACCESS_MODES = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", SINGLE];
const MODES = ["Block", "Filesystem"];
const POLICIES = ["Delete", "Recycle", "Retain"];

/** ReadWriteOncePod excludes all other modes. */
export function validateAccessModes(field: string, modes: readonly string[]): FieldError[] {
  const unknown = modes.filter((mode) => !ACCESS_MODES.includes(mode));
  const others = modes.some((mode) => mode !== SINGLE && ACCESS_MODES.includes(mode));
  return [
    ...unknown.map((mode) => notSupported(field, mode, ACCESS_MODES)),
    ...(others && modes.includes(SINGLE)
      ? [forbidden(field, `may not use ${SINGLE} with other access modes`)]
      : []),
  ];
}

const unlessSome = (field: string, modes: readonly string[]): FieldError[] =>
  modes.length === 0 ? [required(field)] : [];

/** The error shows the quantity as a whole number. */
export function validateBasicAmount(field: string, amount: string): FieldError[] {
  const nanos = quantityNanos(amount);
  if (nanos >= 0n) return [];
  const whole = nanos / NANOS - (isWholeQuantity(amount) ? 0n : 1n);
  return [invalid(field, Number(whole), "must be a valid resource quantity")];
}

export const validatePositiveAmount = (field: string, amount: string): FieldError[] =>
  quantityNanos(amount) > 0n ? [] : [invalid(field, amount, "must be greater than zero")];

function validateCapacity(field: string, spec: JsonObject): FieldError[] {
  const capacity = objectAt(spec, "capacity") ?? {};
  const names = Object.keys(capacity);
  const shown = spec["capacity"] ?? (wasGivenEmpty(spec, "capacity") ? {} : null);
  return [
    ...(names.length === 0 ? [required(field)] : []),
    ...(names.join() === "storage" ? [] : [notSupported(field, shown, ["storage"])]),
    ...names.flatMap((name) => [
      ...validateBasicAmount(`${field}[${name}]`, textAt(capacity, name)),
      ...validatePositiveAmount(`${field}[${name}]`, textAt(capacity, name)),
    ]),
  ];
}

const oneOf = (field: string, value: unknown, known: readonly string[]): FieldError[] =>
  value === undefined || value === "" || known.includes(String(value))
    ? []
    : [notSupported(field, value, known)];

/** The source, and fields that depend on it. */
function validateSources(field: string, spec: JsonObject, name: string): FieldError[] {
  const { counted, errors } = countSources(SPEC, field, spec, "flexVolume"); // upstream does not count it
  const code = { ...persistentSourceRules(name), sources: () => errors };
  return schemaErrors(SPEC, counted, { field, code });
}

/** The host path / cannot be recycled. */
function validateRecycling(field: string, spec: JsonObject): FieldError[] {
  const path = objectAt(spec, "hostPath")?.["path"];
  const isRoot = typeof path === "string" && /^\/[/.]*$/.test(path) && !/\.{3}/.test(path);
  if (!isRoot || spec["persistentVolumeReclaimPolicy"] !== "Recycle") return [];
  return [
    forbidden(`${field}.persistentVolumeReclaimPolicy`, "may not be 'recycle' for a hostPath mount of '/'"),
  ];
}

/** Spec of a PersistentVolume with this name. */
export function validateVolumeSpec(field: string, spec: JsonObject, name: string): FieldError[] {
  const modes = textsAt(spec, "accessModes");
  const affinity = objectAt(spec, "nodeAffinity");
  return [
    ...unlessSome(`${field}.accessModes`, modes),
    ...validateAccessModes(`${field}.accessModes`, modes),
    ...validateCapacity(`${field}.capacity`, spec),
    ...oneOf(`${field}.persistentVolumeReclaimPolicy`, spec["persistentVolumeReclaimPolicy"], POLICIES),
    ...(affinity === undefined
      ? []
      : schemaErrors("io.k8s.api.core.v1.VolumeNodeAffinity", affinity, {
          field: `${field}.nodeAffinity`,
          code: PLACEMENT_RULES,
        })),
    ...validateSources(field, spec, name),
    ...validateRecycling(field, spec),
    ...validateClassName(`${field}.storageClassName`, textAt(spec, "storageClassName")),
    ...(spec["volumeMode"] === undefined || MODES.includes(textAt(spec, "volumeMode"))
      ? []
      : [notSupported(`${field}.volumeMode`, spec["volumeMode"], MODES)]),
    ...validateAttributesClass(field, spec),
  ];
}

const validateClassName = (field: string, name: string): FieldError[] =>
  name === "" ? [] : formErrors(isDns1123Subdomain, field, name);

/** Only volumes of CSI drivers have mutable attributes. */
function validateAttributesClass(field: string, spec: JsonObject): FieldError[] {
  const name = spec["volumeAttributesClassName"];
  const place = `${field}.volumeAttributesClassName`;
  if (name === undefined) return [];
  return [
    ...(name === ""
      ? [required(place, "an empty string is disallowed")]
      : validateClassName(place, String(name))),
    ...(objectAt(spec, "csi")
      ? []
      : [required(`${field}.csi`, "has to be specified when using volumeAttributesClassName")]),
  ];
}

const NOT_INLINE = "may not be specified in the context of inline volumes";

/** Inline spec: only a CSI source, without fields about claims. */
export function validateInlineVolume(field: string, spec: JsonObject): FieldError[] {
  const modes = textsAt(spec, "accessModes");
  const unwanted = (isUnwanted: boolean, member: string, rule = NOT_INLINE): FieldError[] =>
    isUnwanted ? [forbidden(`${field}.${member}`, rule)] : [];
  const given = (member: string): FieldError[] => unwanted(spec[member] !== undefined, member);
  const policy = spec["persistentVolumeReclaimPolicy"] ?? "Retain";
  const mode = spec["volumeMode"] ?? "Filesystem";
  return [
    ...given("claimRef"),
    ...given("capacity"),
    ...(objectAt(spec, "csi")
      ? []
      : [required(`${field}.csi`, "has to be specified in the context of inline volumes")]),
    ...unlessSome(`${field}.accessModes`, modes),
    ...validateAccessModes(`${field}.accessModes`, modes),
    ...unwanted(
      policy !== "Retain",
      "persistentVolumeReclaimPolicy",
      "may only be Retain in the context of inline volumes",
    ),
    ...given("nodeAffinity"),
    ...validateSources(field, spec, ""),
    ...validateRecycling(field, spec),
    ...given("storageClassName"),
    ...unwanted(
      mode !== "Filesystem",
      "volumeMode",
      "may not specify volumeMode other than Filesystem in the context of inline volumes",
    ),
    ...given("volumeAttributesClassName"),
  ];
}
