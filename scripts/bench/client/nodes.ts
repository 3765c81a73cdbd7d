// The nodes of the bench: each can host egress addresses of its network.
import { askWell, type ServerAccess } from "./server-access.ts";

const ASSIGNABLE_LABEL = "k8s.ovn.org/egress-assignable";

export const nodeName = (number: number): string => `bench-${String(number).padStart(3, "0")}`;

/** Nodes 1 to count, ready, in 10.0.0.0/8. */
export async function createNodes(access: ServerAccess, count: number): Promise<void> {
  for (let number = 1; number <= count; number++) {
    const address = `10.0.${Math.floor(number / 250)}.${(number % 250) + 1}/8`;
    const node = {
      apiVersion: "v1",
      kind: "Node",
      metadata: {
        name: nodeName(number),
        labels: { [ASSIGNABLE_LABEL]: "" },
        annotations: {
          "k8s.ovn.org/node-primary-ifaddr": JSON.stringify({ ipv4: address }),
          "k8s.ovn.org/host-cidrs": JSON.stringify([address]),
        },
      },
      status: { conditions: [{ type: "Ready", status: "True" }] },
    };
    await askWell(access, "/api/v1/nodes", { method: "POST", body: node });
  }
}

/** Removes the egress-assignable label. */
export async function drainNode(access: ServerAccess, number: number): Promise<void> {
  await askWell(access, `/api/v1/nodes/${nodeName(number)}`, {
    method: "PATCH",
    headers: { "content-type": "application/merge-patch+json" },
    body: { metadata: { labels: { [ASSIGNABLE_LABEL]: null } } },
  });
}
