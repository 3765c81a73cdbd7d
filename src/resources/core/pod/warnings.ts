// What a pod, or a template for pods, may do although it should not.

import { isWholeQuantity } from "../../../go/quantity.ts";
import { isObject, type JsonObject, lookupTable, numberAt, objectAt, textAt } from "../../../meta/json.ts";
import { isDns1123Label } from "../../../meta/names.ts";
import type { KubeObject } from "../../../meta/object-meta.ts";
import { eachAt, specOf } from "../../fields.ts";

/** Labels of nodes that have got another name since. */
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
/** Sources of volumes that are not in use any more. */
export const DEAD_VOLUMES: Readonly<Record<string, string>> = lookupTable({
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

/** Texts for a new pod; an update earns none, because nearly nothing of a pod can be put right. */
export function podWarnings(pod: Readonly<KubeObject>, old: Readonly<KubeObject> | undefined): string[] {
  if (old !== undefined) return [];
  return [...warningsOf("", pod), ...nameWarnings(pod, "the Pod's hostname")];
}

/** For a template at the field. */
export const templateWarnings = (field: string, template: JsonObject): string[] =>
  warningsOf(`${field}.`, template);

/** Names that become part of host names should be fit for that. */
export function nameWarnings({ metadata }: Readonly<KubeObject>, use: string): string[] {
  const complaints = isDns1123Label(metadata.name ?? "");
  if (complaints.length === 0) return [];
  const rule = `this is used in ${use}, which can result in surprising behavior; a DNS label is recommended`;
  return [`metadata.name: ${rule}: [${complaints.join(" ")}]`];
}

/** Of everything that has a pod's metadata and spec; the prefix ends with a dot, or is empty. */
function warningsOf(prefix: string, owner: Readonly<JsonObject>): string[] {
  const spec = specOf(owner);
  const annotations = objectAt(objectAt(owner, "metadata"), "annotations") ?? {};
  const field = `${prefix}spec`;
  const seccomp = objectAt(objectAt(spec, "securityContext"), "seccompProfile") === undefined;
  return [
    ...named(`${field}.nodeSelector`, DEPRECATED_LABELS, objectAt(spec, "nodeSelector") ?? {}),
    ...eachAt(field, spec, "topologySpreadConstraints", spreadWarnings),
    ...named(`${prefix}metadata.annotations`, DEAD_ANNOTATIONS, annotations),
    ...eachAt(field, spec, "volumes", volumeWarnings),
    ...repeated(field, spec, "hostAliases", "ip"),
    ...repeated(field, spec, "imagePullSecrets", "name"),
    ...eachAt(field, spec, "imagePullSecrets", (place, secret) =>
      textAt(secret, "name") === "" ? [`${place}.name: invalid empty name ""`] : [],
    ),
    ...(seccomp && SECCOMP in annotations
      ? [`${prefix}metadata.annotations[${SECCOMP}]: ${SECCOMP_RULE}`]
      : []),
    ...LISTS.flatMap((list) => eachAt(field, spec, list, containerWarnings)),
    ...portWarnings(field, spec),
    ...((numberAt(spec, "terminationGracePeriodSeconds") ?? 0) < 0
      ? [`${field}.terminationGracePeriodSeconds: ${GRACE_RULE}`]
      : []),
  ];
}

const named = (
  field: string,
  texts: Readonly<Record<string, string>>,
  given: Readonly<JsonObject>,
): string[] =>
  Object.keys(given)
    .sort()
    .flatMap((key) => (texts[key] === undefined ? [] : [`${field}[${key}]: ${texts[key]}`]));

function spreadWarnings(field: string, constraint: JsonObject): string[] {
  const texts = labelWarnings(`${field}.topologyKey`, textAt(constraint, "topologyKey"));
  if (isObject(constraint["labelSelector"])) return texts;
  return [...texts, `${field}.labelSelector: a null labelSelector results in matching no pod`];
}

/** Of a label of nodes by which something is placed. */
export function labelWarnings(field: string, key: string): string[] {
  const dead = DEPRECATED_LABELS[key];
  return dead === undefined ? [] : [`${field}: ${key} is ${dead}`];
}

const volumeWarnings = (field: string, volume: JsonObject): string[] =>
  Object.keys(DEAD_VOLUMES)
    .filter((source) => isObject(volume[source]))
    .map((source) => `${field}.${source}: ${DEAD_VOLUMES[source]}`);

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
  const fractions = IN_WHOLE_BYTES.flatMap((name) =>
    ["limits", "requests"].flatMap((list) => fractionWarnings(field, container, list, name)),
  );
  return [...fractions, ...hiddenVariables(field, container)];
}

/** There is no part of a byte. */
export function fractionWarnings(field: string, owner: JsonObject, list: string, name: string): string[] {
  const amount = objectAt(objectAt(owner, "resources"), list)?.[name];
  if (amount === undefined || isWholeQuantity(amount)) return [];
  const place = `${field}.resources.${list}[${name}]`;
  return [`${place}: fractional byte value ${JSON.stringify(amount)} is invalid, must be an integer`];
}

/** A variable may be set again if its new value holds the old one. */
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

/** Ports of one pod that stand in each other's way, by number or by name. */
interface Port {
  readonly field: string;
  readonly name: string;
  readonly hostIp: string;
  readonly hostPort: number;
  /** "80/TCP" */
  readonly key: string;
}

function portWarnings(field: string, spec: JsonObject): string[] {
  const portsOf = (place: string, container: JsonObject) => eachAt(place, container, "ports", portOf);
  const ports = LISTS.flatMap((list) => eachAt(field, spec, list, portsOf));
  return [...numberWarnings(ports), ...sameNameWarnings(ports)];
}

const portOf = (field: string, port: JsonObject): Port[] => [
  {
    field,
    name: textAt(port, "name"),
    hostIp: textAt(port, "hostIP"),
    hostPort: numberAt(port, "hostPort") ?? 0,
    key: `${numberAt(port, "containerPort") ?? 0}/${textAt(port, "protocol")}`,
  },
];

function numberWarnings(ports: readonly Port[]): string[] {
  const known = new Map<string, Port[]>();
  return ports.flatMap((port) => {
    const others = known.get(port.key) ?? [];
    known.set(port.key, [...others, port]);
    return others.flatMap((other) => {
      const problem = overlap(port, other);
      return problem === undefined ? [] : [`${port.field}: ${problem} port definition with ${other.field}`];
    });
  });
}

function overlap(port: Port, other: Port): string | undefined {
  if (port.hostIp === other.hostIp && port.hostPort === other.hostPort) return "duplicate";
  if (port.hostPort === 0 || other.hostPort === 0) return "overlapping";
  const oneIsOpen = (port.hostIp === "") !== (other.hostIp === "");
  return port.hostPort === other.hostPort && oneIsOpen ? "dangerously ambiguous" : undefined;
}

function sameNameWarnings(ports: readonly Port[]): string[] {
  const known = new Map<string, string>();
  return ports.flatMap(({ field, name }) => {
    if (name === "") return [];
    const other = known.get(name);
    known.set(name, other ?? `${field}.name`);
    if (other === undefined) return [];
    return [
      `${field}.name: duplicate port name ${JSON.stringify(name)} with ${other}, services and probes that select ports by name will use ${other}`,
    ];
  });
}
