// What the spec of a pod must fulfil, in a Pod and in the templates from which pods are made.

import { duplicate, type FieldError, invalid, notSupported, required } from "../../../meta/field-error.ts";
import { type JsonObject, numberAt, objectAt, objectsAt, textAt, textsAt } from "../../../meta/json.ts";
import { append } from "../../../meta/lists.ts";
import { isDns1123Label, isDns1123Subdomain, isQualifiedName, validateLabels } from "../../../meta/names.ts";
import { isCanonicalIp } from "../../addresses.ts";
import { isTrue } from "../../fields.ts";
import { textMap } from "../../label-selectors.ts";
import { validateContainers, validateInitContainers } from "./container/container-validation.ts";
import { validateEphemeralContainers } from "./container/ephemeral-validation.ts";
import { validateAffinity } from "./placement/affinity-validation.ts";
import { validateSpread } from "./placement/spread-validation.ts";
import { validatePodSecurity } from "./security-validation.ts";
import { validateTolerations } from "./toleration-validation.ts";
import { validateVolumes } from "./volume-validation.ts";

const RESTART_POLICIES = ["Always", "OnFailure", "Never"];
const DNS_POLICIES = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
const NAMESERVERS_MAX = 3;
const INT32_MAX = 2 ** 31 - 1;

/** A Pod has its final host ports; in a template they may still be left open. */
export function validatePodSpec(field: string, spec: JsonObject, isPod: boolean): FieldError[] {
  const { errors, sources } = validateVolumes(`${field}.volumes`, objectsAt(spec, "volumes"));
  const around = {
    volumes: sources,
    graceSeconds: numberAt(spec, "terminationGracePeriodSeconds") ?? 0,
    hostUsers: spec["hostUsers"] !== false,
  };
  return [
    ...errors,
    ...validateContainers(field, spec, around),
    ...validateInitContainers(field, spec, around),
    ...validateEphemeralContainers(field, spec, around),
    ...validateHostNetwork(field, spec, isPod),
    ...validateChoice(`${field}.restartPolicy`, textAt(spec, "restartPolicy"), RESTART_POLICIES),
    ...validateChoice(`${field}.dnsPolicy`, textAt(spec, "dnsPolicy"), DNS_POLICIES),
    ...validateLabels(textMap(objectAt(spec, "nodeSelector")), `${field}.nodeSelector`),
    ...validatePodSecurity(`${field}.securityContext`, objectAt(spec, "securityContext") ?? {}, spec),
    ...validateAffinity(`${field}.affinity`, objectAt(spec, "affinity")),
    ...validateDns(field, spec),
    ...objectsAt(spec, "readinessGates").flatMap((gate, index) => {
      const type = textAt(gate, "conditionType");
      const place = `${field}.readinessGates[${index}].conditionType`;
      return isQualifiedName(type).map((text) => invalid(place, type, text));
    }),
    ...validateSchedulingGates(`${field}.schedulingGates`, objectsAt(spec, "schedulingGates")),
    ...validateSpread(`${field}.topologySpreadConstraints`, objectsAt(spec, "topologySpreadConstraints")),
    ...validateNames(field, spec),
    ...validateTolerations(`${field}.tolerations`, objectsAt(spec, "tolerations")),
    ...validateHostAliases(`${field}.hostAliases`, objectsAt(spec, "hostAliases")),
    ...subdomain(`${field}.priorityClassName`, textAt(spec, "priorityClassName")),
    ...subdomain(`${field}.runtimeClassName`, textAt(spec, "runtimeClassName")),
  ];
}

const subdomain = (field: string, text: string): FieldError[] =>
  text === "" ? [] : isDns1123Subdomain(text).map((complaint) => invalid(field, text, complaint));

const label = (field: string, text: string): FieldError[] =>
  text === "" ? [] : isDns1123Label(text).map((complaint) => invalid(field, text, complaint));

