// What a Node must fulfil: networks for pods, taints and addresses without contradictions.
import { type FieldError, forbidden, invalid, notSupported, required } from "../../meta/field-error.ts";
import { type JsonObject, objectAt, objectsAt, textAt, textsAt } from "../../meta/json.ts";
import { isLabelValue, isQualifiedName } from "../../meta/names.ts";
import { parseSloppyCidr, validateCidr } from "../addresses.ts";
import { duplicateStruct } from "../checks.ts";
import { validateResourceAmount } from "./quota/resource-names.ts";

const TAINT_EFFECTS = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

export function validateNode(object: Readonly<JsonObject>, kept: readonly string[] = []): FieldError[] {
  const spec = objectAt(object, "spec");
  return [...validateTaints(spec), ...validateResources(object), ...validatePodCidrs(spec, kept)];
}

/** A node is looked at as a new one is, and then as a changed one: what both find is complained of twice. */
export const validateNodeUpdate = (object: Readonly<JsonObject>, old: Readonly<JsonObject>): FieldError[] => [
  ...validateNode(object, textsAt(objectAt(old, "spec"), "podCIDRs")),
  ...validateNodeStatusUpdate(object, old),
];

export function validateNodeStatusUpdate(
  object: Readonly<JsonObject>,
  old: Readonly<JsonObject>,
): FieldError[] {
  const spec = objectAt(object, "spec");
  const oldSpec = objectAt(old, "spec");
  const providerId = textAt(oldSpec, "providerID");
  return [
    ...validateResources(object),
    ...validateAddresses(objectAt(object, "status")),
    ...validateKeptPodCidrs(textsAt(spec, "podCIDRs"), textsAt(oldSpec, "podCIDRs")),
    ...(providerId !== "" && providerId !== textAt(spec, "providerID")
      ? [onlyOnce("providerID", "providerID")]
      : []),
    ...validateTaints(spec),
  ];
}

const onlyOnce = (member: string, shown: string): FieldError =>
  forbidden(`spec.${member}`, `node updates may not change ${shown} except from "" to valid`);

/** Networks can be given once. Each other one is complained of, or their number. */
function validateKeptPodCidrs(cidrs: readonly string[], before: readonly string[]): FieldError[] {
  if (before.length === 0) return [];
  if (before.length !== cidrs.length) return [onlyOnce("podCIDRs", "podCIDR")];
  return before.flatMap((cidr, index) => (cidr === cidrs[index] ? [] : [onlyOnce("podCIDRs", "podCIDR")]));
}

/** Networks that a node has already may stay as they are written. */
function validatePodCidrs(spec: JsonObject | undefined, before: readonly string[]): FieldError[] {
  const field = "spec.podCIDRs";
  const texts = textsAt(spec, "podCIDRs");
  const kept = new Set(before);
  const errors = texts.flatMap((text, index) =>
    kept.has(text) ? [] : validateCidr(`${field}[${index}]`, text),
  );
  if (texts.length < 2) return errors;
  const cidrs = texts.map(parseSloppyCidr);
  const broken = cidrs.indexOf(undefined);
  if (broken >= 0) {
    const found = `invalid CIDR[${broken}]: <nil> (invalid CIDR address: ${texts[broken]})`;
    const message = `Internal error: invalid PodCIDRs. failed to check with dual stack with error:${found}`;
    errors.push({ reason: "InternalError", field, message });
  }
  const families = new Set(cidrs.map((cidr) => cidr?.family));
  if (broken >= 0 || texts.length > families.size) {
    errors.push(invalid(field, texts, "may specify no more than one CIDR for each IP family"));
  }
  return errors;
}

function validateResources(object: Readonly<JsonObject>): FieldError[] {
  const status = objectAt(object, "status");
  return ["capacity", "allocatable"].flatMap((member) => {
    const amounts = objectAt(status, member);
    return Object.keys(amounts ?? {}).flatMap((name) =>
      validateResourceAmount(`status.${member}.${name}`, name, textAt(amounts, name)),
    );
  });
}

/** A real server places taints in the metadata when it complains of them. */
function validateTaints(spec: JsonObject | undefined): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  objectsAt(spec, "taints").forEach((taint, index) => {
    const field = `metadata.taints[${index}]`;
    const [key, value, effect] = [textAt(taint, "key"), textAt(taint, "value"), textAt(taint, "effect")];
    const complaints = isLabelValue(value);
    for (const text of isQualifiedName(key)) errors.push(invalid(`${field}.key`, key, text));
    if (complaints.length > 0) errors.push(invalid(`${field}.value`, value, complaints.join(";")));
    if (effect === "") errors.push(required(`${field}.effect`));
    else if (!TAINT_EFFECTS.includes(effect)) {
      errors.push(notSupported(`${field}.effect`, effect, TAINT_EFFECTS));
    }
    if (seen.has(`${key}\n${effect}`)) {
      const shown = { Key: key, Value: value, Effect: effect, TimeAdded: taint["timeAdded"] ?? null };
      errors.push(duplicateStruct(field, shown, "taints must be unique by key and effect pair"));
    }
    seen.add(`${key}\n${effect}`);
  });
  return errors;
}

function validateAddresses(status: JsonObject | undefined): FieldError[] {
  const seen = new Set<string>();
  return objectsAt(status, "addresses").flatMap((address, index) => {
    const shown = { Type: textAt(address, "type"), Address: textAt(address, "address") };
    const key = JSON.stringify(shown);
    if (seen.has(key)) return [duplicateStruct(`status.addresses[${index}]`, shown)];
    seen.add(key);
    return [];
  });
}
