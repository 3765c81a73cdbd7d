// Warnings about a pod or pod template.

import { isWholeQuantity } from "../../../apimachinery/go/quantity.ts";
import {
  isObject,
  type JsonObject,
  lookupTable,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from "../../../apimachinery/json/json.ts";
import { isDns1123Label, isLabelValue } from "../../../apimachinery/meta/names.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import { eachAt, specOf } from "../../../apiserver/registry/strategy/fields.ts";
import { portWarnings } from "./port-warnings.ts";

/** Renamed node labels. */
export const RENAMED_LABELS = lookupTable({
  "beta.kubernetes.io/arch": { since: "v1.14", name: "kubernetes.io/arch" },
  "beta.kubernetes.io/os": { since: "v1.14", name: "kubernetes.io/os" },
  "failure-domain.beta.kubernetes.io/region": { since: "v1.17", name: "topology.kubernetes.io/region" },
  "failure-domain.beta.kubernetes.io/zone": { since: "v1.17", name: "topology.kubernetes.io/zone" },
  "beta.kubernetes.io/instance-type": { since: "v1.17", name: "node.kubernetes.io/instance-type" },
});
const DEPRECATED_LABELS: Readonly<Record<string, string>> = lookupTable(
  Object.fromEntries(
    Object.entries(RENAMED_LABELS).map(([key, { since, name }]) => [
      key,
      `deprecated since ${since}; use "${name}" instead`,
    ]),
  ),
);
const DEAD_ANNOTATIONS: Readonly<Record<string, string>> = lookupTable({
  "scheduler.alpha.kubernetes.io/critical-pod":
    'non-functional in v1.16+; use the "priorityClassName" field instead',
  "security.alpha.kubernetes.io/sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
  "security.alpha.kubernetes.io/unsafe-sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
});
/** Volume sources that no longer work. */
const DEAD_VOLUMES: Readonly<Record<string, string>> = lookupTable({
  photonPersistentDisk: "deprecated in v1.11, non-functional in v1.16+",
  gitRepo: "deprecated in v1.11",
  scaleIO: "deprecated in v1.16, non-functional in v1.22+",
  flocker: "deprecated in v1.22, non-functional in v1.25+",
  storageos: "deprecated in v1.22, non-functional in v1.25+",
  quobyte: "deprecated in v1.22, non-functional in v1.25+",
  glusterfs: "deprecated in v1.25, non-functional in v1.26+",
  cephfs: "deprecated in v1.28, non-functional in v1.31+",
  rbd: "deprecated in v1.28, non-functional in v1.31+",
});
const SECCOMP = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_RULE = 'non-functional in v1.27+; use the "seccompProfile" field instead';
const LISTS = ["initContainers", "containers"];
const GRACE_RULE = "must be >= 0; negative values are invalid and will be treated as 1";
const IN_WHOLE_BYTES = ["memory", "ephemeral-storage"];

/** Warnings of a new pod; an update has none, because nearly all of a pod is immutable. */
export function podWarnings(pod: Readonly<KubeObject>, old: Readonly<KubeObject> | undefined): string[] {
  if (old !== undefined) return [];
  return [...warningsOf("", pod), ...nameWarnings(pod, "the Pod's hostname")];
}

/** Warnings of a template at the field. */
export const templateWarnings = (field: string, template: JsonObject): string[] =>
  warningsOf(`${field}.`, template);

/** Warns about names that become part of host names but are no DNS labels. */
export function nameWarnings({ metadata }: Readonly<KubeObject>, use: string): string[] {
  const complaints = isDns1123Label(metadata.name ?? "");
  if (complaints.length === 0) return [];
  const rule = `this is used in ${use}, which can result in surprising behavior; a DNS label is recommended`;
  return [`metadata.name: ${rule}: [${complaints.join(" ")}]`];
}

/** Of any object with a pod's metadata and spec; the prefix ends with a dot, or is empty. */
function warningsOf(prefix: string, owner: Readonly<JsonObject>): string[] {
  const spec = specOf(owner);
  const annotations = objectAt(objectAt(owner, "metadata"), "annotations") ?? {};
  const field = `${prefix}spec`;
  const seccomp = objectAt(objectAt(spec, "securityContext"), "seccompProfile") === undefined;
  return [
    ...labelKeyWarnings(objectAt(spec, "nodeSelector"), (key) => `${field}.nodeSelector[${key}]`),
    ...nodeWarnings(`${field}.affinity.nodeAffinity`, objectAt(objectAt(spec, "affinity"), "nodeAffinity")),
    ...eachAt(field, spec, "topologySpreadConstraints", spreadWarnings),
    ...named(DEAD_ANNOTATIONS, annotations, (key) => `${prefix}metadata.annotations[${key}]`),
    ...eachAt(field, spec, "volumes", volumeWarnings),
    ...tokenWarnings(field, spec),
    ...repeated(field, spec, "hostAliases", "ip"),
    ...repeated(field, spec, "imagePullSecrets", "name"),
    ...eachAt(field, spec, "imagePullSecrets", (place, secret) =>
      textAt(secret, "name") === "" ? [`${place}.name: invalid empty name ""`] : [],
    ),
    ...IN_WHOLE_BYTES.flatMap((name) =>
      fractionWarnings(`${field}.overhead`, objectAt(spec, "overhead"), name),
    ),
    ...(seccomp && SECCOMP in annotations
      ? [`${prefix}metadata.annotations[${SECCOMP}]: ${SECCOMP_RULE}`]
      : []),
    ...LISTS.flatMap((list) => eachAt(field, spec, list, containerWarnings)),
    ...portWarnings(field, spec, LISTS),
    ...((numberAt(spec, "terminationGracePeriodSeconds") ?? 0) < 0
      ? [`${field}.terminationGracePeriodSeconds: ${GRACE_RULE}`]
      : []),
    ...["podAffinity", "podAntiAffinity"].flatMap((member) =>
      neighbourWarnings(`${field}.affinity.${member}`, objectAt(objectAt(spec, "affinity"), member)),
    ),
  ];
}

/** Warnings for the keys of a map, sorted. */
const named = (
  texts: Readonly<Record<string, string>>,
  given: Readonly<JsonObject> | undefined,
  field: (key: string) => string,
): string[] =>
  Object.keys(given ?? {})
    .sort()
    .flatMap((key) => (texts[key] === undefined ? [] : [`${field(key)}: ${texts[key]}`]));

/** Warning about a node label in a scheduling constraint. */
export function labelWarnings(field: string, key: string): string[] {
  const dead = DEPRECATED_LABELS[key];
  return dead === undefined ? [] : [`${field}: ${key} is ${dead}`];
}

/** The same for labels as the keys of a map. */
export const labelKeyWarnings = (labels: JsonObject | undefined, field: (key: string) => string): string[] =>
  named(DEPRECATED_LABELS, labels, field);

/**
 * Warnings of a node selector term. Values of a preferred term are not validated, so an invalid label value is a warning.
 */
export const termWarnings = (field: string, term: JsonObject, isPreferred = false): string[] =>
  eachAt(field, term, "matchExpressions", (place, expression) => [
    ...labelWarnings(`${place}.key`, textAt(expression, "key")),
    ...(isPreferred ? textsAt(expression, "values") : []).flatMap((value, index) =>
      isLabelValue(value).map((why) => `${place}.values[${index}]: ${value} is invalid, ${why}`),
    ),
  ]);

const REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";

const nodeWarnings = (field: string, affinity: JsonObject | undefined): string[] => [
  ...eachAt(`${field}.${REQUIRED}`, objectAt(affinity, REQUIRED), "nodeSelectorTerms", (place, term) =>
    termWarnings(place, term),
  ),
  ...eachAt(field, affinity, PREFERRED, (place, term) =>
    termWarnings(`${place}.preference`, objectAt(term, "preference") ?? {}, true),
  ),
];

/** Warnings of pod affinity and anti-affinity. */
const neighbourWarnings = (field: string, affinity: JsonObject | undefined): string[] => [
  ...eachAt(field, affinity, REQUIRED, selectorWarnings),
  ...eachAt(field, affinity, PREFERRED, (place, term) =>
    selectorWarnings(`${place}.podAffinityTerm`, objectAt(term, "podAffinityTerm") ?? {}),
  ),
];

const selectorWarnings = (field: string, term: JsonObject): string[] =>
  isObject(term["labelSelector"])
    ? []
    : [`${field}.labelSelector: a null labelSelector results in matching no pod`];

const spreadWarnings = (field: string, constraint: JsonObject): string[] => [
  ...labelWarnings(`${field}.topologyKey`, textAt(constraint, "topologyKey")),
  ...selectorWarnings(field, constraint),
];

function volumeWarnings(field: string, volume: JsonObject): string[] {
  const claim = objectAt(objectAt(volume, "ephemeral"), "volumeClaimTemplate");
  return [
    ...deadVolumeWarnings(field, volume, Object.keys(DEAD_VOLUMES)),
    ...claimWarnings(`${field}.ephemeral.volumeClaimTemplate.spec`, specOf(claim)),
  ];
}

/** Of these volume sources those that are set; upstream spells one of them this way. */
export const deadVolumeWarnings = (field: string, volume: JsonObject, sources: readonly string[]): string[] =>
  sources
    .filter((source) => isObject(volume[source]))
    .map((source) => `${field}.${source === "storageos" ? "storageOS" : source}: ${DEAD_VOLUMES[source]}`);

/** Projections with files, and their names in messages. */
const PROJECTED = [
  ["configMap", "configMap"],
  ["secret", "secrets"],
  ["downwardAPI", "downwardAPI"],
] as const;

/** Projected files with the path of a service account token in any volume of the pod. */
function tokenWarnings(field: string, spec: JsonObject): string[] {
  const sourcesOf = (volume: JsonObject) => objectsAt(objectAt(volume, "projected"), "sources");
  const tokens = objectsAt(spec, "volumes")
    .flatMap(sourcesOf)
    .map((source) => objectAt(source, "serviceAccountToken"))
    .flatMap((token) => (token === undefined ? [] : [textAt(token, "path")]));
  const taken = (place: string, file: JsonObject | undefined): string[] => {
    const path = textAt(file, "path");
    if (file === undefined || !tokens.includes(path)) return [];
    return [`${place}: has duplicated path with ServiceAccountToken ${JSON.stringify(path)}`];
  };
  return eachAt(field, spec, "volumes", (place, volume) =>
    sourcesOf(volume).flatMap((source) => [
      ...PROJECTED.flatMap(([member, called]) =>
        objectsAt(objectAt(source, member), "items").flatMap((file, index) =>
          taken(`${place}.projected.sources.${called}[${index}]`, file),
        ),
      ),
      ...taken(`${place}.projected.sources.ClusterTrustBundle`, objectAt(source, "clusterTrustBundle")),
    ]),
  );
}

function repeated(field: string, spec: JsonObject, list: string, member: string): string[] {
  const seen = new Set<string>();
  return eachAt(field, spec, list, (place, item) => {
    const value = textAt(item, member);
    if (seen.has(value)) return [`${place}.${member}: duplicate ${member} ${JSON.stringify(value)}`];
    seen.add(value);
    return [];
  });
}

function containerWarnings(field: string, container: JsonObject): string[] {
  const resources = objectAt(container, "resources");
  const fractions = IN_WHOLE_BYTES.flatMap((name) =>
    ["limits", "requests"].flatMap((list) =>
      fractionWarnings(`${field}.resources.${list}`, objectAt(resources, list), name),
    ),
  );
  return [...fractions, ...hiddenVariables(field, container)];
}

/** Fractional bytes. */
function fractionWarnings(field: string, amounts: JsonObject | undefined, name: string): string[] {
  const amount = amounts?.[name];
  if (amount === undefined || isWholeQuantity(amount)) return [];
  return [
    `${field}[${name}]: fractional byte value ${JSON.stringify(amount)} is invalid, must be an integer`,
  ];
}

/** Warnings of a claim's spec. */
export const claimWarnings = (field: string, spec: JsonObject): string[] =>
  ["requests", "limits"].flatMap((list) =>
    fractionWarnings(`${field}.resources.${list}`, objectAt(objectAt(spec, "resources"), list), "storage"),
  );

/** A variable may be redefined if its new value refers to the old one. */
function hiddenVariables(field: string, container: JsonObject): string[] {
  const seen = new Set<string>();
  return eachAt(field, container, "env", (place, variable) => {
    const name = textAt(variable, "name");
    const value = textAt(variable, "value");
    const reference = `$(${name})`;
    const known = seen.has(name);
    seen.add(name);
    const keepsOld = !isObject(variable["valueFrom"]) && value !== reference && value.includes(reference);
    if (!known || keepsOld) return [];
    return [
      `${place}: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`,
    ];
  });
}
