// Continuous work for the controllers: two nodes can host an egress address, and the one that does loses its label.
import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../../support/random.ts";
import type { Cluster } from "./cluster.ts";

const NODES = "/api/v1/nodes";
const ADDRESSES = ["101", "102"];
const ASSIGNABLE = "k8s.ovn.org/egress-assignable";
const ASK_MS_MAX = 2000;
const PAUSE_MS_MAX = 400;

function node(host: number): object {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name: `n${host}`,
      labels: { [ASSIGNABLE]: "" },
      annotations: {
        "k8s.ovn.org/node-primary-ifaddr": JSON.stringify({ ipv4: `192.168.126.${host}/24` }),
        "k8s.ovn.org/host-cidrs": JSON.stringify([`192.168.126.${host}/24`]),
      },
    },
    status: { conditions: [{ type: "Ready", status: "True" }] },
  };
}

const egressIp = (host: string): object => ({
  apiVersion: "k8s.ovn.org/v1",
  kind: "EgressIP",
  metadata: { name: `e${host}` },
  spec: { egressIPs: [`192.168.126.${host}`], namespaceSelector: {} },
});

/** Creates the nodes and EgressIPs before the first fault. */
export async function layEgress({ servers }: Cluster): Promise<void> {
  const post = async (path: string, body: object): Promise<void> => {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${servers[0]?.url}${path}`, {
      ...{ method: "POST", headers, body: JSON.stringify(body) },
    });
    if (!answer.ok) throw new Error(await answer.text());
  };
  for (const host of [11, 12]) await post(NODES, node(host));
  for (const host of ADDRESSES) await post("/apis/k8s.ovn.org/v1/egressips", egressIp(host));
}

/** Gives the controllers work again and again, until the signal aborts. */
export async function decideForever(
  { servers }: Cluster,
  random: Random,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const [name, value] = [`n${random.one([11, 12])}`, random.one(["", null])];
    await fetch(`${random.one(servers).url}${NODES}/${name}`, {
      method: "PATCH",
      headers: { "content-type": "application/merge-patch+json" },
      body: JSON.stringify({ metadata: { labels: { [ASSIGNABLE]: value } } }),
      signal: AbortSignal.timeout(ASK_MS_MAX),
    }).catch(() => {});
    await sleep(random.below(PAUSE_MS_MAX));
  }
}
