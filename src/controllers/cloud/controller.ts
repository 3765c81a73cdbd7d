// Plays the cloud-network-config-controller: answers CloudPrivateIPConfigs as a cloud would, and writes into each node
// what the cloud says about its network interface.

import type { Informer } from "../../client/informer.ts";
import { equalJson } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { NODES } from "../kit/api.ts";
import { defineController } from "../kit/define-controller.ts";
import type { Keys, Kit, KitWith, Requeue } from "../kit/definition.ts";
import {
  CLOUD_PRIVATE_IP_CONFIGS,
  type CloudPrivateIpConfig,
  FINALIZER,
  readCloudPrivateIpConfig,
} from "./cloud-private-ip-config.ts";
import { EmulatedCloud, isToldOtherwise } from "./emulated-cloud.ts";
import { annotateNode } from "./node-annotator.ts";
import { CloudRefusal, CloudSync } from "./sync.ts";

/** Names of CloudPrivateIPConfigs are keys as they are; those of nodes have this in front. */
const NODE_KEY = "node/";
const RETRY_FIRST_MS = 5;
const ATTEMPTS_MAX = 16;

type Names = "nodes" | "configs";

export const cloud = defineController({
  name: "cloud",
  summary: "plays the cloud: annotates nodes and answers CloudPrivateIPConfigs (--platform)",
  fieldManager: "cloud-network-config-controller",
  isWanted: ({ platform, cloud: player }) => platform !== "none" && player === "internal",
  memory: (kit: KitWith<Names>) => new AnsweringCloud(kit),
  watches: {
    nodes: {
      resource: NODES,
      on: ["add", "update"],
      toKeys: ({ object, old }, { configs }) => {
        // Configs may have asked for a node before it was there.
        const concerned = !old || isToldOtherwise(old, object) ? configsOf(object, configs) : [];
        return [`${NODE_KEY}${object.metadata.name}`, ...concerned];
      },
    },
    configs: {
      resource: CLOUD_PRIVATE_IP_CONFIGS,
      take: ({ type, object, old }, { memory }) => {
        if (type === "delete") memory.forget(object.metadata.name ?? "");
        return type === "delete" || (old && !concerns(old, object)) ? [] : undefined;
      },
    },
  },
  async reconcile(key, { nodes, client, settings, memory }) {
    if (!key.startsWith(NODE_KEY)) return memory.answer(key);
    const node = nodes.get(key.slice(NODE_KEY.length));
    if (node) await annotateNode(client, settings.platform, node);
    return undefined;
  },
});

class AnsweringCloud {
  /** How the cloud behaves; may be changed at any time. */
  readonly cloud = new EmulatedCloud();
  readonly #kit: Kit;
  readonly #sync: CloudSync;
  /** How often in a row the cloud has refused; between request and answer the queue does not keep that. */
  readonly #refusals = new Map<string, number>();

  constructor(kit: KitWith<Names>) {
    this.#kit = kit;
    this.#sync = new CloudSync(kit, this.cloud);
  }

  forget(name: string): void {
    this.#sync.forget(name);
    this.#refusals.delete(name);
  }

  async answer(name: string): Promise<Requeue | undefined> {
    try {
      const waitMs = await this.#sync.sync(name, { atStart: this.#kit.isFirstLook(name) });
      if (waitMs !== undefined) return { requeueAfterMs: waitMs };
      this.#refusals.delete(name);
      return undefined;
    } catch (error) {
      if (!(error instanceof CloudRefusal)) throw error;
      return this.#retry(name, error);
    }
  }

  #retry(key: string, { message: error }: CloudRefusal): Requeue | undefined {
    const { log, name: controller } = this.#kit;
    const attempts = (this.#refusals.get(key) ?? 0) + 1;
    const fields = { controller, key, attempts, error };
    if (attempts >= ATTEMPTS_MAX) {
      this.#refusals.delete(key);
      log.error("the cloud refuses; waiting for the next change", fields);
      return undefined;
    }
    this.#refusals.set(key, attempts);
    log.warn("the cloud refuses; trying again", fields);
    return { requeueAfterMs: RETRY_FIRST_MS * 2 ** (attempts - 1) };
  }
}

function configsOf({ metadata }: KubeObject, configs: Informer): Keys {
  const concerned = [...configs.list()].filter((object) => {
    const { node, status } = readCloudPrivateIpConfig(object);
    return node === metadata.name || status.node === metadata.name;
  });
  return concerned.map((object) => object.metadata.name);
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
