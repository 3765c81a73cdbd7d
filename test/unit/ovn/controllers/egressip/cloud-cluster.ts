// A cluster on a cloud that the test plays: the test reads the CloudPrivateIPConfigs and writes their status.
import type { KubeObject } from "../../../../../src/apimachinery/meta/object-meta.ts";
import { StatusError } from "../../../../../src/apimachinery/meta/status.ts";
import type { Profile } from "../../../../../src/controller/emulated-release.ts";
import { Cluster, type NodeOptions, nodeObject } from "../../../kube/controllers/support.ts";

export const CONFIGS = {
  group: "cloud.network.openshift.io",
  version: "v1",
  resource: "cloudprivateipconfigs",
};
export const OWNER = "k8s.ovn.org/egressip-owner-ref";
const CLOUD_CONFIG = "cloud.network.openshift.io/egress-ipconfig";
export const IP1 = "192.168.126.101";
export const IP2 = "192.168.126.102";
export const IP3 = "192.168.126.103";

export interface CloudNodeOptions extends NodeOptions {
  /** The text of egress-ipconfig; by default one with the networks of the node's addresses and no limit. */
  readonly config?: string | undefined;
  /** The limits in it. */
  readonly capacity?: Readonly<Record<string, unknown>>;
}

export const egressIpConfig = (
  ifaddr: Readonly<Record<string, string>>,
  capacity: Readonly<Record<string, unknown>> = {},
): string => JSON.stringify([{ interface: "eni-0", ifaddr, capacity }]);

export function cloudNodeObject(name: string, options: CloudNodeOptions = {}): KubeObject {
  const { ipv4, ipv6, capacity = {} } = options;
  const node = nodeObject(name, options);
  const ifaddr = { ...(ipv4 ? { ipv4 } : {}), ...(ipv6 ? { ipv6 } : {}) };
  const config = "config" in options ? options.config : egressIpConfig(ifaddr, capacity);
  if (config !== undefined)
    node.metadata.annotations = { ...node.metadata.annotations, [CLOUD_CONFIG]: config };
  return node;
}

/** A condition as the cloud writes it. */
export const assigned = (status: "True" | "False" | "Unknown", message = "") => ({
  type: "Assigned",
  status,
  reason: "CloudResponse",
  message,
  lastTransitionTime: "2026-01-01T00:00:00Z",
});

export class CloudCluster {
  readonly cluster: Cluster;

  private constructor(cluster: Cluster) {
    this.cluster = cluster;
  }

  static async start(profile: Profile = "ovn-kubernetes-2026"): Promise<CloudCluster> {
    const settings = {
      platform: "aws",
      cloud: "external",
      profile,
      zones: "external",
      clusterSubnets: "",
    } as const;
    return new CloudCluster(await Cluster.start({ settings }));
  }

  async addNode(name: string, options: CloudNodeOptions = {}): Promise<void> {
    const resource = { group: "", version: "v1", resource: "nodes" };
    await this.cluster.client.create(resource, cloudNodeObject(name, options));
    await this.cluster.idle();
  }

  /** Two nodes of one network, with the given limits. */
  async addNodes(capacity: Readonly<Record<string, unknown>> = {}): Promise<void> {
    await this.addNode("n1", { ipv4: "192.168.126.11/24", capacity });
    await this.addNode("n2", { ipv4: "192.168.126.12/24", capacity });
  }

  async setConfig(node: string, config: string | null): Promise<void> {
    await this.cluster.patchNode(node, { metadata: { annotations: { [CLOUD_CONFIG]: config } } });
  }

  async config(name: string): Promise<KubeObject | undefined> {
    try {
      return await this.cluster.client.get(CONFIGS, { namespace: "", name });
    } catch (error) {
      if (error instanceof StatusError && error.code === 404) return undefined;
      throw error;
    }
  }

  /** The CloudPrivateIPConfigs, as "name@node of owner". */
  async asked(): Promise<string[]> {
    const { items } = await this.cluster.client.list(CONFIGS);
    return items.map(({ metadata, spec }) => {
      const { node } = spec as { node: string };
      return `${metadata.name}@${node} of ${metadata.annotations?.[OWNER] ?? "nobody"}`;
    });
  }

  async create(name: string, node: string, owner?: string, more: Partial<KubeObject["metadata"]> = {}) {
    const annotations = owner === undefined ? {} : { annotations: { [OWNER]: owner } };
    const metadata = { name, ...annotations, ...more };
    const kind = "CloudPrivateIPConfig";
    const apiVersion = "cloud.network.openshift.io/v1";
    await this.cluster.client.create(CONFIGS, { apiVersion, kind, metadata, spec: { node } });
    await this.cluster.idle();
  }

  async answer(name: string, node: string, condition: ReturnType<typeof assigned>): Promise<void> {
    const body = { status: { node, conditions: [condition] } };
    const key = { namespace: "", name };
    await this.cluster.client.patch(CONFIGS, key, { type: "merge", body, subresource: "status" });
    await this.cluster.idle();
  }

  /** The cloud assigns the address to the requested node. */
  async grant(name: string, node: string): Promise<void> {
    await this.answer(name, node, assigned("True", "IP address successfully added"));
  }

  async release(name: string): Promise<void> {
    await this.answer(name, "", assigned("True", "IP address successfully deleted"));
  }

  async change(name: string, body: unknown): Promise<void> {
    await this.cluster.client.patch(CONFIGS, { namespace: "", name }, { type: "merge", body });
    await this.cluster.idle();
  }

  async remove(name: string): Promise<void> {
    await this.cluster.client.delete(CONFIGS, { namespace: "", name });
    await this.cluster.idle();
  }
}
