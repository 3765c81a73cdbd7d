// Quota evaluators: usage of an object for each resource name that a ResourceQuota can limit. For kinds without an
// evaluator only the number of objects is counted.
import { type Amount, amountOf, quantityNanos } from "../../apimachinery/go/quantity.ts";
import { type JsonObject, numberAt, objectAt, objectsAt, textAt } from "../../apimachinery/json/json.ts";
import { memoize } from "../../apimachinery/meta/memoize.ts";
import { type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import { classOfVolume } from "../../apimachinery/meta/storage-class.ts";
import { type Amounts, sumOf } from "./amounts.ts";
import { podResourcesWithOverhead } from "./pod-resources.ts";
import { claimInScope, podInScope, type ScopeSelector } from "./scopes.ts";

export interface Resource {
  readonly group: string;
  readonly resource: string;
}

export interface Evaluator extends Resource {
  /** Whether an update of the resource itself can increase usage. */
  readonly onUpdate: boolean;
  /** Subresource whose writes can increase usage, too. */
  readonly subresource?: string;
  isCounted(name: string): boolean;
  isInScope(selector: ScopeSelector, object: Readonly<KubeObject>): boolean;
  usageOf(object: Readonly<KubeObject>, nowMs: number): Amounts;
  /** Error where a limited resource requires a value that the object lacks; undefined: none. */
  complaint?(limited: readonly string[], object: Readonly<KubeObject>): string | undefined;
}

const ONE = amountOf("1");
const count = (number: number): Amount => amountOf(String(number));

/** "count/deployments.apps" */
const countName = ({ group, resource }: Resource): string => `count/${resource}${group && `.${group}`}`;

// Pods. Those that have terminated, or whose deletion is overdue, count for count/pods only.

const OF_PODS = ["cpu", "memory", "ephemeral-storage"];
const POD_NAMES = [
  "count/pods",
  "pods",
  ...OF_PODS.flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
];
const NATIVE = /^[^/]*$|kubernetes\.io\//;

/** Where one of these is limited, each container must set it. */
const TO_BE_SAID = ["cpu", "memory"].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]);

const isEnded = (pod: Readonly<KubeObject>, nowMs: number): boolean => {
  const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
  if (["Failed", "Succeeded"].includes(textAt(objectAt(pod, "status"), "phase"))) return true;
  if (!deletionTimestamp || deletionGracePeriodSeconds === undefined) return false;
  return nowMs > Date.parse(deletionTimestamp) + deletionGracePeriodSeconds * 1000;
};

/** Usage by the resource names of quotas. */
function computeUsage(requests: Amounts, limits: Amounts): Map<string, Amount> {
  const usage = new Map([["pods", ONE]]);
  for (const [name, amount] of requests) {
    const isPages = name.startsWith("hugepages-");
    if (OF_PODS.includes(name) || isPages) usage.set(name, amount);
    if (OF_PODS.includes(name) || isPages || !NATIVE.test(name)) usage.set(`requests.${name}`, amount);
  }
  for (const [name, amount] of limits) if (OF_PODS.includes(name)) usage.set(`limits.${name}`, amount);
  return usage;
}

function unsaidByContainers(limited: readonly string[], pod: Readonly<KubeObject>): string | undefined {
  const spec = specOf(pod);
  const saysAll = new Set(saidBy(spec));
  const wanted = TO_BE_SAID.filter((name) => limited.includes(name) && !saysAll.has(name)).sort();
  const containers = ["containers", "initContainers"].flatMap((list) => objectsAt(spec, list));
  const told = wanted.flatMap((name) => {
    const silent = containers.filter((container) => !saidBy(container).includes(name));
    const names = [...new Set(silent.map((container) => textAt(container, "name")))].sort();
    return names.length > 0 ? [`${name} for: ${names.join(",")}`] : [];
  });
  return told.length > 0 ? `must specify ${told.join("; ")}` : undefined;
}

function saidBy(holder: JsonObject): string[] {
  const resources = objectAt(holder, "resources");
  const part = (member: string): Amounts =>
    new Map(Object.keys(objectAt(resources, member) ?? {}).map((name) => [name, ONE]));
  return [...computeUsage(part("requests"), part("limits")).keys()];
}

const pods: Evaluator = {
  group: "",
  resource: "pods",
  onUpdate: false,
  subresource: "resize",
  isCounted: (name) =>
    POD_NAMES.includes(name) ||
    /^(?:requests\.)?hugepages-/.test(name) ||
    (name.startsWith("requests.") && !NATIVE.test(name)),
  isInScope: podInScope,
  usageOf(pod, nowMs) {
    const counted = new Map([["count/pods", ONE]]);
    if (isEnded(pod, nowMs)) return counted;
    const spec = specOf(pod);
    const [requests, limits] = (["requests", "limits"] as const).map((part) =>
      podResourcesWithOverhead(spec, part),
    );
    return sumOf([counted, computeUsage(requests ?? new Map(), limits ?? new Map())]);
  },
  complaint: unsaidByContainers,
};

