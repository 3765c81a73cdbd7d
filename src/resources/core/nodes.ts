// Node: unlike other kinds it keeps the status that it is created with.
import { cloneJson, type JsonObject, objectAt, objectsAt, textAt, textsAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { Strategy } from "../../registry/definition/strategy.ts";
import { AGE, column, NAME, wideColumn } from "../columns.ts";
import { builtIn } from "../define.ts";
import { ensureObject, isTrue } from "../fields.ts";
import { NODE_SUBRESOURCES } from "./connections.ts";
import { validateNode, validateNodeStatusUpdate, validateNodeUpdate } from "./node-validation.ts";

const ROLE_PREFIX = "node-role.kubernetes.io/";
const ROLE_LABEL = "kubernetes.io/role";
const NOT_READY = "node.kubernetes.io/not-ready";

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

/** podCIDR is the first of podCIDRs; where they differ the single one wins. */
function agreeOnPodCidr(spec: JsonObject): void {
  const single = textAt(spec, "podCIDR");
  const [first] = textsAt(spec, "podCIDRs");
  if (single !== "" && single !== first) spec["podCIDRs"] = [single];
  else if (single === "" && first !== undefined) spec["podCIDR"] = first;
}

/** A new node takes no pods until it is ready. */
function addNotReadyTaint(object: KubeObject): void {
  const spec = ensureObject(object, "spec");
  const taints = objectsAt(spec, "taints");
  if (taints.some((taint) => taint["key"] === NOT_READY && taint["effect"] === "NoSchedule")) return;
  spec["taints"] = [...taints, { key: NOT_READY, effect: "NoSchedule" }];
}

const strategy: Strategy = {
  metadataChecksOnUpdate: ["new", "changed"],
  allowUnconditionalUpdate: true,
  resetFields: [["status"]],
  applyDefaults,
  prepareForCreate: addNotReadyTaint,
  prepareForUpdate(object, old) {
    object["status"] = old["status"];
  },
  validate: (object) => validateNode(object),
  validateUpdate: validateNodeUpdate,
};

const status: Strategy = {
  allowUnconditionalUpdate: true,
  resetFields: [["spec"]],
  prepareForUpdate(object, old) {
    object["spec"] = old["spec"];
  },
  validateUpdate: validateNodeStatusUpdate,
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
  status,
  storagePrefix: "minions",
  subresources: NODE_SUBRESOURCES,
});
