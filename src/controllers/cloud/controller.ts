// Plays the cloud-network-config-controller: answers CloudPrivateIPConfigs as a cloud would, and writes into each node
// what the cloud says about its network interface.
import type { ResourceName } from "../../client/client.ts";
import type { Informer } from "../../client/informer.ts";
import { equalJson } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { informerFor } from "../kit/informers.ts";
import { LoopController } from "../kit/loop-controller.ts";
import { ReconcileLoop } from "../kit/reconcile-loop.ts";
import type { Controller, ControllerDeps } from "../runtime/controller.ts";
import type { Platform } from "../runtime/settings.ts";
import {
  CLOUD_PRIVATE_IP_CONFIGS,
  type CloudPrivateIpConfig,
  FINALIZER,
  readCloudPrivateIpConfig,
} from "./cloud-private-ip-config.ts";
import { EmulatedCloud, isToldOtherwise } from "./emulated-cloud.ts";
import { annotateNode, NODES } from "./node-annotator.ts";
import { canMove } from "./provider.ts";
import { CloudRefusal, CloudSync } from "./sync.ts";

export interface CloudController extends Controller {
  /** How the cloud behaves; may be changed at any time. */
  readonly cloud: EmulatedCloud;
}

/** Names of CloudPrivateIPConfigs are keys as they are; those of nodes have this in front. */
const NODE_KEY = "node/";
const RETRY_FIRST_MS = 5;
const ATTEMPTS_MAX = 16;

export function createCloudController(deps: ControllerDeps): CloudController {
  return new AnsweringController(deps);
}

class AnsweringController extends LoopController implements CloudController {
  readonly name = "cloud";
  readonly cloud = new EmulatedCloud();
  readonly #deps: ControllerDeps;
  readonly #platform: Platform;
  readonly #nodes: Informer;
  readonly #configs: Informer;
  readonly #sync: CloudSync;
  protected readonly loop: ReconcileLoop;
  /** How often in a row the cloud has refused; between request and answer the queue does not keep that. */
  readonly #refusals = new Map<string, number>();

  constructor(deps: ControllerDeps) {
    super();
    this.#deps = deps;
    const informer = (resource: ResourceName) => informerFor(deps, this.name, resource);
    const { client, clock, settings } = deps;
    const { cloud } = this;
    this.#platform = settings?.platform ?? "none";
    this.#nodes = informer(NODES);
    this.#configs = informer(CLOUD_PRIVATE_IP_CONFIGS);
    const node = (name: string): KubeObject | undefined => this.#nodes.get(name);
    this.#sync = new CloudSync({
      client,
      clock,
      cloud,
      canMove: canMove(this.#platform),
      saysMissingNodes: settings?.profile !== "openshift-4.13",
      node,
    });
    this.loop = new ReconcileLoop({
      name: this.name,
      deps,
      informers: [this.#nodes, this.#configs],
      reconcile: (key) => (key.startsWith(NODE_KEY) ? this.#annotate(key) : this.#answer(key)),
    });
    this.#nodes.addHandlers({
      add: (object) => {
        this.#lookAtNode(object);
        this.#lookAtConfigsOf(object); // asked for before the node was there
      },
      update: (before, object) => {
        this.#lookAtNode(object);
        if (isToldOtherwise(before, object)) this.#lookAtConfigsOf(object);
      },
    });
    this.#configs.addHandlers({
      add: (object) => this.#lookAt(object),
      update: (before, object) => {
        if (concerns(before, object)) this.#lookAt(object);
      },
      delete: ({ metadata }) => this.#forget(metadata.name ?? ""),
    });
  }

  #lookAt({ metadata }: KubeObject): void {
    this.loop.queue.add(metadata.name ?? "");
  }

  #lookAtNode({ metadata }: KubeObject): void {
    this.loop.queue.add(`${NODE_KEY}${metadata.name}`);
  }

  #lookAtConfigsOf({ metadata }: KubeObject): void {
    for (const object of this.#configs.list()) {
      const { node, status } = readCloudPrivateIpConfig(object);
      if (node === metadata.name || status.node === metadata.name) this.#lookAt(object);
    }
  }

  #forget(name: string): void {
    this.#sync.forget(name);
    this.#refusals.delete(name);
  }

  async #annotate(key: string): Promise<void> {
    const node = this.#nodes.get(key.slice(NODE_KEY.length));
    if (node) await annotateNode(this.#deps.client, this.#platform, node);
  }

  async #answer(name: string): Promise<void> {
    try {
      const waitMs = await this.#sync.sync(name, { atStart: this.loop.isFirstLook(name) });
      if (waitMs === undefined) this.#refusals.delete(name);
      else this.loop.queue.addAfter(name, waitMs);
    } catch (error) {
      if (!(error instanceof CloudRefusal)) throw error;
      this.#retry(name, error);
    }
  }

  #retry(name: string, error: CloudRefusal): void {
    const attempts = (this.#refusals.get(name) ?? 0) + 1;
    const fields = { controller: this.name, key: name, attempts, error: error.message };
    if (attempts >= ATTEMPTS_MAX) {
      this.#refusals.delete(name);
      this.#deps.log.error("the cloud refuses; waiting for the next change", fields);
      return;
    }
    this.#refusals.set(name, attempts);
    this.#deps.log.warn("the cloud refuses; trying again", fields);
    this.loop.queue.addAfter(name, RETRY_FIRST_MS * 2 ** (attempts - 1));
  }
}

/** It waits for the cloud to release its address. */
const isLeaving = ({ deleting, finalizers }: CloudPrivateIpConfig): boolean =>
  deleting && finalizers.includes(FINALIZER);

/** The changes that ask something new of the cloud; its own answers, refusals above all, do not. */
function concerns(before: KubeObject, now: KubeObject): boolean {
  const [old, fresh] = [readCloudPrivateIpConfig(before), readCloudPrivateIpConfig(now)];
  return (
    (isLeaving(fresh) && !isLeaving(old)) ||
    !equalJson(before["spec"], now["spec"]) ||
    old.status.node !== fresh.status.node ||
    isToldOtherwise(before, now)
  );
}