const services: Evaluator = {
  group: "",
  resource: "services",
  onUpdate: true,
  isCounted: (name) =>
    ["count/services", "services", "services.nodeports", "services.loadbalancers"].includes(name),
  isInScope: () => false,
  usageOf(service) {
    const spec = specOf(service);
    const ports = objectsAt(spec, "ports");
    const type = textAt(spec, "type");
    const allocated = spec["allocateLoadBalancerNodePorts"] !== false;
    const explicit = ports.filter((port) => (numberAt(port, "nodePort") ?? 0) !== 0).length;
    const nodePorts = { NodePort: ports.length, LoadBalancer: allocated ? ports.length : explicit };
    return new Map([
      ["count/services", ONE],
      ["services", ONE],
      ["services.nodeports", count(type === "NodePort" || type === "LoadBalancer" ? nodePorts[type] : 0)],
      ["services.loadbalancers", count(type === "LoadBalancer" ? 1 : 0)],
    ]);
  },
};

const OF_CLASS = ".storageclass.storage.k8s.io/";
const CLAIMS = "persistentvolumeclaims";
const STORAGE = "requests.storage";

const claims: Evaluator = {
  group: "",
  resource: CLAIMS,
  onUpdate: true,
  isCounted: (name) =>
    [CLAIMS, `count/${CLAIMS}`, STORAGE].includes(name) ||
    [CLAIMS, STORAGE].some((counted) => name.endsWith(OF_CLASS + counted)),
  isInScope: claimInScope,
  usageOf(claim) {
    const spec = specOf(claim);
    const className = classOfVolume(claim);
    const usage = new Map([
      [CLAIMS, ONE],
      [`count/${CLAIMS}`, ONE],
    ]);
    const asked = objectAt(objectAt(spec, "resources"), "requests")?.["storage"];
    const allocated = objectAt(objectAt(claim, "status"), "allocatedResources")?.["storage"];
    const storage = quantityNanos(allocated ?? "0") > quantityNanos(asked ?? "0") ? allocated : asked;
    if (storage !== undefined) usage.set(STORAGE, amountOf(storage));
    if (className !== "")
      for (const name of [CLAIMS, STORAGE]) {
        const amount = usage.get(name);
        if (amount) usage.set(className + OF_CLASS + name, amount);
      }
    return usage;
  },
};

const OF_DEVICE_CLASS = ".deviceclass.resource.k8s.io/devices";
/** Maximal number of devices allocated to a claim; assumed for allocationMode All. */
const DEVICES_MAX = 32;

const resourceClaims: Evaluator = {
  group: "resource.k8s.io",
  resource: "resourceclaims",
  onUpdate: true,
  isCounted: (name) => name === "count/resourceclaims.resource.k8s.io" || name.endsWith(OF_DEVICE_CLASS),
  isInScope: () => false,
  usageOf(claim) {
    const usage = new Map([["count/resourceclaims.resource.k8s.io", ONE]]);
    const requests = objectsAt(objectAt(specOf(claim), "devices"), "requests");
    return sumOf([usage, ...requests.map(devicesOf)]);
  },
};

/** Of several alternatives the maximum per device class is counted. */
function devicesOf(request: JsonObject): Amounts {
  const choices = [objectAt(request, "exactly"), ...objectsAt(request, "firstAvailable")];
  const most = new Map<string, number>();
  for (const choice of choices) {
    if (choice === undefined) continue;
    const name = textAt(choice, "deviceClassName") + OF_DEVICE_CLASS;
    const asked = choice["allocationMode"] === "All" ? DEVICES_MAX : (numberAt(choice, "count") ?? 0);
    most.set(name, Math.max(most.get(name) ?? 0, asked));
  }
  return new Map([...most].map(([name, asked]) => [name, count(asked)]));
}

/** Evaluators of kinds that use more than an object count. */
const EVALUATORS: readonly Evaluator[] = [pods, services, claims, resourceClaims];

/** Core resources with quota names without the "count/" prefix. */
const PLAIN_NAMES = ["configmaps", "resourcequotas", "replicationcontrollers", "secrets"];

function countObjects(of: Resource): Evaluator {
  const names = [
    countName(of),
    ...(of.group === "" && PLAIN_NAMES.includes(of.resource) ? [of.resource] : []),
  ];
  const usage = new Map(names.map((name) => [name, ONE]));
  return {
    ...of,
    onUpdate: false,
    isCounted: (name) => names.includes(name),
    isInScope: () => false,
    usageOf: () => usage,
  };
}

/** Events are exempt from quota, as upstream. */
const isIgnored = ({ group, resource }: Resource): boolean =>
  resource === "events" && (group === "" || group === "events.k8s.io");

/** Evaluator of a resource; undefined: it is exempt from quota. Every write calls this. */
export const evaluatorFor = memoize((of: Resource): Evaluator | undefined => {
  if (isIgnored(of)) return undefined;
  const own = EVALUATORS.find(({ group, resource }) => group === of.group && resource === of.resource);
  return own ?? countObjects({ group: of.group, resource: of.resource });
});
