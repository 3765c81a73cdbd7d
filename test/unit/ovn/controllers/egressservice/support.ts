// The EgressService controller in a small cluster. Every step ends when the controller is idle.

import type { KubeObject } from "../../../../../src/apimachinery/meta/object-meta.ts";
import type { ResourceName } from "../../../../../src/controller/client.ts";
import { egressService } from "../../../../../src/ovn/controllers/egressservice/controller.ts";
import { FakeClient } from "../../../../support/fake-client.ts";
import { keptLog, ManualClock, NODES, withSettings } from "../../../kube/controllers/support.ts";

export const SERVICES: ResourceName = { group: "", version: "v1", resource: "services" };
export const SLICES: ResourceName = { group: "discovery.k8s.io", version: "v1", resource: "endpointslices" };
export const EGRESS_SERVICES: ResourceName = {
  group: "k8s.ovn.org",
  version: "v1",
  resource: "egressservices",
};
export const PREFIX = "egress-service.k8s.ovn.org";
const NAMESPACE = "testns";
const CLUSTER_SUBNETS = "10.128.0.0/14/23,fd01::/48/64";

export const matching = (labels: Record<string, string>) => ({ nodeSelector: { matchLabels: labels } });

export interface ServiceOptions {
  readonly ingress?: boolean;
  readonly local?: boolean;
}

export class ServiceCluster {
  readonly client = new FakeClient();
  readonly clock = new ManualClock();
  readonly log = keptLog();
  #controller: ReturnType<typeof egressService.create>;
  #abort = new AbortController();

  private constructor() {
    this.#controller = this.#create();
  }

  /** Nodes are n1 (firstName Albus), n2 (firstName Severus) unless others are named. */
  static async start(nodes: readonly string[] = ["n1", "n2"]): Promise<ServiceCluster> {
    const cluster = new ServiceCluster();
    const names: Record<string, string> = { n1: "Albus", n2: "Severus" };
    for (const name of nodes)
      await cluster.client.create(NODES, nodeOf(name, { firstName: names[name] ?? name }));
    await cluster.#controller.start(cluster.#abort.signal);
    await cluster.idle();
    return cluster;
  }

  #create() {
    const { client, clock, log } = this;
    return withSettings(egressService, { clusterSubnets: CLUSTER_SUBNETS }).create({ client, clock, log });
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#controller.stop();
  }

  async restart(whileDown: () => Promise<unknown> = async () => undefined): Promise<void> {
    await this.stop();
    await whileDown();
    this.#abort = new AbortController();
    this.#controller = this.#create();
    await this.#controller.start(this.#abort.signal);
    await this.idle();
  }

  idle(): Promise<void> {
    return this.#controller.idle();
  }

  describe() {
    return this.#controller.memory.describe();
  }

  /** The next look at whether nodes answer, and what comes of it. */
  async check(): Promise<void> {
    this.clock.advance(5_000);
    await this.idle();
  }

  async addNode(name: string, labels: Record<string, string> = {}, ready = true): Promise<void> {
    await this.client.create(NODES, nodeOf(name, labels, ready));
    await this.idle();
  }

  async patchNode(name: string, body: unknown): Promise<void> {
    await this.client.patch(NODES, { namespace: "", name }, { type: "merge", body });
    await this.idle();
  }

  labelNode(name: string, labels: Record<string, string | null>): Promise<void> {
    return this.patchNode(name, { metadata: { labels } });
  }

  ready(name: string, ready: boolean): Promise<void> {
    const status = ready ? "True" : "False";
    return this.patchNode(name, { status: { conditions: [{ type: "Ready", status }] } });
  }

  reachable(name: string, value: "false" | null): Promise<void> {
    return this.patchNode(name, { metadata: { annotations: { "egret.dev/reachable": value } } });
  }

  async deleteNode(name: string): Promise<void> {
    await this.client.delete(NODES, { namespace: "", name });
    await this.idle();
  }

  /** A LoadBalancer service with endpoints on the nodes named. */
  async addService(
    name: string,
    endpointNodes: readonly string[],
    { ingress = true, local = false }: ServiceOptions = {},
  ): Promise<void> {
    await this.client.create(SERVICES, {
      apiVersion: "v1",
      kind: "Service",
      metadata: { namespace: NAMESPACE, name },
      spec: { type: "LoadBalancer", externalTrafficPolicy: local ? "Local" : "Cluster" },
      status: { loadBalancer: ingress ? { ingress: [{ ip: "5.6.7.8" }] } : {} },
    });
    await this.client.create(SLICES, {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { namespace: NAMESPACE, name, labels: { "kubernetes.io/service-name": name } },
      addressType: "IPv4",
      endpoints: endpointsOn(endpointNodes),
    });
    await this.idle();
  }

  async setEndpoints(name: string, nodes: readonly string[], address = "10.128.0.5"): Promise<void> {
    await this.#merge(SLICES, name, { endpoints: endpointsOn(nodes, address) });
  }

  changeService(name: string, body: unknown): Promise<void> {
    return this.#merge(SERVICES, name, body);
  }

  async deleteService(name: string): Promise<void> {
    await this.client.delete(SERVICES, { namespace: NAMESPACE, name });
    await this.idle();
  }

  async add(name: string, spec: unknown = {}, status?: unknown): Promise<void> {
    await this.client.create(EGRESS_SERVICES, egressServiceObject(name, spec, status));
    await this.idle();
  }

  change(name: string, body: unknown): Promise<void> {
    return this.#merge(EGRESS_SERVICES, name, body);
  }

  async delete(name: string): Promise<void> {
    await this.client.delete(EGRESS_SERVICES, { namespace: NAMESPACE, name });
    await this.idle();
  }

  /** status.host; undefined while there is no status. */
  async host(name: string): Promise<string | undefined> {
    const object = await this.client.get(EGRESS_SERVICES, { namespace: NAMESPACE, name });
    return (object["status"] as { host: string } | undefined)?.host;
  }

  /** The services that each node is labelled for: "n1: testns-svc1". */
  async labels(): Promise<string[]> {
    const { items } = await this.client.list(NODES);
    return items.flatMap(({ metadata: { name, labels = {} } }) =>
      Object.keys(labels)
        .filter((label) => label.startsWith(PREFIX))
        .map((label) => `${name}: ${label.slice(PREFIX.length + 1)}`),
    );
  }

  takeWrites(): string[] {
    return this.client.writes.splice(0).map(({ verb, resource, name }) => `${verb} ${resource} ${name}`);
  }

  async #merge(resource: ResourceName, name: string, body: unknown): Promise<void> {
    await this.client.patch(resource, { namespace: NAMESPACE, name }, { type: "merge", body });
    await this.idle();
  }
}

export function egressServiceObject(name: string, spec: unknown, status?: unknown): KubeObject {
  return {
    apiVersion: "k8s.ovn.org/v1",
    kind: "EgressService",
    metadata: { namespace: NAMESPACE, name },
    spec,
    ...(status === undefined ? {} : { status }),
  };
}

function nodeOf(name: string, labels: Record<string, string>, ready = true): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "kubernetes.io/hostname": name, ...labels } },
    status: { conditions: [{ type: "Ready", status: ready ? "True" : "False" }] },
  };
}

const endpointsOn = (nodes: readonly string[], address = "10.128.0.5") =>
  nodes.map((nodeName) => ({ addresses: [address], nodeName }));
