// What containers ask for and may use of processor, memory and other resources.
import { type FieldError, invalid } from "../../../meta/field-error.ts";
import { type JsonObject, objectAt } from "../../../meta/json.ts";
import { isQualifiedName } from "../../../meta/names.ts";
import { textAt } from "../../fields.ts";
import { quantityNanos } from "../../quantity.ts";

const OF_CONTAINERS = ["cpu", "memory", "ephemeral-storage"];
/** Resources that are no container's own but that have names without a domain. */
const OF_OTHERS = [
  "storage",
  "pods",
  "services",
  "secrets",
  "configmaps",
  "replicationcontrollers",
  "resourcequotas",
  "persistentvolumeclaims",
];

/** requests and limits, each by resource. */
export function validateResources(field: string, resources: JsonObject | undefined): FieldError[] {
  const limits = objectAt(resources, "limits") ?? {};
  const requests = objectAt(resources, "requests") ?? {};
  const errors = Object.keys(limits).flatMap((name) =>
    validateAmount(`${field}.limits[${name}]`, name, textAt(limits, name)),
  );
  for (const name of Object.keys(requests)) {
    const [request, limit] = [textAt(requests, name), textAt(limits, name)];
    errors.push(...validateAmount(`${field}.requests[${name}]`, name, request));
    if (limit === "" || quantityNanos(request) === quantityNanos(limit)) continue;
    const place = `${field}.requests`;
    if (!mayBeOvercommitted(name)) {
      errors.push(invalid(place, request, `must be equal to ${name} limit of ${limit}`));
    } else if (quantityNanos(request) > quantityNanos(limit)) {
      errors.push(invalid(place, request, `must be less than or equal to ${name} limit of ${limit}`));
    }
  }
  return errors;
}

const isHugePages = (name: string): boolean => name.startsWith("hugepages-");

/** Resources of the system can be promised several times; devices and huge pages cannot. */
const mayBeOvercommitted = (name: string): boolean =>
  !isHugePages(name) && (!name.includes("/") || name.includes("kubernetes.io/"));

function validateAmount(field: string, name: string, amount: string): FieldError[] {
  const errors = validateName(field, name);
  const nanos = quantityNanos(amount);
  if (nanos < 0n) errors.push(invalid(field, amount, "must be greater than or equal to 0"));
  else if (name.includes("/") && !mayBeOvercommitted(name) && nanos % 1_000_000_000n !== 0n) {
    errors.push(invalid(field, amount, "must be an integer"));
  }
  return errors;
}

function validateName(field: string, name: string): FieldError[] {
  const complaints = isQualifiedName(name);
  if (complaints.length > 0) return complaints.map((text) => invalid(field, name, text));
  if (name.includes("/") || OF_CONTAINERS.includes(name) || isHugePages(name)) return [];
  return [
    ...(OF_OTHERS.includes(name)
      ? []
      : [invalid(field, name, "must be a standard resource type or fully qualified")]),
    invalid(field, name, "must be a standard resource for containers"),
  ];
}
