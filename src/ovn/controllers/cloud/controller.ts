// Emulates the cloud-network-config-controller: answers CloudPrivateIPConfigs as a cloud would, and annotates each node with
// its egress-ipconfig.

import { equalJson } from "../../../apimachinery/json/json.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import { ignoring, NODES } from "../../../controller/api.ts";
import { defineController } from "../../../controller/define-controller.ts";
import type { Keys, Kit, KitWith } from "../../../controller/definition.ts";
import type { Informer } from "../../../controller/informer.ts";
import { EGRESS_IP_CONFIG } from "../../assignment/cidr-lists.ts";
import { type CloudPrivateIpConfig, readCloudPrivateIpConfig } from "../../assignment/cloud-request.ts";
import { CLOUD_PRIVATE_IP_CONFIGS, egressIpConfigOf, FINALIZER, isToldOtherwise } from "./provider.ts";
import { CloudSync } from "./sync.ts";

/** Prefix of node keys in the work queue; other keys are names of CloudPrivateIPConfigs. */
const NODE_KEY = "node/";

export const cloud = defineController({
  name: "cloud",
  summary: "plays the cloud: annotates nodes and answers CloudPrivateIPConfigs (--platform)",
  fieldManager: "cloud-network-config-controller",
  isWanted: ({ platform, cloud: player }) => platform !== "none" && player === "internal",
  memory: (kit: KitWith<"nodes" | "configs">) => new CloudSync(kit),
  watches: {
    nodes: {
      resource: NODES,
      on: ["add", "update"],
      toKeys: ({ object, old }, { configs }) => {
        // A new node may be the missing node of existing configs.
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
  async reconcile(key, kit) {
    if (!key.startsWith(NODE_KEY)) return kit.memory.sync(key);
    const node = kit.nodes.get(key.slice(NODE_KEY.length));
    if (node) await annotateNode(kit, node);
    return undefined;
  },
});

/** Annotates a node that has no egress-ipconfig; an existing annotation is never overwritten. */
async function annotateNode({ client, settings }: Kit, node: KubeObject): Promise<void> {
  const { name = "", annotations } = node.metadata;
  if (annotations?.[EGRESS_IP_CONFIG] !== undefined) return;
  const text = egressIpConfigOf(settings.platform, node);
  if (text === undefined) return;
  const body = { metadata: { annotations: { [EGRESS_IP_CONFIG]: text } } };
  await ignoring([404], client.patch(NODES, { namespace: "", name }, { type: "merge", body }));
}

function configsOf({ metadata }: KubeObject, configs: Informer): Keys {
  const concerned = [...configs.list()].filter((object) => {
    const { node, status } = readCloudPrivateIpConfig(object);
    return node === metadata.name || status.node === metadata.name;
  });
  return concerned.map((object) => object.metadata.name);
}

/** Being deleted, and waiting for the release of its address. */
const isLeaving = ({ deleting, finalizers }: CloudPrivateIpConfig): boolean =>
  deleting && finalizers.includes(FINALIZER);

/** Reports whether a change needs a new request; the controller's own status writes do not. */
function concerns(before: KubeObject, now: KubeObject): boolean {
  const [old, fresh] = [readCloudPrivateIpConfig(before), readCloudPrivateIpConfig(now)];
  return (
    (isLeaving(fresh) && !isLeaving(old)) ||
    !equalJson(before["spec"], now["spec"]) ||
    old.status.node !== fresh.status.node ||
    isToldOtherwise(before, now)
  );
}
