// The node status of a kubelet: conditions with kubelet's texts, and default machine facts that the Node lacks.

import { type JsonObject, objectAt, objectsAt, textAt } from "../../../apimachinery/json/json.ts";
import { conditionOf, transitionTime } from "../../../apimachinery/meta/conditions.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import { PRIMARY_ADDRESSES, readPrimary } from "../../assignment/cidr-lists.ts";

/** Annotation of this project: comma-separated "memory", "disk" and "pid" pressures of the node. */
const PRESSURE = "egret.dev/pressure";
/** Annotation of this project: the message of condition Ready=False. */
const NOT_READY = "egret.dev/not-ready";
/** Unchanged conditions are reported again after this time. */
export const REPORT_MS = 300_000;

interface Words {
  readonly type: string;
  readonly shortOf: string;
  readonly well: readonly [reason: string, message: string];
  readonly short: readonly [reason: string, message: string];
}

const PRESSURES: readonly Words[] = [
  {
    type: "MemoryPressure",
    shortOf: "memory",
    well: ["KubeletHasSufficientMemory", "kubelet has sufficient memory available"],
    short: ["KubeletHasInsufficientMemory", "kubelet has insufficient memory available"],
  },
  {
    type: "DiskPressure",
    shortOf: "disk",
    well: ["KubeletHasNoDiskPressure", "kubelet has no disk pressure"],
    short: ["KubeletHasDiskPressure", "kubelet has disk pressure"],
  },
  {
    type: "PIDPressure",
    shortOf: "pid",
    well: ["KubeletHasSufficientPID", "kubelet has sufficient PID available"],
    short: ["KubeletHasInsufficientPID", "kubelet has insufficient PID available"],
  },
];

interface Said {
  readonly type: string;
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
}

/** Conditions in the order of a kubelet. */
export function nodeConditions({ metadata }: Pick<KubeObject, "metadata">): Said[] {
  const { [PRESSURE]: pressure = "", [NOT_READY]: notReady = "" } = metadata.annotations ?? {};
  const short = pressure.split(",").map((word) => word.trim());
  const pressures = PRESSURES.map(({ type, shortOf, ...words }): Said => {
    const isShort = short.includes(shortOf);
    const [reason, message] = isShort ? words.short : words.well;
    return { type, status: isShort ? "True" : "False", reason, message };
  });
  const ready: Said =
    notReady === "" || notReady === "false"
      ? { type: "Ready", status: "True", reason: "KubeletReady", message: "kubelet is posting ready status" }
      : { type: "Ready", status: "False", reason: "KubeletNotReady", message: notReady };
  return [...pressures, ready];
}

export const timedConditions = (conditions: readonly Said[], nowText: string): JsonObject[] =>
  conditions.map((said) => ({ ...said, lastHeartbeatTime: nowText, lastTransitionTime: nowText }));

/** The status patch; undefined if the status is complete and its heartbeat recent. */
export function statusPatch(node: KubeObject, nowMs: number, nowText: string): JsonObject | undefined {
  const status = objectAt(node, "status");
  const wanted = nodeConditions(node);
  const isNews = wanted.some((said) => !isSaid(said, conditionOf(status, said.type), nowMs));
  const missing = missingFacts(node);
  if (!isNews && Object.keys(missing).length === 0) return undefined;
  const conditions = wanted.map((said) => ({
    ...said,
    lastHeartbeatTime: nowText,
    lastTransitionTime: transitionTime(conditionOf(status, said.type), said.status, nowText),
  }));
  return { ...missing, conditions };
}

function isSaid(said: Said, before: JsonObject | undefined, nowMs: number): boolean {
  if (before === undefined) return false;
  const age = nowMs - Date.parse(textAt(before, "lastHeartbeatTime"));
  if (!(age < REPORT_MS)) return false;
  return (["status", "reason", "message"] as const).every((key) => before[key] === said[key]);
}

/** Default capacity: a medium machine. */
export const USUAL_CAPACITY = {
  cpu: "8",
  "ephemeral-storage": "100Gi",
  "hugepages-1Gi": "0",
  "hugepages-2Mi": "0",
  memory: "32Gi",
  pods: "110",
} as const;

/** Default nodeInfo. */
export const nodeInfo = (uid: string): JsonObject => ({
  architecture: "amd64",
  bootID: uid,
  containerRuntimeVersion: "containerd://2.2.1",
  kernelVersion: "6.12.0-egret",
  kubeProxyVersion: "",
  kubeletVersion: "v1.36.0",
  machineID: uid.replaceAll("-", ""),
  operatingSystem: "linux",
  osImage: "Egret (nothing runs here)",
  systemUUID: uid,
});

export const usualLabels = (name: string): Record<string, string> => ({
  "beta.kubernetes.io/arch": "amd64",
  "beta.kubernetes.io/os": "linux",
  "kubernetes.io/arch": "amd64",
  "kubernetes.io/hostname": name,
  "kubernetes.io/os": "linux",
});

/** Replaces the list: a strategic merge by type would lose the second InternalIP of a dual-stack node. */
const REPLACED: JsonObject = { $patch: "replace" };

/** Default values for absent status fields. */
function missingFacts(node: KubeObject): JsonObject {
  const { name = "", uid = "", annotations } = node.metadata;
  const status = objectAt(node, "status");
  const has = (key: string): boolean => Object.keys(objectAt(status, key) ?? {}).length > 0;
  const addresses = addressesOf(name, annotations?.[PRIMARY_ADDRESSES]);
  const isRunning = textAt(objectAt(status, "nodeInfo"), "kubeletVersion") !== "";
  return {
    ...(has("capacity") ? {} : { capacity: USUAL_CAPACITY }),
    ...(has("allocatable") ? {} : { allocatable: objectAt(status, "capacity") ?? USUAL_CAPACITY }),
    ...(objectsAt(status, "addresses").length > 0 ? {} : { addresses: [...addresses, REPLACED] }),
    ...(isRunning ? {} : { nodeInfo: nodeInfo(uid) }),
  };
}

/** status.addresses of a node: InternalIPs, then Hostname. */
export function addressesOf(name: string, primary: string | undefined): JsonObject[] {
  const own = readPrimary(primary) ?? [];
  return [
    ...own.map(({ cidr }) => ({ type: "InternalIP", address: cidr.address.text })),
    { type: "Hostname", address: name },
  ];
}

/** Missing labels that a kubelet sets at registration. */
export function missingLabels({ metadata }: KubeObject): Record<string, string> | undefined {
  const { name = "", labels = {} } = metadata;
  const missing = Object.entries(usualLabels(name)).filter(([key]) => labels[key] === undefined);
  return missing.length === 0 ? undefined : Object.fromEntries(missing);
}
