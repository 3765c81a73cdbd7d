// Bootstrap objects of every cluster: four namespaces, system priority classes, flow control, the Service ranges,
// and the Service `kubernetes`.

import { objectAt, textAt } from "../apimachinery/json/json.ts";
import { type Clock, dayOf, formatTime } from "../apimachinery/meta/clock.ts";
import type { KubeObject } from "../apimachinery/meta/object-meta.ts";
import { type Client, createMissing, type ResourceName } from "../controller/client.ts";
import { apiServiceAddress, type ServiceNetwork } from "../kube/core/service/network.ts";
import { FLOW_CONTROL_GROUP, flowControlObjects } from "../kube/flowcontrol.apiserver.k8s.io/bootstrap.ts";

const NAMESPACES = ["default", "kube-system", "kube-public", "kube-node-lease"];
/** Priority classes for components that a node or the cluster requires. */
const PRIORITIES = {
  "system-node-critical": {
    value: 2_000_001_000,
    description: "For pods that their node cannot do without; they are never moved.",
  },
  "system-cluster-critical": {
    value: 2_000_000_000,
    description: "For pods that the cluster cannot do without; they may be moved.",
  },
};
const resourceIn = (group: string, resource: string): ResourceName => ({ group, version: "v1", resource });
const SERVICE_RANGES = resourceIn("networking.k8s.io", "servicecidrs");

/** Creates missing objects. Existing objects are not changed. */
export async function bootstrap(client: Client): Promise<void> {
  const ensure = (resource: ResourceName, object: KubeObject) => createMissing(client, resource, object);
  await Promise.all(
    NAMESPACES.map((name) =>
      ensure(resourceIn("", "namespaces"), { apiVersion: "v1", kind: "Namespace", metadata: { name } }),
    ),
  );
  const priorities = resourceIn("scheduling.k8s.io", "priorityclasses");
  const ofPriority = { apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass" };
  await Promise.all(
    Object.entries(PRIORITIES).map(([name, members]) =>
      ensure(priorities, { ...ofPriority, metadata: { name }, ...members }),
    ),
  );
}

export interface ApiServiceFacts {
  readonly network: ServiceNetwork;
  readonly clock: Clock;
  /** The server's port; default: 6443. */
  readonly port?: number | undefined;
}

/** Default port of a kube-apiserver. */
const PORT = 6443;

/** Creates the ServiceCIDR of the server's ranges and the Service `kubernetes`, if missing. */
export async function bootstrapServices(
  client: Client,
  { network, clock, port = PORT }: ApiServiceFacts,
): Promise<void> {
  const ensure = (resource: ResourceName, object: KubeObject) => createMissing(client, resource, object);
  const ranges = await ensure(SERVICE_RANGES, {
    apiVersion: "networking.k8s.io/v1",
    kind: "ServiceCIDR",
    metadata: { name: "kubernetes" },
    spec: { cidrs: network.ranges.map(({ text }) => text) },
  });
  if (ranges) await client.update(SERVICE_RANGES, { ...ranges, status: readySince(clock) }, "status");
  await ensure(resourceIn("", "services"), {
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      name: "kubernetes",
      namespace: "default",
      labels: { component: "apiserver", provider: "kubernetes" },
    },
    spec: {
      clusterIP: apiServiceAddress(network),
      ports: [{ name: "https", port: 443, protocol: "TCP", targetPort: port }],
      type: "ClusterIP",
      ipFamilyPolicy: "SingleStack",
    },
  });
}

export const TRACKING = {
  namespace: "kube-system",
  name: "kube-apiserver-legacy-service-account-token-tracking",
};
const DAY = /^\d{4}-\d\d-\d\d$/;

/** Records since when the use of tokens in Secrets is tracked (KEP-2799). An invalid date is replaced. */
export async function bootstrapTokenTracking(client: Client, clock: Clock): Promise<void> {
  const resource = resourceIn("", "configmaps");
  const since = dayOf(clock.now());
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { ...TRACKING }, data: { since } };
  if (await createMissing(client, resource, object)) return;
  const stored = await client.get(resource, TRACKING);
  const data = objectAt(stored, "data");
  if (DAY.test(textAt(data, "since"))) return;
  await client.update(resource, { ...stored, data: { ...data, since } });
}

/** Creates missing flow schemas and priority levels. The client determines their field manager. */
export async function bootstrapFlowControl(client: Client): Promise<void> {
  await Promise.all(
    flowControlObjects().map(({ resource, object }) =>
      createMissing(client, resourceIn(FLOW_CONTROL_GROUP, resource), object),
    ),
  );
}

/** The Ready condition of the ServiceCIDR of the server's own ranges. */
function readySince(clock: Clock) {
  const lastTransitionTime = formatTime(clock.now());
  const message = "Kubernetes default Service CIDR is ready";
  return { conditions: [{ type: "Ready", status: "True", lastTransitionTime, reason: "", message }] };
}
