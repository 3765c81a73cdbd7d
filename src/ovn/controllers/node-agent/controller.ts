// Simulated kubelet for Nodes: renews each node's Lease every ten seconds, and reports conditions and capacity in its
// status. It does nothing for a failed machine (annotation egret.dev/failed) or a node with an external kubelet
// (egret.dev/agent). It keeps no state of its own, so a restart continues from the written objects.

import { formatMicroTime } from "../../../apimachinery/go/time.ts";
import { objectAt } from "../../../apimachinery/json/json.ts";
import { formatTime } from "../../../apimachinery/meta/clock.ts";
import { isConditionTrue } from "../../../apimachinery/meta/conditions.ts";
import { isReady, type KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import { isPlayed, LEASE_NAMESPACE, LEASE_SECONDS, LEASES, renewedMs } from "../../../cluster/nodes.ts";
import {
  ignoring,
  isGoing,
  keyOfObject,
  keysIn,
  mergeStatus,
  NODES,
  placeOf,
} from "../../../controller/api.ts";
import { defineController } from "../../../controller/define-controller.ts";
import type { Kit } from "../../../controller/definition.ts";
import { missingLabels, statusPatch } from "./node-status.ts";
import { ROUND_MS, Rounds } from "./rounds.ts";

export const nodeAgent = defineController({
  name: "node-agent",
  summary: "what a kubelet says of its node: Lease, conditions, capacity",
  fieldManager: "kubelet",
  events: "kubelet",
  ofCluster: true,
  memory: (kit: Kit) => new Rounds(kit),
  watches: {
    nodes: {
      resource: NODES,
      take({ type, object }, { memory }) {
        if (type === "delete") memory.remove(keyOfObject(object));
        else memory.add(keyOfObject(object));
      },
      facts: ({ metadata, status }) => [metadata.annotations, metadata.labels, status],
      toKeys: ({ object }) => [keyOfObject(object)],
    },
    leases: {
      resource: LEASES,
      list: { namespace: LEASE_NAMESPACE },
      on: ["delete"],
      toKeys: ({ object }) => [object.metadata.name],
    },
  },
  prepare({ nodes, memory, look }) {
    memory.start(look);
    return keysIn(nodes);
  },
  async reconcile(key, { nodes, leases, client, clock, recordEvent }) {
    const node = nodes.get(key);
    if (!isPlayed(node) || isGoing(node)) return;
    await renewLease(node, leases.get(`${LEASE_NAMESPACE}/${key}`), { client, clock });
    const labels = missingLabels(node);
    if (labels) {
      const body = { metadata: { labels } };
      await ignoring([404], client.patch(NODES, placeOf(node), { type: "merge", body }));
    }
    const nowMs = clock.now();
    const status = statusPatch(node, nowMs, formatTime(nowMs));
    if (!status) return;
    await mergeStatus(client, NODES, node, { status });
    if (isConditionTrue(status, "Ready") && !isReady(node)) {
      // As in upstream, the uid of involvedObject is the node name.
      const subject = { kind: "Node", name: key, uid: key };
      const message = `Node ${key} status is now: NodeReady`;
      recordEvent({ subject, type: "Normal", reason: "NodeReady", message }, key);
    }
  },
});

async function renewLease(
  { metadata: { name = "", uid = "" } }: KubeObject,
  lease: KubeObject | undefined,
  { client, clock }: Pick<Kit, "client" | "clock">,
): Promise<void> {
  const nowMs = clock.now();
  const age = nowMs - renewedMs(lease);
  // Renewed less than half a round ago. A negative age (clock set back) forces a renewal.
  if (age >= 0 && age < ROUND_MS / 2) return;
  const renewTime = formatMicroTime(nowMs);
  if (lease) {
    const spec = {
      ...objectAt(lease, "spec"),
      holderIdentity: name,
      leaseDurationSeconds: LEASE_SECONDS,
      renewTime,
    };
    await ignoring([404, 409], client.update(LEASES, { ...lease, spec }));
    return;
  }
  const owner = { apiVersion: "v1", kind: "Node", name, uid };
  await ignoring(
    [404, 409],
    client.create(LEASES, {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name, namespace: LEASE_NAMESPACE, ownerReferences: [owner] },
      spec: { holderIdentity: name, leaseDurationSeconds: LEASE_SECONDS, renewTime },
    }),
  );
}
