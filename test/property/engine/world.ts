// The API on a memory store with the engine's controllers, for the duration of one story.

import { createIds } from "../../../src/apimachinery/meta/ids.ts";
import type { KubeObject } from "../../../src/apimachinery/meta/object-meta.ts";
import { toRevision } from "../../../src/apimachinery/meta/revision.ts";
import { StatusError } from "../../../src/apimachinery/meta/status.ts";
import { definitionFromCrd } from "../../../src/apiserver/registry/custom-resource.ts";
import type { ResourceDefinition } from "../../../src/apiserver/registry/definition/resource-definition.ts";
import { ResourceRegistry } from "../../../src/apiserver/registry/resource-registry.ts";
import { ResourceStore } from "../../../src/apiserver/registry/resource-store.ts";
import type { Client, ClientFactory } from "../../../src/controller/client.ts";
import { ControllerManager } from "../../../src/controller/controller-manager.ts";
import type { Running } from "../../../src/controller/definition.ts";
import type { Profile } from "../../../src/controller/emulated-release.ts";
import { createInProcessClients } from "../../../src/controller/in-process-client.ts";
import { DEFAULT_SETTINGS } from "../../../src/controller/settings.ts";
import { BUILT_IN_RESOURCES } from "../../../src/kube/index.ts";
import type { EgressIps } from "../../../src/ovn/controllers/egressip/egress-ips.ts";
import { controllerDescriptors } from "../../../src/server/controller-list.ts";
import { definitionsOf } from "../../../src/server/manifests.ts";
import { createMemoryEngine } from "../../../src/storage/engine.ts";
import { openMvccStore } from "../../../src/storage/mvcc/mvcc-store.ts";
import type { Store } from "../../../src/storage/store.ts";
import { keptLog, ManualClock } from "../../unit/kube/controllers/support.ts";
import { Disturbance } from "./disturbed-client.ts";
import { keyOf, RESOURCES, type Resource, type Setting, type Step } from "./steps.ts";

const ENGINE = new Set(["egressip", "egressservice", "cloud"]);
const descriptors = controllerDescriptors.filter(({ name }) => ENGINE.has(name));
const read = new Map<Profile, Promise<ResourceDefinition[]>>();
/** The custom kinds of a profile, read once. */
function customKinds(profile: Profile): Promise<ResourceDefinition[]> {
  const known = read.get(profile) ?? definitionsOf(profile).then((all) => all.map(definitionFromCrd));
  read.set(profile, known);
  return known;
}

/** After so many event-loop rounds without becoming idle, the clock advances: some work waits for a timer. */
const ROUNDS = 30;
const ROUNDS_MAX = 20_000;

const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export class World {
  readonly client: Client;
  readonly cloud: boolean;
  readonly profile: Profile;
  /** Every Node that a step has tried to create. */
  readonly nodesMade: KubeObject[] = [];
  readonly #clock = new ManualClock();
  readonly #log = keptLog();
  readonly #disturbance = new Disturbance();
  readonly #store: Store;
  readonly #clientFor: ClientFactory;
  #manager: ControllerManager;
  #abort = new AbortController();

  private constructor(store: Store, { cloud, profile }: Setting, custom: readonly ResourceDefinition[]) {
    this.#store = store;
    this.cloud = cloud;
    this.profile = profile;
    const registry = new ResourceRegistry();
    registry.set(...BUILT_IN_RESOURCES, ...custom);
    const resources = new ResourceStore({ store, resources: registry, admission: [] });
    const clock = this.#clock;
    this.#clientFor = createInProcessClients({ resources, clock, ids: createIds(), onWarning: () => {} });
    this.client = this.#clientFor("user");
    this.#manager = this.#create();
  }

  static async start(setting: Setting): Promise<World> {
    const store = await openMvccStore(createMemoryEngine(), { clock: new ManualClock() });
    const world = new World(store, setting, await customKinds(setting.profile));
    await world.#manager.start(world.#abort.signal);
    return world;
  }

  #create(): ControllerManager {
    return new ControllerManager(descriptors, {
      clientFor: this.#disturbance.factory(this.#clientFor),
      clock: this.#clock,
      log: this.#log,
      settings: { ...DEFAULT_SETTINGS, profile: this.profile, platform: this.cloud ? "aws" : "none" },
    });
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    this.#disturbance.release();
    await this.#manager.stop();
    await this.#store[Symbol.asyncDispose]();
  }

  /** The allocations of the EgressIP controller: node → address → EgressIP. */
  get allocations(): ReturnType<EgressIps["describe"]> {
    return (this.#manager.controller("egressip") as Running<EgressIps>).memory.describe(); // it is one of the engine's
  }

  /** The writes of controllers since the last call, without Events. */
  takeWrites(): string[] {
    return this.#disturbance.writes.splice(0);
  }

  async list(resource: Resource): Promise<readonly KubeObject[]> {
    return (await this.client.list(RESOURCES[resource])).items;
  }

  /** A rejection (NotFound, AlreadyExists) is a valid outcome. */
  async take(step: Step): Promise<void> {
    try {
      await this.#act(step);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
    }
  }

  async #act(step: Step): Promise<unknown> {
    switch (step.do) {
      case "create":
        if (step.resource === "nodes") this.nodesMade.push(step.object);
        return this.client.create(RESOURCES[step.resource], step.object);
      case "merge": {
        const { resource, name, body, subresource } = step;
        const options = { type: "merge", body, ...(subresource ? { subresource } : {}) } as const;
        return this.client.patch(RESOURCES[resource], keyOf(resource, name), options);
      }
      case "delete":
        return this.client.delete(RESOURCES[step.resource], keyOf(step.resource, step.name));
      case "hold":
        return this.#disturbance.hold(step.resource);
      default:
        return this.#disturb(step.do);
    }
  }

  async #disturb(what: Exclude<Step["do"], "create" | "merge" | "delete" | "hold">): Promise<void> {
    switch (what) {
      case "settle":
        return this.settle();
      case "breathe":
        return breathe();
      case "restart":
        return this.restart();
      case "end watches":
        return this.#disturbance.endWatches();
      case "lose history":
        await this.#store.compact(toRevision(this.#store.revision));
        return this.#disturbance.endWatches();
      case "release":
        return this.#disturbance.release();
      case "five seconds":
        return this.#clock.advance(5_000);
      default:
        this.#disturbance.doubled = what === "tell twice";
    }
  }

  /** Stops the controllers at any point, and starts new ones. */
  async restart(): Promise<void> {
    this.#disturbance.release();
    this.#abort.abort();
    await this.#manager.stop();
    this.#abort = new AbortController();
    this.#manager = this.#create();
    await this.#manager.start(this.#abort.signal);
  }

  /** Resolves when the controllers are idle. The clock advances when work waits for a timer. */
  async settle(): Promise<void> {
    this.#disturbance.release();
    let settled = false;
    const idle = this.#manager.idle().finally(() => {
      settled = true;
    });
    for (let rounds = 1; !settled; rounds++) {
      await breathe();
      if (rounds % ROUNDS === 0) this.#clock.advance(1_000);
      if (rounds > ROUNDS_MAX) throw new Error(`no rest: ${this.takeWrites().slice(-20).join("\n")}`);
    }
    await idle;
  }

  /** Runs everything that is due within a minute: retries, and probes of nodes until they find nothing new. */
  async rest(): Promise<void> {
    await this.settle();
    for (let seconds = 0; seconds < 60; seconds += 5) {
      this.#clock.advance(5_000);
      await this.settle();
    }
  }
}
