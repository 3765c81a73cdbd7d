// Pod: the status is written by kubelets, their simulation (src/cluster/pod-agent), or users.
import { type JsonObject, numberAt, objectAt, objectsAt, textAt } from "../../apimachinery/json/json.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { schemaRef } from "../../apimachinery/schema/go/schema-library.ts";
import type { Strategy } from "../../apiserver/registry/definition/resource-definition.ts";
import { AGE, column, NAME, wideColumn } from "../../apiserver/registry/strategy/columns.ts";
import { builtIn } from "../../apiserver/registry/strategy/define.ts";
import { ensureObject, isTrue, setDefault } from "../../apiserver/registry/strategy/fields.ts";
import { qosClassOf } from "../quota/pod-resources.ts";
import { connectSubresource, proxySubresource } from "./connect-options.ts";
import { connectToContainer, connectToLog, connectToPod, connectToPorts } from "./connections.ts";
import { ephemeralContainers, resize } from "./pod/changed.ts";
import { applyPodDefaults, raiseGracePeriod } from "./pod/defaults.ts";
import { EVICTION_SUBRESOURCE } from "./pod/eviction.ts";
import { mergeLabelKeys } from "./pod/label-keys.ts";
import { podBinding } from "./pod/posted.ts";
import { printPod } from "./pod/row.ts";
import {
  keepObservedGenerations,
  podStatusWarnings,
  validatePodStatusUpdate,
} from "./pod/status-validation.ts";
import { validateNewPod, validatePodElsewhere, validatePodUpdate } from "./pod/validation.ts";
import { podWarnings } from "./pod/warnings.ts";

const CONNECT = ["create", "get"];
const READ_WRITE = ["get", "patch", "update"];
const POD_SCHEMA = schemaRef("io.k8s.api.core.v1.Pod");

const SCHEDULING_GATED = {
  type: "PodScheduled",
  status: "False",
  lastProbeTime: null,
  lastTransitionTime: null,
  reason: "SchedulingGated",
  message: "Scheduling is blocked due to non-empty scheduling gates",
};

function prepareForCreate(object: KubeObject): void {
  const spec = ensureObject(object, "spec");
  raiseGracePeriod(spec);
  const gated = objectsAt(spec, "schedulingGates").length > 0;
  object["status"] = {
    phase: "Pending",
    ...(gated ? { conditions: [SCHEDULING_GATED] } : {}),
    qosClass: qosClassOf(spec),
  };
  mergeLabelKeys(object);
}

function prepareForUpdate(object: KubeObject, old: Readonly<KubeObject>): void {
  object["status"] = old["status"];
}

const FINISHED = ["Succeeded", "Failed"];

/** A pod without a node, or a terminated one, has no grace period. */
function gracePeriodSeconds(object: Readonly<KubeObject>, asked: number | undefined): number {
  const spec = objectAt(object, "spec");
  const phase = textAt(objectAt(object, "status"), "phase");
  if (textAt(spec, "nodeName") === "" || FINISHED.includes(phase)) return 0;
  const seconds = asked ?? numberAt(spec, "terminationGracePeriodSeconds") ?? 0;
  return seconds < 0 ? 1 : seconds;
}

const strategy: Strategy = {
  metadataChecksOnUpdate: ["changed", "new"],
  hasGeneration: true,
  allowUnconditionalUpdate: true,
  resetFields: [["status"]],
  applyDefaults: applyPodDefaults,
  prepareForCreate,
  prepareForUpdate,
  validate: validateNewPod,
  validateUpdate: validatePodUpdate,
  validateElsewhere: validatePodElsewhere,
  gracePeriodSeconds,
  warnings: podWarnings,
};

/** Some metadata may change with the status, but not ownerReferences. */
const status: Strategy = {
  allowUnconditionalUpdate: true,
  resetFields: [["spec"], ["metadata", "deletionTimestamp"], ["metadata", "ownerReferences"]],
  prepareForUpdate(object, old) {
    object["spec"] = old["spec"];
    const { ownerReferences } = old.metadata;
    if (ownerReferences) object.metadata.ownerReferences = ownerReferences;
    else delete object.metadata.ownerReferences;
    const [status, before] = [ensureObject(object, "status"), objectAt(old, "status")];
    setDefault(status, "qosClass", before?.["qosClass"]);
    keepObservedGenerations(status, before);
  },
  validateUpdate: validatePodStatusUpdate,
  warnings: podStatusWarnings,
};

/** status.podIPs is accepted as a selector but always empty, as upstream. */
function fieldValue(object: Readonly<JsonObject>, field: string): string {
  const spec = objectAt(object, "spec");
  const [part = "", member = ""] = field.split(".");
  if (field === "spec.host") return textAt(spec, "nodeName");
  if (field === "spec.hostNetwork") return String(isTrue(spec, "hostNetwork"));
  return textAt(objectAt(object, part), member);
}

export const pods = builtIn("v1", "Pod", {
  shortNames: ["po"],
  categories: ["all"],
  columns: [
    NAME,
    column("Ready", "Ready containers of all."),
    column("Status", "What the pod is doing, or what keeps it from that."),
    column("Restarts", "How often containers were restarted, and when last."),
    AGE,
    wideColumn("IP", "Address of the pod."),
    wideColumn("Node", "Node that the pod runs on."),
    wideColumn("Nominated Node", "Node that room is being made on."),
    wideColumn("Readiness Gates", "Readiness gates that are open, of all."),
  ],
  printRow: printPod,
  selectableFields: [
    "spec.nodeName",
    "spec.host",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "spec.hostNetwork",
    "status.phase",
    "status.podIP",
    "status.podIPs",
    "status.nominatedNodeName",
  ],
  fieldValue,
  strategy,
  status,
  returnsDeletedObject: true,
  subresources: [
    connectSubresource("attach", "PodAttachOptions", CONNECT, connectToContainer),
    connectSubresource("exec", "PodExecOptions", CONNECT, connectToContainer),
    { name: "log", verbs: ["get"], connect: connectToLog, gives: "text/plain" },
    connectSubresource("portforward", "PodPortForwardOptions", CONNECT, connectToPorts),
    proxySubresource("PodProxyOptions", connectToPod),
    {
      name: "binding",
      verbs: ["create"],
      kind: "Binding",
      schema: schemaRef("io.k8s.api.core.v1.Binding"),
      action: podBinding,
    },
    EVICTION_SUBRESOURCE,
    { name: "ephemeralcontainers", verbs: READ_WRITE, schema: POD_SCHEMA, strategy: ephemeralContainers },
    { name: "resize", verbs: READ_WRITE, schema: POD_SCHEMA, strategy: resize },
  ],
});
