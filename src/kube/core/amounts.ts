// Resource names such as cpu: those of containers, those of quotas, and the validation of their quantities.
import { isWholeQuantity, quantityNanos } from "../../apimachinery/go/quantity.ts";
import { type JsonObject, objectAt, textAt } from "../../apimachinery/json/json.ts";
import { type FieldError, forbidden, invalid, required } from "../../apimachinery/meta/field-error.ts";
import { isQualifiedName } from "../../apimachinery/meta/names.ts";

const OF_CONTAINERS = ["cpu", "memory", "ephemeral-storage"];

/** Counted objects, in whole numbers. */
const OBJECTS = [
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
];

const OF_QUOTAS: ReadonlySet<string> = new Set([
  ...OF_CONTAINERS,
  ...OF_CONTAINERS.flatMap((name) => [`requests.${name}`, `limits.${name}`]),
  "requests.storage",
  ...OBJECTS,
]);

/** Prefix, followed by the page size. */
export const HUGE_PAGES = "hugepages-";

export const isHugePages = (name: string): boolean => name.startsWith(HUGE_PAGES);

const isHugePagesOfQuota = (name: string): boolean =>
  isHugePages(name) || name.startsWith(`requests.${HUGE_PAGES}`);

/** Names without a domain, and those of kubernetes.io. */
export const isNative = (name: string): boolean => !name.includes("/") || name.includes("kubernetes.io/");

/** Native resources can be overcommitted; extended resources and huge pages cannot. */
export const mayBeOvercommitted = (name: string): boolean => isNative(name) && !isHugePages(name);

/** Quantities of extended resources and object counts are whole numbers. */
const comesInWholes = (name: string): boolean =>
  OBJECTS.includes(name) || (!isNative(name) && !name.startsWith("requests."));

export const isOfQuotas = (name: string): boolean => OF_QUOTAS.has(name) || isHugePagesOfQuota(name);

/** Quantities must not be negative. */
export function validateResourceAmount(field: string, name: string, amount: string): FieldError[] {
  const errors: FieldError[] = [];
  if (quantityNanos(amount) < 0n) errors.push(invalid(field, amount, "must be greater than or equal to 0"));
  if (comesInWholes(name) && !isWholeQuantity(amount)) {
    errors.push(invalid(field, amount, "must be an integer"));
  }
  return errors;
}

export function validateResourceName(field: string, name: string): FieldError[] {
  const complaints = isQualifiedName(name);
  if (complaints.length > 0) return complaints.map((text) => invalid(field, name, text));
  if (name.includes("/") || name === "storage" || isOfQuotas(name)) return [];
  return [invalid(field, name, "must be a standard resource type or fully qualified")];
}

export function validateContainerResourceName(field: string, name: string): FieldError[] {
  const known = name.includes("/") || OF_CONTAINERS.includes(name) || isHugePages(name);
  const errors = validateResourceName(field, name);
  return known ? errors : [...errors, invalid(field, name, "must be a standard resource for containers")];
}

export function validateQuotaResourceName(field: string, name: string): FieldError[] {
  const errors = validateResourceName(field, name);
  if (name.includes("/") || isOfQuotas(name)) return errors;
  return [...errors, invalid(field, name, "must be a standard resource for quota")];
}

// Resource requirements of containers: requests and limits.

/** Errors of a resource name. */
type NameCheck = (field: string, name: string) => FieldError[];

/** Validates requests and limits, each by resource. */
export const validateResources = (field: string, resources: JsonObject | undefined): FieldError[] =>
  validateAmounts(field, resources, validateContainerResourceName);

/** The same with another rule for resource names. */
export function validateAmounts(
  field: string,
  resources: JsonObject | undefined,
  nameErrors: NameCheck,
): FieldError[] {
  const limits = objectAt(resources, "limits") ?? {};
  const requests = objectAt(resources, "requests") ?? {};
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  const onlyPages = names.some(isHugePages) && !names.includes("cpu") && !names.includes("memory");
  return [
    ...Object.keys(limits).flatMap((name) => {
      const place = `${field}.limits[${name}]`;
      const amount = textAt(limits, name);
      return [
        ...nameErrors(place, name),
        ...validateResourceAmount(place, name, amount),
        ...validatePages(place, name, amount),
      ];
    }),
    ...Object.keys(requests).flatMap((name) => [
      ...nameErrors(`${field}.requests[${name}]`, name),
      ...validateRequest(field, name, requests, limits),
    ]),
    ...(onlyPages ? [forbidden(field, "HugePages require cpu or memory")] : []),
  ];
}

/** A request is at most the limit, and equals it for resources that cannot be overcommitted. */
function validateRequest(
  field: string,
  name: string,
  requests: JsonObject,
  limits: JsonObject,
): FieldError[] {
  const [request, limit] = [textAt(requests, name), textAt(limits, name)];
  const place = `${field}.requests`;
  const errors = validateResourceAmount(`${place}[${name}]`, name, request);
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

/** The quantity of huge pages is a multiple of the page size in their name. */
function validatePages(field: string, name: string, amount: string): FieldError[] {
  if (!isHugePages(name)) return [];
  const size = quantityNanos(name.slice(HUGE_PAGES.length));
  const whole = size > 0n && isWholeQuantity(name.slice(HUGE_PAGES.length));
  if (whole && quantityNanos(amount) % size === 0n) return [];
  return [invalid(field, amount, `${amount} is not positive integer multiple of ${name}`)];
}
