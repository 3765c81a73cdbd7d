// The status of a Service: where its load balancer is entered from outside. Only a Service that balances has such places.

import { type FieldError, forbidden, invalid, notSupported, required } from "../../../meta/field-error.ts";
import { parseIp } from "../../../meta/ip.ts";
import { equalJson, type JsonObject, objectAt, objectsAt, textAt } from "../../../meta/json.ts";
import { append } from "../../../meta/lists.ts";
import { isDns1123Subdomain } from "../../../meta/names.ts";
import type { KubeObject } from "../../../meta/object-meta.ts";
import type { Strategy } from "../../../registry/definition/strategy.ts";
import { ipWarnings, validateIp } from "../../addresses.ts";

const IP_MODES = ["Proxy", "VIP"];
const FIELD = "status.loadBalancer.ingress";

const balances = (service: Readonly<JsonObject>): boolean =>
  textAt(objectAt(service, "spec"), "type") === "LoadBalancer";

export const ingressPoints = (service: Readonly<JsonObject>): JsonObject[] =>
  objectsAt(objectAt(objectAt(service, "status"), "loadBalancer"), "ingress");

/** On update of the Service itself, which keeps its status, but for places that lead nowhere any more. */
export function keepStatus(object: KubeObject, old: Readonly<KubeObject>): void {
  const status = objectAt(old, "status");
  object["status"] = balances(object) ? status : { ...status, loadBalancer: {} };
}

/** What stood there before may stay, whatever it is. */
function validateUpdate(object: Readonly<KubeObject>, old: Readonly<KubeObject>): FieldError[] {
  const points = ingressPoints(object);
  if (equalJson(points, ingressPoints(old))) return [];
  if (points.length > 0 && !balances(object)) {
    return [forbidden(FIELD, "may only be used when `spec.type` is 'LoadBalancer'")];
  }
  return points.flatMap((point, index) => validatePoint(`${FIELD}[${index}]`, point));
}

function validatePoint(field: string, point: JsonObject): FieldError[] {
  const ip = textAt(point, "ip");
  const hostname = textAt(point, "hostname");
  const errors = ip === "" ? [] : validateIp(`${field}.ip`, ip);
  append(errors, validateMode(`${field}.ipMode`, point["ipMode"], ip !== ""));
  if (hostname === "") return errors;
  const complaints = isDns1123Subdomain(hostname);
  if (parseIp(hostname) !== undefined) complaints.push("must be a DNS name, not an IP address");
  return [...errors, ...complaints.map((text) => invalid(`${field}.hostname`, hostname, text))];
}

function validateMode(field: string, mode: unknown, hasIp: boolean): FieldError[] {
  if (mode === undefined) return hasIp ? [required(field, "must be specified when `ip` is set")] : [];
  if (!hasIp) return [forbidden(field, "may not be specified when `ip` is not set")];
  return IP_MODES.includes(String(mode)) ? [] : [notSupported(field, mode, IP_MODES)];
}

export const serviceStatus: Strategy = {
  allowUnconditionalUpdate: true,
  resetFields: [["spec"]],
  prepareForUpdate(object, old) {
    object["spec"] = old["spec"];
  },
  validateUpdate,
  warnings: (object) =>
    ingressPoints(object).flatMap((point, index) => ipWarnings(`${FIELD}[${index}]`, textAt(point, "ip"))),
};
