// What a kubelet says of its node, as a value: conditions in its words, and what the machine is where the Node does not say it.
import { conditionOf, transitionTime } from "../../meta/conditions.ts";
import { type JsonObject, objectAt, objectsAt, textAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { PRIMARY_ADDRESSES, readPrimary } from "../../verdict/assignment/cidr-lists.ts";

/** Ours: "memory", "disk" and "pid", with commas between them, of which the node is short. */
const PRESSURE = "egret.dev/pressure";
/** Ours: why the kubelet says that the node is not ready. */
const NOT_READY = "egret.dev/not-ready";
/** Nothing new is said again after so long. */
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

/** In the order in which a kubelet writes them. */
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

/** What is to be patched into the status; undefined: it says all of it, and has said so lately. */
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

/** A machine of middle size. */
export const USUAL_CAPACITY = {
  cpu: "8",
  "ephemeral-storage": "100Gi",
  "hugepages-1Gi": "0",
  "hugepages-2Mi": "0",
  memory: "32Gi",
  pods: "110",
} as const;

/** What a kubelet of this release says of a machine. */
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

/** The addresses are merged by their types otherwise, of which a node has one in each family. */
const REPLACED: JsonObject = { $patch: "replace" };

/** What of the status nobody has said. */
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

/** As the status of a node lists them. */
export function addressesOf(name: string, primary: string | undefined): JsonObject[] {
  const own = readPrimary(primary) ?? [];
  return [
    ...own.map(({ cidr }) => ({ type: "InternalIP", address: cidr.address.text })),
    { type: "Hostname", address: name },
  ];
}

/** The labels that a kubelet gives its node when it registers it, where they are missing. */
export function missingLabels({ metadata }: KubeObject): Record<string, string> | undefined {
  const { name = "", labels = {} } = metadata;
  const missing = Object.entries(usualLabels(name)).filter(([key]) => labels[key] === undefined);
  return missing.length === 0 ? undefined : Object.fromEntries(missing);
}
