// What a Node must fulfil: networks for pods, taints and addresses without contradictions.
import { type FieldError, forbidden, invalid, notSupported, required } from "../../meta/field-error.ts";
import { type Cidr, parseCidr } from "../../meta/ip.ts";
import { type JsonObject, objectAt } from "../../meta/json.ts";
import { isLabelValue, isQualifiedName } from "../../meta/names.ts";
import { duplicateShown } from "../addresses.ts";
import { objectsAt, textAt, textsAt } from "../fields.ts";

const TAINT_EFFECTS = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

export function validateNode(object: Readonly<JsonObject>): FieldError[] {
  const spec = objectAt(object, "spec");
  return [...validateTaints(spec), ...validatePodCidrs(spec)];
}

export function validateNodeUpdate(object: Readonly<JsonObject>, old: Readonly<JsonObject>): FieldError[] {
  const spec = objectAt(object, "spec");
  const oldSpec = objectAt(old, "spec");
  const errors = [...validateTaints(spec), ...validateAddresses(objectAt(object, "status"))];
  const before = textsAt(oldSpec, "podCIDRs");
  const cidrs = textsAt(spec, "podCIDRs");
  if (before.length === 0) errors.push(...validatePodCidrs(spec));
  else if (before.length !== cidrs.length || before.some((cidr, index) => cidr !== cidrs[index])) {
    errors.push(onlyOnce("podCIDRs", "podCIDR"));
  }
  const providerId = textAt(oldSpec, "providerID");
  if (providerId !== "" && providerId !== textAt(spec, "providerID")) {
    errors.push(onlyOnce("providerID", "providerID"));
  }
  return errors;
}

const onlyOnce = (member: string, shown: string): FieldError =>
  forbidden(`spec.${member}`, `node updates may not change ${shown} except from "" to valid`);

function validatePodCidrs(spec: JsonObject | undefined): FieldError[] {
  const texts = textsAt(spec, "podCIDRs");
  const errors: FieldError[] = [];
  const families = new Set<Cidr["family"]>();
  texts.forEach((text, index) => {
    const cidr = parseCidr(text);
    if (cidr !== undefined) families.add(cidr.family);
    else {
      const rule = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
      errors.push(invalid(`spec.podCIDRs[${index}]`, text, rule));
    }
  });
  if (errors.length === 0 && texts.length > families.size) {
    errors.push(invalid("spec.podCIDRs", texts, "may specify no more than one CIDR for each IP family"));
  }
  return errors;
}

function validateTaints(spec: JsonObject | undefined): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  objectsAt(spec, "taints").forEach((taint, index) => {
    const field = `spec.taints[${index}]`;
    const [key, value, effect] = [textAt(taint, "key"), textAt(taint, "value"), textAt(taint, "effect")];
    for (const text of isQualifiedName(key)) errors.push(invalid(`${field}.key`, key, text));
    for (const text of isLabelValue(value)) errors.push(invalid(`${field}.value`, value, text));
    if (effect === "") errors.push(required(`${field}.effect`));
    else if (!TAINT_EFFECTS.includes(effect)) {
      errors.push(notSupported(`${field}.effect`, effect, TAINT_EFFECTS));
    }
    if (seen.has(`${key}\n${effect}`)) {
      const shown = { Key: key, Value: value, Effect: effect, TimeAdded: taint["timeAdded"] ?? null };
      errors.push(duplicateShown(field, shown, "taints must be unique by key and effect pair"));
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
    if (seen.has(key)) return [duplicateShown(`status.addresses[${index}]`, shown)];
    seen.add(key);
    return [];
  });
}
