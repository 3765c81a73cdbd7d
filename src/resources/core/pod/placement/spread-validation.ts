// How evenly pods are spread over zones, machines and other places.
import { duplicate, type FieldError, invalid, notSupported, required } from "../../../../meta/field-error.ts";
import { type JsonObject, numberAt, objectAt, textAt } from "../../../../meta/json.ts";
import { validateLabelSelector } from "../../../label-selectors.ts";
import { validateLabelKeys } from "./label-keys.ts";

const ACTIONS = ["DoNotSchedule", "ScheduleAnyway"];
const POLICIES = ["Honor", "Ignore"];
const NOT_POSITIVE = "must be greater than zero";

export function validateSpread(field: string, constraints: readonly JsonObject[]): FieldError[] {
  const lastOfKind = new Map(constraints.map((constraint, index) => [kindOf(constraint), index]));
  return constraints.flatMap((constraint, index) => {
    const place = `${field}[${index}]`;
    const kind = kindOf(constraint);
    const again = lastOfKind.get(kind) !== index;
    return [
      ...validateSkew(place, constraint),
      ...(again ? [duplicate(`${place}.{topologyKey, whenUnsatisfiable}`, kind)] : []),
      ...validateDomains(`${place}.minDomains`, constraint),
      ...["nodeAffinityPolicy", "nodeTaintsPolicy"].flatMap((member) => {
        const policy = constraint[member];
        if (typeof policy !== "string" || POLICIES.includes(policy)) return [];
        return [notSupported(`${place}.${member}`, policy, POLICIES)];
      }),
      ...validateLabelKeys(place, constraint, "matchLabelKeys"),
      ...validateLabelSelector(`${place}.labelSelector`, objectAt(constraint, "labelSelector")),
    ];
  });
}

/** There can be one constraint of a kind; the last one of it is not complained of. */
const kindOf = (constraint: JsonObject): string =>
  `{${textAt(constraint, "topologyKey")}, ${textAt(constraint, "whenUnsatisfiable")}}`;

function validateSkew(field: string, constraint: JsonObject): FieldError[] {
  const skew = numberAt(constraint, "maxSkew") ?? 0;
  const action = textAt(constraint, "whenUnsatisfiable");
  return [
    ...(skew > 0 ? [] : [invalid(`${field}.maxSkew`, skew, NOT_POSITIVE)]),
    ...(textAt(constraint, "topologyKey") === ""
      ? [required(`${field}.topologyKey`, "can not be empty")]
      : []),
    ...(ACTIONS.includes(action) ? [] : [notSupported(`${field}.whenUnsatisfiable`, action, ACTIONS)]),
  ];
}

function validateDomains(field: string, constraint: JsonObject): FieldError[] {
  const domains = numberAt(constraint, "minDomains");
  if (domains === undefined) return [];
  const action = textAt(constraint, "whenUnsatisfiable");
  const rule = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`;
  return [
    ...(domains > 0 ? [] : [invalid(field, domains, NOT_POSITIVE)]),
    ...(action === "DoNotSchedule" ? [] : [invalid(field, domains, rule)]),
  ];
}
