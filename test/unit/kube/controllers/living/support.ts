// A small simulated cluster in memory, whose controllers' writes the tests can read.

import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import { objectsAt } from "../../../../../src/apimachinery/json/json.ts";
import type { KubeObject } from "../../../../../src/apimachinery/meta/object-meta.ts";
import { controllerDescriptors } from "../../../../../src/server/controller-list.ts";
import { ApiWorld, core, NAMESPACES, NODES } from "../../../../support/api-world.ts";

export const PODS = core("pods");
export const LEASES = { group: "coordination.k8s.io", version: "v1", resource: "leases" };

const NAMES = [
  "network-annotations",
  "node-agent",
  "node-lifecycle",
  "taint-eviction",
  "pod-garbage-collector",
  "scheduler",
  "pod-agent",
  "pod-termination",
];

export class LivingWorld {
  readonly api: ApiWorld;

  private constructor(api: ApiWorld) {
    this.api = api;
  }

  static async open(): Promise<LivingWorld> {
    const api = await ApiWorld.open(controllerDescriptors.filter(({ name }) => NAMES.includes(name)));
    await api.create(NAMESPACES, { name: "kube-node-lease" });
    return new LivingWorld(api);
  }

  /** Lets time pass, second by second or in larger steps: what one step brings is done in it. */
  async pass(seconds: number, step = seconds > 60 ? 5 : 1): Promise<void> {
    await this.api.settled();
    for (let left = seconds; left > 0; left -= step) {
      this.api.clock.advance(Math.min(step, left) * 1000);
      await this.api.settled();
    }
  }

  async addNode(name: string, host: number, labels: Record<string, string> = {}): Promise<void> {
    const annotations = {
      "k8s.ovn.org/node-primary-ifaddr": `{"ipv4":"192.168.126.${host}/24","ipv6":"fd00:126::${host}/64"}`,
    };
    await this.api.create(NODES, { name, labels, annotations });
    await this.api.settled();
  }

  async addPod(name: string, spec: JsonObject = {}, metadata: KubeObject["metadata"] = {}): Promise<void> {
    const containers = [{ name: "web", image: "nginx" }];
    await this.api.create(PODS, { namespace: "a", name, ...metadata }, { spec: { containers, ...spec } });
    await this.api.settled();
  }

  pod = (name: string): Promise<KubeObject | undefined> => this.api.get(PODS, { namespace: "a", name });
  node = (name: string): Promise<KubeObject | undefined> => this.api.get(NODES, { namespace: "", name });

  async annotate(name: string, annotations: Record<string, string | null>): Promise<void> {
    await this.api.change(NODES, { namespace: "", name }, { annotations });
    await this.api.settled();
  }

  /** What was said about objects of the name: "Reason message". */
  async said(name: string): Promise<string[]> {
    const { items } = await this.api.client.list(core("events"));
    return items
      .filter((event) => (event["involvedObject"] as JsonObject)["name"] === name)
      .map((event) => `${event["reason"]} ${event["message"]}`);
  }
}

export const statusOf = (object: KubeObject | undefined): JsonObject =>
  (object?.["status"] ?? {}) as JsonObject;

/** "Ready=True", in their order. */
export const conditionsOf = (object: KubeObject | undefined): string[] =>
  objectsAt(statusOf(object), "conditions").map(({ type, status }) => `${type}=${status}`);

/** "node.kubernetes.io/unreachable:NoExecute" */
export const taintsOf = (node: KubeObject | undefined): string[] =>
  objectsAt((node?.["spec"] ?? {}) as JsonObject, "taints").map(({ key, effect }) => `${key}:${effect}`);