function validateChoice(field: string, value: string, choices: readonly string[]): FieldError[] {
  if (value === "") return [required(field)];
  return choices.includes(value) ? [] : [notSupported(field, value, choices)];
}

/** Who shares the network of the machine has its ports at the same numbers. */
function validateHostNetwork(field: string, spec: JsonObject, isPod: boolean): FieldError[] {
  if (!isTrue(spec, "hostNetwork")) return [];
  return objectsAt(spec, "containers").flatMap((container, index) =>
    objectsAt(container, "ports").flatMap((port, at) => {
      const hostPort = numberAt(port, "hostPort") ?? 0;
      if (hostPort === (numberAt(port, "containerPort") ?? 0) || (hostPort === 0 && !isPod)) return [];
      const rule = "must match `containerPort` when `hostNetwork` is true";
      return [invalid(`${field}.containers[${index}].ports[${at}].hostPort`, hostPort, rule)];
    }),
  );
}

function validateDns(field: string, spec: JsonObject): FieldError[] {
  const config = objectAt(spec, "dnsConfig");
  const place = `${field}.dnsConfig`;
  const servers = textsAt(config, "nameservers");
  if (textAt(spec, "dnsPolicy") === "None") {
    if (config === undefined) return [required(place, "must provide `dnsConfig` when `dnsPolicy` is None")];
    if (servers.length === 0) {
      const rule = "must provide at least one DNS nameserver when `dnsPolicy` is None";
      return [required(`${place}.nameservers`, rule)];
    }
  }
  const errors: FieldError[] = [];
  if (servers.length > NAMESERVERS_MAX) {
    const rule = `must not have more than ${NAMESERVERS_MAX} nameservers`;
    errors.push(invalid(`${place}.nameservers`, servers, rule));
  }
  servers.forEach((server, index) => {
    const at = `${place}.nameservers[${index}]`;
    append(
      errors,
      isCanonicalIp(server).map((text) => invalid(at, server, text)),
    );
  });
  objectsAt(config, "options").forEach((option, index) => {
    if (textAt(option, "name") !== "") return;
    errors.push(required(`${place}.options[${index}]`, "must not be empty"));
  });
  return errors;
}

function validateSchedulingGates(field: string, gates: readonly JsonObject[]): FieldError[] {
  const seen = new Set<string>();
  return gates.flatMap((gate, index) => {
    const name = textAt(gate, "name");
    const place = `${field}[${index}]`;
    const errors = isQualifiedName(name).map((text) => invalid(place, name, text));
    if (seen.has(name)) errors.push(duplicate(place, name));
    seen.add(name);
    return errors;
  });
}

function validateNames(field: string, spec: JsonObject): FieldError[] {
  const deadline = numberAt(spec, "activeDeadlineSeconds");
  const late = deadline !== undefined && (deadline < 1 || deadline > INT32_MAX);
  const rule = `must be between 1 and ${INT32_MAX}, inclusive`;
  return [
    ...subdomain(`${field}.serviceAccountName`, textAt(spec, "serviceAccountName")),
    ...subdomain(`${field}.nodeName`, textAt(spec, "nodeName")),
    ...(late ? [invalid(`${field}.activeDeadlineSeconds`, deadline, rule)] : []),
    ...label(`${field}.hostname`, textAt(spec, "hostname")),
    ...label(`${field}.subdomain`, textAt(spec, "subdomain")),
  ];
}

function validateHostAliases(field: string, aliases: readonly JsonObject[]): FieldError[] {
  return aliases.flatMap((alias, index) => {
    const ip = textAt(alias, "ip");
    return [
      ...isCanonicalIp(ip).map((text) => invalid(`${field}[${index}].ip`, ip, text)),
      ...textsAt(alias, "hostnames").flatMap((name, at) =>
        isDns1123Subdomain(name).map((text) => invalid(`${field}[${index}].hostnames[${at}]`, name, text)),
      ),
    ];
  });
}
