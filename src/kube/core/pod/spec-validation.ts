// Validation of a pod's spec, in a Pod and in pod templates.

import {
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
  objectsOf,
  textAt,
} from "../../../apimachinery/json/json.ts";
import {
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  repeated,
  required,
} from "../../../apimachinery/meta/field-error.ts";
import { isQualifiedName, validateAnnotations, validateLabels } from "../../../apimachinery/meta/names.ts";
import { formErrors } from "../../../apiserver/registry/strategy/checks.ts";
import { eachAt, isTrue, specOf } from "../../../apiserver/registry/strategy/fields.ts";
import { textMap } from "../../../apiserver/registry/strategy/label-selectors.ts";
import { objectOf, schemaErrors } from "../../../apiserver/registry/strategy/schema-rules.ts";
import { validateResources } from "../amounts.ts";
import { validateVolumes } from "../volume/pod-volumes.ts";
import { validatePodAnnotations } from "./annotations.ts";
import { validatePodClaims } from "./claims.ts";
import { validateContainers, validateEphemeralContainers, validateInitContainers } from "./containers.ts";
import { validateDns } from "./dns.ts";
import { placementRules } from "./placement.ts";
import { validateHostProcess } from "./privileges.ts";
import { validatePodSecurity } from "./security.ts";
import { validateHostUsers, validateSystem } from "./systems.ts";
import { validateFileKeys } from "./variables.ts";
import { validateWholePod } from "./whole.ts";

/** A Pod, which has a name, needs explicit host ports; a template does not. */
export function validatePodSpec(field: string, spec: JsonObject, podName?: string): FieldError[] {
  const { errors, sources } = validateVolumes(`${field}.volumes`, objectsAt(spec, "volumes"), podName);
  const around = {
    volumes: sources,
    graceSeconds: numberAt(spec, "terminationGracePeriodSeconds") ?? 0,
    hostUsers: spec["hostUsers"] !== false,
    claims: new Set(objectsAt(spec, "resourceClaims").flatMap((claim) => textAt(claim, "name") || [])),
    restartPolicy: textAt(spec, "restartPolicy"),
  };
  return schemaErrors("io.k8s.api.core.v1.PodSpec", spec, {
    field,
    code: {
      ...placementRules(spec),
      volumes: () => errors,
      claims: () => validatePodClaims(field, spec, podName),
      preemption: ({ field: place, value }) => validatePreemption(place, String(value)),
      overhead: ({ field: place, value }) => validateResources(place, { limits: objectOf(value) }),
      os: () => validateSystem(field, spec),
      hostProcess: () => validateHostProcess(field, spec),
      hostUsers: () => validateHostUsers(field, spec),
      fileKeys: () => validateFileKeys(field, spec),
      containers: () => [
        ...validateContainers(field, spec, around),
        ...validateInitContainers(field, spec, around),
        ...validateEphemeralContainers(field, spec, around),
        ...validateWholePod(field, spec, around.claims),
        ...validateHostNetwork(field, spec, podName !== undefined),
      ],
      security: () =>
        validatePodSecurity(`${field}.securityContext`, objectAt(spec, "securityContext") ?? {}, spec),
      dns: () => validateDns(`${field}.dnsConfig`, spec),
      gates: ({ field: place, value }) => validateSchedulingGates(place, objectsOf(value)),
    },
  });
}

const PREEMPTION_POLICIES = ["PreemptLowerPriority", "Never"];

function validatePreemption(field: string, policy: string): FieldError[] {
  if (policy === "") return [required(field)];
  return PREEMPTION_POLICIES.includes(policy) ? [] : [notSupported(field, policy, PREEMPTION_POLICIES)];
}

/** With hostNetwork a container port and its host port are the same. */
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

function validateSchedulingGates(field: string, gates: readonly JsonObject[]): FieldError[] {
  const seen = new Set<string>();
  return gates.flatMap((gate, index) => {
    const name = textAt(gate, "name");
    const place = `${field}[${index}]`;
    return [...formErrors(isQualifiedName, place, name), ...repeated(seen, place, name)];
  });
}

// Pod template of a workload.

export function validateTemplate(field: string, template: JsonObject): FieldError[] {
  const spec = specOf(template);
  const ephemeral = objectsAt(spec, "ephemeralContainers").length > 0;
  const rule = "ephemeral containers not allowed in pod template";
  return [
    ...validateTemplateMetadata(field, template),
    ...validatePodAnnotations(field, template),
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
