// Pod-level resources: the containers' total must not exceed them, nor a single container's limit the pod's.
import { type Amount, showQuantity } from "../../../apimachinery/go/quantity.ts";
import { type JsonObject, objectAt, textAt } from "../../../apimachinery/json/json.ts";
import { type FieldError, forbidden, invalid, notSupported } from "../../../apimachinery/meta/field-error.ts";
import { wasGivenEmpty } from "../../../apimachinery/meta/given-empty.ts";
import { eachAt } from "../../../apiserver/registry/strategy/fields.ts";
import { type Amounts, readAmounts } from "../../quota/amounts.ts";
import { containerResources } from "../../quota/pod-resources.ts";
import { isHugePages, mayBeOvercommitted, validateAmounts, validateResourceName } from "../amounts.ts";
import { validateUsedClaims } from "./claims.ts";

const OF_WHOLE_POD = ["cpu", "memory"];

const isOfWholePod = (name: string): boolean => OF_WHOLE_POD.includes(name) || isHugePages(name);

function nameErrors(field: string, name: string): FieldError[] {
  const errors = validateResourceName(field, name);
  return errors.length > 0 || isOfWholePod(name) ? errors : [notSupported(field, name, OF_WHOLE_POD)];
}

export function validateWholePod(
  owner: string,
  spec: JsonObject,
  podClaims: ReadonlySet<string>,
): FieldError[] {
  const resources = objectAt(spec, "resources");
  if (resources === undefined) return [];
  const field = `${owner}.resources`;
  if (textAt(objectAt(spec, "os"), "name") === "windows")
    return [forbidden(field, "may not be set for a windows pod")];
  const claims = Array.isArray(resources["claims"]) || wasGivenEmpty(resources, "claims");
  return [
    ...(claims ? [forbidden(`${field}.claims`, "claims may not be set for Resources at pod-level")] : []),
    ...validateAmounts(field, resources, nameErrors),
    ...validateUsedClaims(field, resources, podClaims),
    ...tooLittle(`${field}.requests`, spec, "requests", () => true),
    ...tooLittle(`${field}.limits`, spec, "limits", isHugePages),
    ...tooMuchOfContainers(field, spec),
  ];
}

function tooLittle(
  field: string,
  spec: JsonObject,
  part: "requests" | "limits",
  counts: (name: string) => boolean,
): FieldError[] {
  const own = amountsAt(spec, part);
  const together = containerResources(spec, part);
  return [...own].flatMap(([name, amount]) => {
    const sum = together.get(name);
    if (sum === undefined || !counts(name) || sum.nanos <= amount.nanos) return [];
    const rule = `must be greater than or equal to aggregate container ${part} of ${showQuantity(sum)}`;
    return [invalid(`${field}[${name}]`, showQuantity(amount), rule)];
  });
}

const amountsAt = (holder: JsonObject, part: string): Amounts =>
  readAmounts(objectAt(objectAt(holder, "resources"), part));

function tooMuchOfContainers(field: string, spec: JsonObject): FieldError[] {
  const limits = amountsAt(spec, "limits");
  return eachAt(field, spec, "containers", (place, container) =>
    [...amountsAt(container, "limits")].flatMap(([name, amount]) => {
      const limit = limits.get(name);
      if (limit === undefined || amount.nanos <= limit.nanos) return [];
      const rule = `must be less than or equal to pod limits of ${showQuantity(limit)}`;
      return [invalid(`${place}[${name}].limits`, showQuantity(amount), rule)];
    }),
  );
}

/** Defaults of pod-level requests, where any pod-level resource is set: the containers' total, else the pod-level limit. */
export function askAsWhole(spec: JsonObject): void {
  const resources = objectAt(spec, "resources");
  const own = amountsAt(spec, "requests");
  const limits = amountsAt(spec, "limits");
  if (resources === undefined || own.size + limits.size === 0) return;
  const asked = new Map<string, Amount>(own);
  for (const [name, amount] of containerResources(spec, "requests"))
    if (isOfWholePod(name) && mayBeOvercommitted(name) && !asked.has(name)) asked.set(name, amount);
  for (const [name, amount] of limits) if (isOfWholePod(name) && !asked.has(name)) asked.set(name, amount);
  const requests = objectAt(resources, "requests") ?? {};
  for (const [name, amount] of asked) requests[name] ??= showQuantity(amount);
  if (asked.size > 0) resources["requests"] = requests;
}
