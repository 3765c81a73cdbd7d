// Node: unlike other kinds it keeps the status of its create request.

import { goQuote } from "../../apimachinery/go/strconv.ts";
import {
  cloneJson,
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from "../../apimachinery/json/json.ts";
import { duplicate, type FieldError, forbidden, invalid } from "../../apimachinery/meta/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import type { Strategy } from "../../apiserver/registry/definition/resource-definition.ts";
import {
  cidrWarnings,
  duplicateStruct,
  familyErrors,
  parseSloppyCidr,
  validateCidr,
} from "../../apiserver/registry/strategy/checks.ts";
import { AGE, column, NAME, wideColumn } from "../../apiserver/registry/strategy/columns.ts";
import { builtIn } from "../../apiserver/registry/strategy/define.ts";
import { ensureObject, isTrue, keeping } from "../../apiserver/registry/strategy/fields.ts";
import { structOf } from "../../apiserver/registry/strategy/internal-struct.ts";
import { type Place, schemaErrors } from "../../apiserver/registry/strategy/schema-rules.ts";
import { validateResourceAmount } from "./amounts.ts";
import { proxySubresource } from "./connect-options.ts";
import { connectToNode } from "./connections.ts";

const ROLE_PREFIX = "node-role.kubernetes.io/";
const ROLE_LABEL = "kubernetes.io/role";
const CORE = "io.k8s.api.core.v1.";

const infoOf = (object: Readonly<JsonObject>): JsonObject | undefined =>
  objectAt(objectAt(object, "status"), "nodeInfo");

const infoAt = (key: string) => (object: Readonly<JsonObject>) => textAt(infoOf(object), key) || "<unknown>";

function kernelOf(object: Readonly<JsonObject>): string {
  const [kernel, architecture] = ["kernelVersion", "architecture"].map((key) => textAt(infoOf(object), key));
  return kernel && architecture ? `${kernel} (${architecture})` : kernel || "<unknown>";
}

function readiness(object: Readonly<JsonObject>): string {
  const conditions = objectsAt(objectAt(object, "status"), "conditions");
  const ready = conditions.findLast((condition) => condition["type"] === "Ready");
  const word = ready === undefined ? "Unknown" : ready["status"] === "True" ? "Ready" : "NotReady";
  return isTrue(objectAt(object, "spec"), "unschedulable") ? `${word},SchedulingDisabled` : word;
}

function rolesOf(object: Readonly<JsonObject>): string {
  const labels = objectAt(objectAt(object, "metadata"), "labels");
  const roles = Object.keys(labels ?? {}).map((key) =>
    key === ROLE_LABEL
      ? textAt(labels, key)
      : key.startsWith(ROLE_PREFIX)
        ? key.slice(ROLE_PREFIX.length)
        : "",
  );
  return [...new Set(roles.filter((role) => role !== ""))].sort().join(",") || "<none>";
}

const addressOf = (type: string) => (object: Readonly<JsonObject>) => {
  const addresses = objectsAt(objectAt(object, "status"), "addresses");
  const found = addresses.find((address) => address["type"] === type);
  return found === undefined ? "<none>" : textAt(found, "address");
};

function applyDefaults(object: KubeObject): void {
  const status = objectAt(object, "status");
  if (status?.["capacity"] !== undefined && status["allocatable"] === undefined) {
    status["allocatable"] = cloneJson(status["capacity"]);
  }
  agreeOnPodCidr(ensureObject(object, "spec"));
}

/** podCIDR is the first of podCIDRs; where they differ podCIDR wins. */
function agreeOnPodCidr(spec: JsonObject): void {
  const single = textAt(spec, "podCIDR");
  const [first] = textsAt(spec, "podCIDRs");
  if (single !== "" && single !== first) spec["podCIDRs"] = [single];
  else if (single === "" && first !== undefined) spec["podCIDR"] = first;
}

export function validateNode(object: Readonly<JsonObject>, kept: readonly string[] = []): FieldError[] {
  const spec = objectAt(object, "spec");
  return [
    ...validateTaints(spec),
    ...validateResources(object),
    ...validateSwap(objectAt(infoOf(object), "swap")),
    ...validateFeatures(objectAt(object, "status")),
    ...validatePodCidrs(spec, kept),
  ];
}

/** An update is validated as a new node, and then as a changed one: common findings are reported twice. */
export const validateNodeUpdate = (object: Readonly<JsonObject>, old: Readonly<JsonObject>): FieldError[] => [
  ...validateNode(object, textsAt(objectAt(old, "spec"), "podCIDRs")),
  ...validateNodeStatusUpdate(object, old),
];

export function validateNodeStatusUpdate(
  object: Readonly<JsonObject>,
  old: Readonly<JsonObject>,
): FieldError[] {
  const spec = objectAt(object, "spec");
  const oldSpec = objectAt(old, "spec");
  const providerId = textAt(oldSpec, "providerID");
  return [
    ...validateResources(object),
    ...validateFeatures(objectAt(object, "status")),
    ...validateAddresses(objectAt(object, "status")),
    ...validateKeptPodCidrs(textsAt(spec, "podCIDRs"), textsAt(oldSpec, "podCIDRs")),
    ...(providerId !== "" && providerId !== textAt(spec, "providerID")
      ? [onlyOnce("providerID", "providerID")]
      : []),
    ...validateTaints(spec),
    ...(textAt(spec, "externalID") === textAt(oldSpec, "externalID")
      ? []
      : [forbidden("spec.externalID", "may not be updated")]),
  ];
}

const onlyOnce = (member: string, shown: string): FieldError =>
  forbidden(`spec.${member}`, `node updates may not change ${shown} except from "" to valid`);

/** podCIDRs can be set once. Each other CIDR is reported, or a different number. */
function validateKeptPodCidrs(cidrs: readonly string[], before: readonly string[]): FieldError[] {
  if (before.length === 0) return [];
  if (before.length !== cidrs.length) return [onlyOnce("podCIDRs", "podCIDR")];
  return before.flatMap((cidr, index) => (cidr === cidrs[index] ? [] : [onlyOnce("podCIDRs", "podCIDR")]));
}

/** CIDRs that the node already has are accepted in any form. */
function validatePodCidrs(spec: JsonObject | undefined, before: readonly string[]): FieldError[] {
  const field = "spec.podCIDRs";
  const texts = textsAt(spec, "podCIDRs");
  const kept = new Set(before);
  const errors = texts.flatMap((text, index) =>
    kept.has(text) ? [] : validateCidr(`${field}[${index}]`, text),
  );
  const families = texts.map((text) => parseSloppyCidr(text)?.family);
  const broken = (index: number) =>
    `invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[${index}]: <nil> (invalid CIDR address: ${texts[index]})`;
  const tooMany = invalid(field, texts, "may specify no more than one CIDR for each IP family");
  return [...errors, ...familyErrors(field, families, { broken, tooMany })];
}

function validateResources(object: Readonly<JsonObject>): FieldError[] {
  const status = objectAt(object, "status");
  return ["capacity", "allocatable"].flatMap((member) => {
    const amounts = objectAt(status, member);
    return Object.keys(amounts ?? {}).flatMap((name) =>
      validateResourceAmount(`status.${member}.${name}`, name, textAt(amounts, name)),
    );
  });
}

/** Upstream's field path of taints is in the metadata. */
function validateTaints(spec: JsonObject | undefined): FieldError[] {
  const seen = new Set<string>();
  const taint = ({ field, owner }: Place): FieldError[] => {
    const pair = `${owner["key"]}\n${owner["effect"]}`;
    if (!seen.has(pair)) {
      seen.add(pair);
      return [];
    }
    return [
      duplicateStruct(field, structOf(`${CORE}Taint`, owner), "taints must be unique by key and effect pair"),
    ];
  };
  return schemaErrors(`${CORE}NodeSpec`, spec ?? {}, { field: "metadata", code: { taint } });
}

function validateAddresses(status: JsonObject | undefined): FieldError[] {
  const seen = new Set<string>();
  return objectsAt(status, "addresses").flatMap((address, index) => {
    const shown = structOf(`${CORE}NodeAddress`, address);
    const key = JSON.stringify(shown);
    if (seen.has(key)) return [duplicateStruct(`status.addresses[${index}]`, shown)];
    seen.add(key);
    return [];
  });
}

const FEATURE = /^[A-Z][A-Za-z0-9]*(?:\/[A-Za-z0-9]+)*$/;
const FEATURE_RULE =
  "must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes";

const FEATURE_BYTES_MAX = 253;

/** Declared features of the node, sorted and unique. */
function validateFeatures(status: JsonObject | undefined): FieldError[] {
  const features = textsAt(status, "declaredFeatures");
  return features.flatMap((feature, index) => {
    const field = `status.declaredFeatures[${index}]`;
    const before = features[index - 1];
    const rule = validateFeature(feature);
    return [
      ...(feature === before ? [duplicate(field, feature)] : []),
      ...(before !== undefined && feature < before
        ? [invalid(field, feature, "list must be sorted alphabetically")]
        : []),
      ...(rule === "" ? [] : [invalid(field, feature, `invalid feature name ${goQuote(feature)}: ${rule}`)]),
    ];
  });
}

function validateFeature(feature: string): string {
  if (Buffer.byteLength(feature) > FEATURE_BYTES_MAX)
    return `must be no more than ${FEATURE_BYTES_MAX} characters`;
  return FEATURE.test(feature) ? "" : FEATURE_RULE;
}

/** Upstream's field path is in the metadata. */
function validateSwap(swap: JsonObject | undefined): FieldError[] {
  const capacity = numberAt(swap, "capacity");
  if (capacity === undefined || capacity > 0) return [];
  return [invalid("metadata.nodeSwapStatus.capacity", capacity, "must be greater than 0")];
}

/** Dynamic kubelet configuration is no longer accepted; an existing one is kept. */
function dropConfig(node: KubeObject, part: "spec" | "status", old?: Readonly<KubeObject>): void {
  const member = part === "spec" ? "configSource" : "config";
  if (objectAt(objectAt(old, part), member) === undefined) delete objectAt(node, part)?.[member];
}

function nodeWarnings(object: Readonly<JsonObject>): string[] {
  const spec = objectAt(object, "spec");
  return [
    ...(textAt(spec, "externalID") === ""
      ? []
      : ["spec.externalID: this field is deprecated, and is unused by Kubernetes"]),
    ...textsAt(spec, "podCIDRs").flatMap((cidr, index) => cidrWarnings(`spec.podCIDRs[${index}]`, cidr)),
  ];
}

const keepingStatus = keeping("status");
const keepingSpec = keeping("spec");

const strategy: Strategy = {
  metadataChecksOnUpdate: ["new", "changed"],
  ...keepingStatus,
  applyDefaults,
  prepareForCreate(object) {
    dropConfig(object, "spec");
    dropConfig(object, "status");
  },
  prepareForUpdate(object, old) {
    keepingStatus.prepareForUpdate(object, old);
    dropConfig(object, "spec", old);
  },
  warnings: nodeWarnings,
  validate: (object) => validateNode(object),
  validateUpdate: validateNodeUpdate,
};

export const nodes = builtIn("v1", "Node", {
  shortNames: ["no"],
  namespaceScoped: false,
  columns: [
    NAME,
    column("Status", "Whether the node is ready and takes new pods.", readiness),
    column("Roles", "Roles of the node, from its labels.", rolesOf),
    AGE,
    column("Version", "Version of the node agent.", "status.nodeInfo.kubeletVersion"),
    wideColumn("Internal-IP", "First address inside the cluster.", addressOf("InternalIP")),
    wideColumn("External-IP", "First address outside the cluster.", addressOf("ExternalIP")),
    wideColumn("OS-Image", "Name and version of the operating system.", infoAt("osImage")),
    wideColumn("Kernel-Version", "Version of the kernel, and the architecture.", kernelOf),
    wideColumn("Container-Runtime", "Container runtime and its version.", infoAt("containerRuntimeVersion")),
  ],
  selectableFields: ["spec.unschedulable"],
  fieldValue: (object, field) =>
    field === "spec.unschedulable" ? String(isTrue(objectAt(object, "spec"), "unschedulable")) : "",
  strategy,
  status: {
    ...keepingSpec,
    prepareForUpdate(object, old) {
      keepingSpec.prepareForUpdate(object, old);
      dropConfig(object, "status", old);
    },
    validateUpdate: validateNodeStatusUpdate,
  },
  storagePrefix: "minions",
  subresources: [proxySubresource("NodeProxyOptions", connectToNode)],
});
