// Shared by tests of workload controllers: the API in memory with some of the controllers, a frozen clock, and pods whose
// status the tests write.

import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import { formatTime } from "../../../../src/apimachinery/meta/clock.ts";
import type { KubeObject } from "../../../../src/apimachinery/meta/object-meta.ts";
import type { ResourceName } from "../../../../src/controller/client.ts";
import { controllerDescriptors } from "../../../../src/server/controller-list.ts";
import { ApiWorld, core, EVENTS } from "../../../support/api-world.ts";

export const PODS = core("pods");
export const apps = (resource: string): ResourceName => ({ group: "apps", version: "v1", resource });
export const batch = (resource: string): ResourceName => ({ group: "batch", version: "v1", resource });
export const LABELS = { app: "web" };
export const SELECTOR = { matchLabels: LABELS };
export const inA = (name: string) => ({ namespace: "a", name });

/** The pod template of a Deployment; the image distinguishes revisions. */
export const template = (image = "i:1", spec: JsonObject = {}): JsonObject => ({
  metadata: { labels: LABELS },
  spec: { containers: [{ name: "c", image }], ...spec },
});

export const withControllers = (...names: string[]): Promise<ApiWorld> =>
  ApiWorld.open(controllerDescriptors.filter(({ name }) => names.includes(name)));

export const statusOf = (object: KubeObject | undefined): JsonObject =>
  (object?.["status"] ?? {}) as JsonObject;

export class Workloads {
  readonly world: ApiWorld;

  constructor(world: ApiWorld) {
    this.world = world;
  }

  /** Once nothing is left to do. */
  async pods(): Promise<readonly KubeObject[]> {
    await this.world.settled();
    return (await this.world.client.list(PODS, { namespace: "a" })).items;
  }

  async get(resource: ResourceName, name: string): Promise<KubeObject> {
    await this.world.settled();
    return this.world.client.get(resource, inA(name));
  }

  async list(resource: ResourceName): Promise<readonly KubeObject[]> {
    await this.world.settled();
    return (await this.world.client.list(resource, { namespace: "a" })).items;
  }

  async patch(resource: ResourceName, name: string, body: JsonObject): Promise<void> {
    await this.world.client.patch(resource, inA(name), { type: "merge", body });
    await this.world.settled();
  }

  /** As a kubelet would recordEvent it. */
  async recordEvent(pod: KubeObject, status: JsonObject): Promise<void> {
    const body = { status };
    const { name = "" } = pod.metadata;
    await this.world.client.patch(PODS, inA(name), { type: "merge", body, subresource: "status" });
  }

  async makeReady(pods: readonly KubeObject[]): Promise<void> {
    const lastTransitionTime = formatTime(this.world.clock.now());
    const conditions = [{ type: "Ready", status: "True", lastTransitionTime }];
    for (const pod of pods) await this.recordEvent(pod, { phase: "Running", conditions });
    await this.world.settled();
  }

  /** Every pod that runs gets ready, until no new ones come. */
  async run(): Promise<void> {
    for (;;) {
      const waiting = (await this.pods()).filter((pod) => statusOf(pod)["phase"] === "Pending");
      if (waiting.length === 0) return;
      await this.makeReady(waiting);
    }
  }

  async advance(seconds: number): Promise<void> {
    await this.world.settled();
    this.world.clock.advance(seconds * 1000);
    await this.world.settled();
  }

  /** "Normal SuccessfulCreate: Created pod: web-1", in the order in which they were said. */
  async events(): Promise<string[]> {
    await this.world.settled();
    const { items } = await this.world.client.list(EVENTS);
    return items.map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
  }
}

/** Of the first container: the image identifies the revision of the template. */
export const imageOf = (pod: KubeObject): unknown =>
  ((pod["spec"] as JsonObject)["containers"] as JsonObject[])[0]?.["image"];

/** A pod as the pure functions receive it. */
export function podOf(name: string, status: JsonObject = {}, rest: Partial<KubeObject> = {}): KubeObject {
  const metadata = { name, namespace: "a", uid: `uid-${name}`, labels: LABELS, ...rest.metadata };
  return { apiVersion: "v1", kind: "Pod", ...rest, metadata, status: { phase: "Running", ...status } };
}

export const readyAt = (ms: number): JsonObject => ({
  conditions: [{ type: "Ready", status: "True", lastTransitionTime: formatTime(ms) }],
});
