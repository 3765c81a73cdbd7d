// A small cluster for the controllers around networks: the fake client with server-side apply as far as they use it,
// and steps that end when no controller has anything left to do.
import type { ObjectKey, PatchOptions, ResourceName } from "../../../../src/client/client.ts";
import type { Controller, ControllerDeps } from "../../../../src/controllers/runtime/controller.ts";
import { isObject, type JsonObject, objectAt } from "../../../../src/meta/json.ts";
import type { KubeObject } from "../../../../src/meta/object-meta.ts";
import { notFound, StatusError } from "../../../../src/meta/status.ts";
import { FakeClient } from "../../../support/fake-client.ts";
import { type KeptLog, keptLog, ManualClock } from "../support.ts";

export const core = (resource: string): ResourceName => ({ group: "", version: "v1", resource });
export const ovn = (resource: string, version = "v1"): ResourceName => ({
  group: "k8s.ovn.org",
  version,
  resource,
});
export const NADS: ResourceName = {
  group: "k8s.cni.cncf.io",
  version: "v1",
  resource: "network-attachment-definitions",
};

/** Applies as one manager: what it named before and names no more is taken away. */
export class ApplyingClient extends FakeClient {
  readonly #applied = new Map<string, JsonObject>();

  override async patch(resource: ResourceName, key: ObjectKey, options: PatchOptions): Promise<KubeObject> {
    if (options.type !== "apply") return super.patch(resource, key, options);
    const { subresource = "" } = options;
    const body = options.body as KubeObject;
    const live = await this.#live(resource, key);
    const path = `${resource.resource}/${key.namespace}/${key.name}/${subresource}`;
    const before = this.#applied.get(path);
    this.#applied.set(path, body);
    if (!live && subresource !== "") throw notFound(resource, key.name);
    if (!live) return this.create(resource, body);
    const merged = merge(live, body, before ?? {});
    return super.patch(resource, key, { type: "merge", body: merged });
  }

  async #live(resource: ResourceName, key: ObjectKey): Promise<KubeObject | undefined> {
    try {
      return await this.get(resource, key);
    } catch (error) {
      if (error instanceof StatusError && error.code === 404) return undefined;
      throw error;
    }
  }
}

function merge(live: JsonObject, applied: JsonObject, before: JsonObject): JsonObject {
  const out: JsonObject = {};
  for (const [key, value] of Object.entries(applied)) {
    if (key === "conditions" || key === "ownerReferences") {
      out[key] = mergeList(live[key], value, before[key], key === "conditions" ? "type" : "uid");
    } else if (isObject(value) && isObject(live[key])) {
      out[key] = merge(objectAt(live, key) ?? {}, value, objectAt(before, key) ?? {});
    } else out[key] = value;
  }
  if (Array.isArray(before["finalizers"]) && !("finalizers" in applied)) out["finalizers"] = null;
  return out;
}

function mergeList(live: unknown, applied: unknown, before: unknown, id: string): unknown[] {
  const list = (value: unknown) => (Array.isArray(value) ? value.filter(isObject) : []);
  const mine = new Set([...list(before), ...list(applied)].map((item) => item[id]));
  return [...list(live).filter((item) => !mine.has(item[id])), ...list(applied)];
}

export interface WorldOptions {
  readonly controllers: readonly ((deps: ControllerDeps) => Controller)[];
}

export class World {
  readonly client = new ApplyingClient();
  readonly clock = new ManualClock();
  readonly log: KeptLog = keptLog();
  readonly #options: WorldOptions;
  #controllers: Controller[] = [];
  #abort = new AbortController();

  private constructor(options: WorldOptions) {
    this.#options = options;
  }

  static async start(...controllers: WorldOptions["controllers"]): Promise<World> {
    const world = new World({ controllers });
    await world.#start();
    return world;
  }

  async #start(): Promise<void> {
    const { client, clock, log } = this;
    this.#abort = new AbortController();
    this.#controllers = this.#options.controllers.map((create) => create({ client, clock, log }));
    for (const controller of this.#controllers) await controller.start(this.#abort.signal);
    await this.idle();
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    for (const controller of this.#controllers) await controller.stop();
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.#start();
  }

  async idle(): Promise<void> {
    const activity = (): number => this.#controllers.reduce((sum, item) => sum + item.activity, 0);
    let before: number;
    do {
      before = activity();
      for (const controller of this.#controllers) await controller.idle();
    } while (activity() !== before);
  }

  /** Lets retries that wait come to their turn. */
  async advance(ms: number): Promise<void> {
    this.clock.advance(ms);
    await this.idle();
  }

  async add(resource: ResourceName, object: KubeObject): Promise<void> {
    await this.client.create(resource, object);
    await this.idle();
  }

  async edit(resource: ResourceName, name: string, body: unknown, namespace = ""): Promise<void> {
    await this.client.patch(resource, { namespace, name }, { type: "merge", body });
    await this.idle();
  }

  async remove(resource: ResourceName, name: string, namespace = ""): Promise<void> {
    await this.client.delete(resource, { namespace, name });
    await this.idle();
  }

  async find(resource: ResourceName, name: string, namespace = ""): Promise<KubeObject | undefined> {
    const { items } = await this.client.list(resource, namespace ? { namespace } : {});
    return items.find(({ metadata }) => metadata.name === name && (metadata.namespace ?? "") === namespace);
  }

  /** "True Reason: message" of a condition. */
  async condition(resource: ResourceName, type: string, name: string, namespace = ""): Promise<string> {
    const object = await this.find(resource, name, namespace);
    const conditions = objectAt({ ...object }, "status")?.["conditions"];
    const found = (Array.isArray(conditions) ? conditions : []).find((item) => item.type === type);
    return found ? `${found.status} ${found.reason}: ${found.message}` : "none";
  }

  /** Writes since this was last asked. */
  takeWrites(): string[] {
    return this.client.writes.splice(0).map(({ verb, resource, name }) => `${verb} ${resource} ${name}`);
  }

  async events(): Promise<string[]> {
    const { items } = await this.client.list(core("events"));
    return items.map((event) => {
      const about = event["involvedObject"] as { kind: string; name: string };
      return `${about.kind} ${about.name} ${event["reason"]}: ${event["message"]}`;
    });
  }
}

export function namespaceObject(name: string, labels: Record<string, string> = {}): KubeObject {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } };
}

