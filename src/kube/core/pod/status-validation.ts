// Validation of a Pod's status update: terminated containers stay terminated, and addresses have distinct IP families.

import {
  equalJson,
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
  textOf,
} from "../../../apimachinery/json/json.ts";
import { type FieldError, forbidden, invalid } from "../../../apimachinery/meta/field-error.ts";
import { isDns1123Subdomain, isQualifiedName } from "../../../apimachinery/meta/names.ts";
import {
  familyErrors,
  formErrors,
  ipWarnings,
  parseSloppyIp,
  validateIp,
} from "../../../apiserver/registry/strategy/checks.ts";
import { eachAt } from "../../../apiserver/registry/strategy/fields.ts";
import { type CodeRules, schemaErrors } from "../../../apiserver/registry/strategy/schema-rules.ts";
import { validateClaimStatuses, validateContainerStatuses } from "./status-parts.ts";

/** Native conditions; others have qualified names. */
const CONDITIONS = ["PodScheduled", "Ready", "Initialized"];

export function validatePodStatusUpdate(
  object: Readonly<JsonObject>,
  old: Readonly<JsonObject>,
): FieldError[] {
  const status = objectAt(object, "status") ?? {};
  const before = objectAt(old, "status") ?? {};
  const spec = objectAt(old, "spec");
  const code: CodeRules = {
    conditionType({ field, owner }) {
      const type = textAt(owner, "type");
      return CONDITIONS.includes(type) ? [] : formErrors(isQualifiedName, `${field}.Type`, type);
    },
    nomination: ({ field, value }) =>
      value === "" || value === before["nominatedNodeName"]
        ? []
        : [
            ...formErrors(isDns1123Subdomain, field, textOf(value)),
            ...(textAt(spec, "nodeName") === ""
              ? []
              : [forbidden(field, "may not be set on pods that are already bound to a node")]),
          ],
  };
  return [
    ...schemaErrors("io.k8s.api.core.v1.PodStatus", status, { field: "status", code, old: before }),
    ...["containers", "initContainers"].flatMap((list) => {
      const member = `${list.slice(0, -1)}Statuses`;
      const containers = byName(objectsAt(spec, list));
      return validateEnded(member, status, before, (name, exitCode) =>
        mayRestart(spec, containers.get(name), exitCode),
      );
    }),
    ...validateEnded("ephemeralContainerStatuses", status, before, () => false),
    ...validateClaimStatuses(status, spec),
    ...validateIps("podIPs", status, before),
    ...validateHostIps(status, before),
    ...validateContainerStatuses(status, spec),
  ];
}

export const podStatusWarnings = (object: Readonly<JsonObject>): string[] =>
  ["podIPs", "hostIPs"].flatMap((member) =>
    eachAt("status", objectAt(object, "status"), member, (place, { ip }) =>
      ipWarnings(`${place}.ip`, textOf(ip)),
    ),
  );

const exitCodeOf = (status: JsonObject): number | undefined => {
  const terminated = objectAt(objectAt(status, "state"), "terminated");
  return terminated === undefined ? undefined : (numberAt(terminated, "exitCode") ?? 0);
};

/** Terminated containers stay terminated, unless they may be restarted. */
function validateEnded(
  member: string,
  status: JsonObject,
  before: JsonObject,
  mayBeginAnew: (name: string, exitCode: number) => boolean,
): FieldError[] {
  const running = countByName(objectsAt(status, member).filter((item) => exitCodeOf(item) === undefined));
  return eachAt("status", before, member, (place, ended) => {
    const exitCode = exitCodeOf(ended);
    const name = textAt(ended, "name");
    const count = exitCode === undefined ? 0 : (running.get(name) ?? 0);
    if (exitCode === undefined || count === 0 || mayBeginAnew(name, exitCode)) return [];
    const rule = "may not be transitioned to non-terminated state";
    return Array.from({ length: count }, () => forbidden(`${place}.state`, rule));
  });
}

/** Of several items with one name the first. */
const byName = (items: readonly JsonObject[]): ReadonlyMap<string, JsonObject> =>
  new Map(items.toReversed().map((item) => [textAt(item, "name"), item]));

function countByName(items: readonly JsonObject[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(textAt(item, "name"), (counts.get(textAt(item, "name")) ?? 0) + 1);
  return counts;
}

/** Restart rules and policy of the container precede the pod's policy. A rule of one container may restart all of them. */
function mayRestart(
  spec: JsonObject | undefined,
  container: JsonObject | undefined,
  exitCode: number,
): boolean {
  const own = textAt(container, "restartPolicy");
  const all = ["containers", "initContainers"].flatMap((list) => objectsAt(spec, list));
  if (all.some((item) => objectsAt(item, "restartPolicyRules").some(beginsAllAnew))) return true;
  if (own !== "" && ruleFor(container, exitCode)?.["action"] === "Restart") return true;
  const policy = own || textAt(spec, "restartPolicy");
  return policy === "OnFailure" ? exitCode !== 0 : policy !== "Never";
}

const beginsAllAnew = (rule: JsonObject): boolean => rule["action"] === "RestartAllContainers";

function ruleFor(container: JsonObject | undefined, exitCode: number): JsonObject | undefined {
  return objectsAt(container, "restartPolicyRules").find((rule) => {
    const exitCodes = objectAt(rule, "exitCodes");
    const values = exitCodes?.["values"];
    const named = Array.isArray(values) && values.some((value) => equalJson(value, exitCode));
    return exitCodes !== undefined && named === (exitCodes["operator"] === "In");
  });
}

/** Existing addresses are accepted in any form. */
function validateIps(member: string, status: JsonObject, before: JsonObject): FieldError[] {
  const field = `status.${member}`;
  const kept = new Set(objectsAt(before, member).map((item) => textAt(item, "ip")));
  const ips = objectsAt(status, member).map((item) => textAt(item, "ip"));
  const errors = ips.flatMap((ip, index) => (kept.has(ip) ? [] : validateIp(`${field}[${index}]`, ip)));
  const families = ips.map((ip) => parseSloppyIp(ip)?.family);
  const broken = (index: number) => `failed to check for dual stack with error:invalid IP[${index}]: <nil>`;
  const shown = JSON.stringify(ips.map((ip) => ({ IP: ip })));
  const message = `Invalid value: ${shown}: may specify no more than one IP for each IP family`;
  const tooMany: FieldError = { reason: "FieldValueInvalid", field, message };
  return [...errors, ...familyErrors(field, families, { broken, tooMany })];
}

/** hostIP is the first of hostIPs, if they are set. */
function validateHostIps(status: JsonObject, before: JsonObject): FieldError[] {
  const [first] = objectsAt(status, "hostIPs");
  const ip = textAt(first, "ip");
  const differs = first !== undefined && ip !== textAt(status, "hostIP");
  return [
    ...(differs ? [invalid("status.hostIPs[0].ip", ip, "must be equal to `hostIP`")] : []),
    ...validateIps("hostIPs", status, before),
  ];
}

/** A status without observedGeneration keeps the previous one. */
export function keepObservedGenerations(status: JsonObject, before: JsonObject | undefined): void {
  const keep = (target: JsonObject, source: JsonObject | undefined): void => {
    if (!numberAt(target, "observedGeneration") && numberAt(source, "observedGeneration"))
      target["observedGeneration"] = source?.["observedGeneration"];
  };
  keep(status, before);
  const rest = [...objectsAt(before, "conditions")];
  for (const condition of objectsAt(status, "conditions")) {
    const index = rest.findIndex(({ type }) => type === condition["type"]);
    if (index >= 0) keep(condition, rest.splice(index, 1)[0]);
  }
}
