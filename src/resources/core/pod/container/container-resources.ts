// What containers ask for and may use of processor, memory and other resources.
import { type FieldError, invalid } from "../../../../meta/field-error.ts";
import { type JsonObject, objectAt } from "../../../../meta/json.ts";
import { textAt } from "../../../fields.ts";
import { quantityNanos } from "../../../quantity.ts";
import {
  mayBeOvercommitted,
  validateContainerResourceName,
  validateResourceAmount,
} from "../../quota/resource-names.ts";

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

const validateAmount = (field: string, name: string, amount: string): FieldError[] => [
  ...validateContainerResourceName(field, name),
  ...validateResourceAmount(field, name, amount),
];
