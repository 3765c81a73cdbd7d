// Rules for EgressServices once the controllers are idle.
import { expect } from "vitest";
import type { KubeObject } from "../../../src/apimachinery/meta/object-meta.ts";
import { readNodes, type SeenNode } from "./cluster-view.ts";
import type { World } from "./world.ts";

const PREFIX = "egress-service.k8s.ovn.org/";

type EgressService = KubeObject & {
  spec?: { sourceIPBy?: string; nodeSelector?: { matchLabels?: Record<string, string> } };
  status?: { host?: string };
};
type Slice = KubeObject & { endpoints?: { nodeName: string; addresses: string[] }[] };
interface Ingress {
  readonly loadBalancer?: { readonly ingress?: readonly unknown[] };
}

/** Each has an eligible node, if there is one, and the nodes' labels agree. */
export async function checkServices(world: World): Promise<void> {
  const nodes = await readNodes(world);
  const services = new Map((await world.list("services")).map((item) => [item.metadata.name, item]));
  const slices = new Map(
    (await world.list("endpointslices")).map((item) => [item.metadata.name, item as Slice]),
  );
  const labels: string[] = [];
  for (const object of await world.list("egressservices")) {
    const { metadata, spec, status } = object as EgressService; // the kind's shape
    const { namespace = "", name = "" } = metadata;
    const service = services.get(name);
    const endpoints = slices.get(name)?.endpoints ?? [];
    const isInCluster = endpoints.some(({ addresses }) => addresses[0]?.startsWith("10.128."));
    const backends = isInCluster ? endpoints.map(({ nodeName }) => nodeName) : [];
    const host = status?.host ?? "";
    const isUnderstood = !JSON.stringify(spec ?? {}).includes('"Near"');
    const { ingress = [] } = (service?.["status"] as Ingress | undefined)?.loadBalancer ?? {};
    if (!service) expect(host, name).toBe("");
    else if (spec?.sourceIPBy === "Network") expect(host, name).toBe("ALL");
    else if (ingress.length === 0) expect(host, name).toBe("");
    else {
      const hosts = candidates(nodes, { service, spec, backends });
      // While the spec cannot be parsed, the host does not change.
      if (isUnderstood) expect(hosts.length > 0 ? hosts : [""], `hosts of ${name}`).toContain(host);
      if (host !== "") labels.push(`${host}: ${namespace}-${name}`);
    }
  }
  const seen = nodes.flatMap(({ name, labels: all }) =>
    Object.keys(all)
      .filter((label) => label.startsWith(PREFIX))
      .map((label) => `${name}: ${label.slice(PREFIX.length)}`),
  );
  expect(seen.sort()).toEqual(labels.sort());
}

interface Asked {
  readonly service: KubeObject;
  readonly spec: EgressService["spec"];
  readonly backends: readonly string[];
}

function candidates(nodes: readonly SeenNode[], { service, spec, backends }: Asked): string[] {
  if (backends.length === 0) return [];
  const wanted = Object.entries(spec?.nodeSelector?.matchLabels ?? {});
  const { externalTrafficPolicy } = service["spec"] as { externalTrafficPolicy?: string }; // the kind's shape
  const local = externalTrafficPolicy === "Local";
  return nodes
    .filter(({ ready, answers }) => ready && answers)
    .filter(({ labels }) => wanted.every(([key, value]) => labels[key] === value))
    .filter(({ labels }) => !local || backends.includes(labels["kubernetes.io/hostname"] ?? ""))
    .map(({ name }) => name);
}
