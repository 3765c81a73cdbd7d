// What the spec of a pod must fulfil, in a Pod and in the templates from which pods are made.
import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  repeated,
  required,
} from "../../../meta/field-error.ts";
import {
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
  objectsOf,
  textAt,
  textsAt,
} from "../../../meta/json.ts";
import { append } from "../../../meta/lists.ts";
import { isQualifiedName, validateAnnotations, validateLabels } from "../../../meta/names.ts";
import { formErrors, isCanonicalIp } from "../../checks.ts";
import { eachAt, isTrue, specOf } from "../../fields.ts";
import { textMap } from "../../label-selectors.ts";
import { objectOf, schemaErrors } from "../../schema-rules.ts";
import { countSources, SOURCE_RULES } from "../volume/sources.ts";
import { validatePodClaims } from "./claims.ts";
import { validateContainers, validateEphemeralContainers, validateInitContainers } from "./containers.ts";
import { placementRules } from "./placement.ts";
import { validateHostProcess } from "./privileges.ts";
import { validatePodSecurity } from "./security.ts";
import { DOWNWARD_FILE_RULES } from "./variables.ts";

// The volumes of a pod: each has a name of its own and exactly one source.

const VOLUME = "io.k8s.api.core.v1.Volume";
/** The volumes by name that are as they should be, and what is wrong with the others. */
export function validateVolumes(
  field: string,
  volumes: readonly JsonObject[],
): { readonly errors: FieldError[]; readonly sources: ReadonlyMap<string, JsonObject> } {
  const sources = new Map<string, JsonObject>();
  const errors = volumes.flatMap((volume, index) => {
    const place = `${field}[${index}]`;
    const name = textAt(volume, "name");
    const found = validateVolume(place, volume);
    if (sources.has(name)) found.push(duplicate(`${place}.name`, name));
    if (found.length === 0) sources.set(name, volume);
    return found;
  });
  return { errors, sources };
}

/** The name is looked at last. */
function validateVolume(field: string, volume: JsonObject): FieldError[] {
  const { counted, errors } = countSources(VOLUME, field, volume);
  const code = { ...SOURCE_RULES, ...DOWNWARD_FILE_RULES, sources: () => errors };
  return schemaErrors(VOLUME, counted, { field, code });
}

const NAMESERVERS_MAX = 3;

/** A Pod, which has a name, has its final host ports; in a template they may still be left open. */
export function validatePodSpec(field: string, spec: JsonObject, podName?: string): FieldError[] {
  const { errors, sources } = validateVolumes(`${field}.volumes`, objectsAt(spec, "volumes"));
  const around = {
    volumes: sources,
    graceSeconds: numberAt(spec, "terminationGracePeriodSeconds") ?? 0,
    hostUsers: spec["hostUsers"] !== false,
    claims: new Set(objectsAt(spec, "resourceClaims").map((claim) => textAt(claim, "name"))),
    restartPolicy: textAt(spec, "restartPolicy"),
  };
  const ofFields = schemaErrors("io.k8s.api.core.v1.PodSpec", spec, {
    field,
    code: {
      ...placementRules(spec),
      volumes: () => errors,
      claims: () => validatePodClaims(field, spec, podName),
      preemption: ({ field: place, value }) => validatePreemption(place, String(value)),
      os: ({ field: place, value }) => validateOs(place, textAt(objectOf(value), "name")),
      containers: () => [
        ...validateContainers(field, spec, around),
        ...validateInitContainers(field, spec, around),
        ...validateEphemeralContainers(field, spec, around),
        ...validateHostNetwork(field, spec, podName !== undefined),
      ],
      security: () =>
        validatePodSecurity(`${field}.securityContext`, objectAt(spec, "securityContext") ?? {}, spec),
      dns: () => validateDns(`${field}.dnsConfig`, spec),
      gates: ({ field: place, value }) => validateSchedulingGates(place, objectsOf(value)),
    },
  });
  return [...ofFields, ...validateHostProcess(field, spec)];
}

const PREEMPTION_POLICIES = ["PreemptLowerPriority", "Never"];

function validatePreemption(field: string, policy: string): FieldError[] {
  if (policy === "") return [required(field)];
  return PREEMPTION_POLICIES.includes(policy) ? [] : [notSupported(field, policy, PREEMPTION_POLICIES)];
}

const SYSTEMS = ["linux", "windows"];

function validateOs(field: string, name: string): FieldError[] {
  if (name === "") return [required(`${field}.name`)];
  return SYSTEMS.includes(name) ? [] : [notSupported(field, name, SYSTEMS)];
}

/** Who shares the network of the machine has its ports at the same numbers. */
function validateHostNetwork(field: string, spec: JsonObject, isPod: boolean): FieldError[] {
  if (!isTrue(spec, "hostNetwork")) return [];
  return eachAt(field, spec, "containers", (place, container) =>
    eachAt(place, container, "ports", (at, port) => {
      const hostPort = numberAt(port, "hostPort") ?? 0;
      if (hostPort === (numberAt(port, "containerPort") ?? 0) || (hostPort === 0 && !isPod)) return [];
      const rule = "must match `containerPort` when `hostNetwork` is true";
      return [invalid(`${at}.hostPort`, hostPort, rule)];
    }),
  );
}

function validateDns(place: string, spec: JsonObject): FieldError[] {
  const config = objectAt(spec, "dnsConfig");
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
    append(errors, formErrors(isCanonicalIp, `${place}.nameservers[${index}]`, server));
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
    return [...formErrors(isQualifiedName, place, name), ...repeated(seen, place, name)];
  });
}

// The template from which a workload makes its pods.

export function validateTemplate(field: string, template: JsonObject): FieldError[] {
  const spec = specOf(template);
  const ephemeral = objectsAt(spec, "ephemeralContainers").length > 0;
  const rule = "ephemeral containers not allowed in pod template";
  return [
    ...validateTemplateMetadata(field, template),
    ...validatePodSpec(`${field}.spec`, spec),
    ...(ephemeral ? [forbidden(`${field}.spec.ephemeralContainers`, rule)] : []),
  ];
}

export function validateTemplateMetadata(field: string, template: JsonObject): FieldError[] {
  const metadata = objectAt(template, "metadata");
  return [
    ...validateLabels(textMap(objectAt(metadata, "labels")), `${field}.labels`),
    ...validateAnnotations(textMap(objectAt(metadata, "annotations")), `${field}.annotations`),
  ];
}
