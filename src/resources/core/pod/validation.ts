// The first part of what a pod must fulfil: its containers have names and images, its addresses are addresses, and
// what runs already does not change.
import { duplicate, type FieldError, forbidden, invalid, required } from "../../../meta/field-error.ts";
import { parseIp } from "../../../meta/ip.ts";
import { cloneJson, equalJson, type JsonObject, objectAt } from "../../../meta/json.ts";
import { isDns1123Label } from "../../../meta/names.ts";
import { validateIp } from "../../addresses.ts";
import { numberAt, objectsAt, textAt } from "../../fields.ts";

const MAY_CHANGE =
  "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

export function validatePod(object: Readonly<JsonObject>): FieldError[] {
  return validateContainers(objectAt(object, "spec"));
}

function validateContainers(spec: JsonObject | undefined): FieldError[] {
  const errors: FieldError[] = [];
  if (objectsAt(spec, "containers").length === 0) errors.push(required("spec.containers"));
  const seen = new Set<string>();
  for (const list of ["containers", "initContainers"]) {
    objectsAt(spec, list).forEach((container, index) => {
      errors.push(...validateContainer(`spec.${list}[${index}]`, container, seen));
    });
  }
  return errors;
}

function validateContainer(field: string, container: JsonObject, seen: Set<string>): FieldError[] {
  const name = textAt(container, "name");
  const errors: FieldError[] = [];
  if (name === "") errors.push(required(`${field}.name`));
  else errors.push(...isDns1123Label(name).map((text) => invalid(`${field}.name`, name, text)));
  if (seen.has(name)) errors.push(duplicate(`${field}.name`, name));
  seen.add(name);
  if (textAt(container, "image") === "") errors.push(required(`${field}.image`));
  return errors;
}

export function validatePodUpdate(object: Readonly<JsonObject>, old: Readonly<JsonObject>): FieldError[] {
  const spec = objectAt(object, "spec") ?? {};
  const oldSpec = objectAt(old, "spec") ?? {};
  const errors = [...validateContainers(spec), ...validateDeadline(spec, oldSpec)];
  if (!keepsTolerations(spec, oldSpec)) {
    errors.push(
      forbidden("spec.tolerations", "existing toleration can not be modified except its tolerationSeconds"),
    );
  }
  const before = new Set(objectsAt(oldSpec, "schedulingGates").map((gate) => textAt(gate, "name")));
  objectsAt(spec, "schedulingGates").forEach((gate, index) => {
    const name = textAt(gate, "name");
    if (before.has(name)) return;
    const rule = `only deletion is allowed, but found new scheduling gate '${name}'`;
    errors.push(forbidden(`spec.schedulingGates[${index}]`, rule));
  });
  if (errors.length === 0 && !equalJson(unchangeable(spec), unchangeable(oldSpec))) {
    errors.push(forbidden("spec", MAY_CHANGE));
  }
  return errors;
}

function validateDeadline(spec: JsonObject, oldSpec: JsonObject): FieldError[] {
  const before = numberAt(oldSpec, "activeDeadlineSeconds");
  const after = numberAt(spec, "activeDeadlineSeconds");
  const field = "spec.activeDeadlineSeconds";
  if (after === undefined) {
    return before === undefined
      ? []
      : [invalid(field, null, "must not update from a positive integer to nil value")];
  }
  if (before === undefined || after <= before) return [];
  return [invalid(field, after, "must be less than or equal to previous value")];
}

/** Tolerations can be added; those that were there stay, but for their seconds. */
function keepsTolerations(spec: JsonObject, oldSpec: JsonObject): boolean {
  const withoutSeconds = (toleration: JsonObject) => ({ ...toleration, tolerationSeconds: undefined });
  const now = objectsAt(spec, "tolerations").map(withoutSeconds);
  return objectsAt(oldSpec, "tolerations").every((toleration) => {
    return now.some((item) => equalJson(item, withoutSeconds(toleration)));
  });
}

/** A spec without what an update may change. */
function unchangeable(spec: JsonObject): JsonObject {
  const { activeDeadlineSeconds, tolerations, schedulingGates, ...rest } = cloneJson(spec);
  if (numberAt(rest, "terminationGracePeriodSeconds") === 1) delete rest["terminationGracePeriodSeconds"];
  for (const list of ["containers", "initContainers"]) {
    for (const container of objectsAt(rest, list)) delete container["image"];
  }
  return rest;
}

export function validatePodStatus(object: Readonly<JsonObject>): FieldError[] {
  const ips = objectsAt(objectAt(object, "status"), "podIPs").map((item) => textAt(item, "ip"));
  const errors = ips.flatMap((ip, index) => validateIp(`status.podIPs[${index}]`, ip));
  const families = new Set(ips.map((ip) => parseIp(ip)?.family));
  if (errors.length === 0 && ips.length > families.size) {
    const shown = JSON.stringify(ips.map((ip) => ({ IP: ip })));
    const message = `Invalid value: ${shown}: may specify no more than one IP for each IP family`;
    errors.push({ reason: "FieldValueInvalid", field: "status.podIPs", message });
  }
  return errors;
}
