// What every cluster has from its first moment: four namespaces, the priorities of the system, the ranges of Services as
// an object, and the Service through which pods find the API.
import type { Client, ResourceName } from "../client/client.ts";
import { type Clock, formatTime } from "../meta/clock.ts";
import type { KubeObject } from "../meta/object-meta.ts";
import { StatusError } from "../meta/status.ts";
import { apiServiceAddress, type ServiceNetwork } from "../resources/core/service/network.ts";

const NAMESPACES = ["default", "kube-system", "kube-public", "kube-node-lease"];
/** For what a node, or the cluster, cannot do without. */
const PRIORITIES: ReadonlyMap<string, readonly [value: number, description: string]> = new Map([
  [
    "system-node-critical",
    [2_000_001_000, "For pods that their node cannot do without; they are never moved."],
  ],
  [
    "system-cluster-critical",
    [2_000_000_000, "For pods that the cluster cannot do without; they may be moved."],
  ],
]);
const core = (resource: string): ResourceName => ({ group: "", version: "v1", resource });

export interface BootstrapFacts {
  readonly network: ServiceNetwork;
  readonly clock: Clock;
}

/** Creates what is missing; an object that is there stays as it is. */
export async function bootstrap(client: Client, { network, clock }: BootstrapFacts): Promise<void> {
  await Promise.all(
    NAMESPACES.map((name) =>
      ensure(client, core("namespaces"), { apiVersion: "v1", kind: "Namespace", metadata: { name } }),
    ),
  );
  await ensurePriorityClasses(client);
  await ensureServiceRanges(client, network, clock);
  await ensure(client, core("services"), {
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      name: "kubernetes",
      namespace: "default",
      labels: { component: "apiserver", provider: "kubernetes" },
    },
    spec: {
      clusterIP: apiServiceAddress(network),
      ports: [{ name: "https", port: 443, protocol: "TCP", targetPort: 6443 }],
      type: "ClusterIP",
    },
  });
}

async function ensurePriorityClasses(client: Client): Promise<void> {
  const resource = { group: "scheduling.k8s.io", version: "v1", resource: "priorityclasses" };
  const made = [...PRIORITIES].map(([name, [value, description]]) =>
    ensure(client, resource, {
      apiVersion: "scheduling.k8s.io/v1",
      kind: "PriorityClass",
      metadata: { name },
      value,
      description,
    }),
  );
  await Promise.all(made);
}

/** The ServiceCIDR that stands for the server's own ranges. */
async function ensureServiceRanges(client: Client, { ranges }: ServiceNetwork, clock: Clock): Promise<void> {
  const resource = { group: "networking.k8s.io", version: "v1", resource: "servicecidrs" };
  const made = await ensure(client, resource, {
    apiVersion: "networking.k8s.io/v1",
    kind: "ServiceCIDR",
    metadata: { name: "kubernetes" },
    spec: { cidrs: ranges.map(({ text }) => text) },
  });
  if (made === undefined) return;
  const ready = {
    type: "Ready",
    status: "True",
    lastTransitionTime: formatTime(clock.now()),
    reason: "",
    message: "Kubernetes default Service CIDR is ready",
  };
  await client.update(resource, { ...made, status: { conditions: [ready] } }, "status");
}

/** The object if it was made, undefined if one was there. */
async function ensure(
  client: Client,
  resource: ResourceName,
  object: KubeObject,
): Promise<KubeObject | undefined> {
  const { namespace = "", name = "" } = object.metadata;
  try {
    await client.get(resource, { namespace, name }); // a second Service at the same address would be invalid
    return undefined;
  } catch (error) {
    if (!(error instanceof StatusError) || error.reason !== "NotFound") throw error;
    return await client.create(resource, object);
  }
}
