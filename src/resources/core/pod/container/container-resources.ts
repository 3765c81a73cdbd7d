// What containers ask for and may use of processor, memory and other resources.

import { isWholeQuantity, quantityNanos } from "../../../../go/quantity.ts";
import { type FieldError, forbidden, invalid, required } from "../../../../meta/field-error.ts";
import { type JsonObject, objectAt, textAt } from "../../../../meta/json.ts";
import {
  HUGE_PAGES,
  isHugePages,
  mayBeOvercommitted,
  validateContainerResourceName,
  validateResourceAmount,
} from "../../quota/resource-names.ts";

/** requests and limits, each by resource. */
export function validateResources(field: string, resources: JsonObject | undefined): FieldError[] {
  const limits = objectAt(resources, "limits") ?? {};
  const requests = objectAt(resources, "requests") ?? {};
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  const onlyPages = names.some(isHugePages) && !names.includes("cpu") && !names.includes("memory");
  return [
    ...Object.keys(limits).flatMap((name) =>
      validateAmount(`${field}.limits[${name}]`, name, textAt(limits, name)),
    ),
    ...Object.keys(requests).flatMap((name) => validateRequest(field, name, requests, limits)),
    ...(onlyPages ? [forbidden(field, "HugePages require cpu or memory")] : []),
  ];
}

/** What is asked for lies within the limit, or is the limit where nothing can be promised twice. */
function validateRequest(
  field: string,
  name: string,
  requests: JsonObject,
  limits: JsonObject,
): FieldError[] {
  const [request, limit] = [textAt(requests, name), textAt(limits, name)];
  const place = `${field}.requests`;
  const errors = validateAmountOf(`${place}[${name}]`, name, request);
  const pages = validatePages(`${place}[${name}]`, name, request);
  if (limit === "") {
    if (mayBeOvercommitted(name)) return [...errors, ...pages];
    const rule = "Limit must be set for non overcommitable resources";
    return [...errors, required(`${field}.limits`, rule), ...pages];
  }
  const [asked, most] = [quantityNanos(request), quantityNanos(limit)];
  if (asked !== most && !mayBeOvercommitted(name)) {
    errors.push(invalid(place, request, `must be equal to ${name} limit of ${limit}`));
  } else if (asked > most) {
    errors.push(invalid(place, request, `must be less than or equal to ${name} limit of ${limit}`));
  }
  return [...errors, ...pages];
}

const validateAmount = (field: string, name: string, amount: string): FieldError[] => [
  ...validateAmountOf(field, name, amount),
  ...validatePages(field, name, amount),
];

const validateAmountOf = (field: string, name: string, amount: string): FieldError[] => [
  ...validateContainerResourceName(field, name),
  ...validateResourceAmount(field, name, amount),
];

/** Huge pages are of the size that their name tells, and there is no half of one. */
function validatePages(field: string, name: string, amount: string): FieldError[] {
  if (!isHugePages(name)) return [];
  const size = quantityNanos(name.slice(HUGE_PAGES.length));
  const whole = size > 0n && isWholeQuantity(name.slice(HUGE_PAGES.length));
  if (whole && quantityNanos(amount) % size === 0n) return [];
  return [invalid(field, amount, `${amount} is not positive integer multiple of ${name}`)];
}
