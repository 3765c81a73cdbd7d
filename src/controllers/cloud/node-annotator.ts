// Writes what the cloud says about a node's network interface into the node, once: whoever sets it otherwise is left
// alone.

import type { Client } from "../../client/client.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { ignoring, NODES } from "../kit/api.ts";
import type { Platform } from "../kit/settings.ts";
import { EGRESS_IP_CONFIG, egressIpConfigOf } from "./provider.ts";

export async function annotateNode(client: Client, platform: Platform, node: KubeObject): Promise<void> {
  const { name = "", annotations } = node.metadata;
  if (annotations?.[EGRESS_IP_CONFIG] !== undefined) return;
  const text = egressIpConfigOf(platform, node);
  if (text === undefined) return;
  const body = { metadata: { annotations: { [EGRESS_IP_CONFIG]: text } } };
  await ignoring([404], client.patch(NODES, { namespace: "", name }, { type: "merge", body }));
}
