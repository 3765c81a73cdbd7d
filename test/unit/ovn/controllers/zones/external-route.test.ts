// AdminPolicyBasedExternalRoute: every zone reports the gateways that it has configured.
import { afterEach, describe, expect, test } from "vitest";
import {
  EXTERNAL_ROUTE,
  NAMESPACES,
  NODES,
  node,
  PODS,
  statusManager,
  ZoneCluster,
  zones,
} from "./support.ts";

let cluster: ZoneCluster;
afterEach(() => cluster.stop());

const start = async (...nodes: readonly string[]): Promise<void> => {
  cluster = await ZoneCluster.start([zones, statusManager], nodes);
};
const inNamespace = (name: string) => ({
  namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": name } },
});
const labelled = (name: string): Promise<void> =>
  cluster.merge(NAMESPACES, node(name), { metadata: { labels: { "kubernetes.io/metadata.name": name } } });
const status = (name: string): Promise<Record<string, unknown> | undefined> =>
  cluster.status(EXTERNAL_ROUTE, node(name));
const add = (name: string, from: unknown, nextHops: unknown): Promise<void> =>
  cluster.add(EXTERNAL_ROUTE, node(name), { from, nextHops });

interface GatewayPod {
  readonly hostNetwork?: boolean;
  readonly ready?: boolean;
  readonly annotations?: Record<string, string>;
}
async function addPod(
  name: string,
  ip: string,
  { hostNetwork = true, ready = true, annotations = {} }: GatewayPod = {},
): Promise<void> {
  const key = { namespace: "b", name };
  const metadata = { ...key, labels: { gateway: "yes" }, annotations };
  const spec = { hostNetwork, nodeName: "n1", containers: [{ name: "c", image: "i" }] };
  await cluster.create(PODS, "v1", "Pod", metadata, { spec });
  const conditions = [{ type: "Ready", status: ready ? "True" : "False" }];
  await cluster.merge(PODS, key, { status: { podIPs: [{ ip }], conditions } }, "status");
}
const DYNAMIC = {
  dynamic: [{ podSelector: { matchLabels: { gateway: "yes" } }, namespaceSelector: {} }],
};

describe("static gateways (rule e.1)", () => {
  test("are listed in order, with the time of the last report", async () => {
    await start("n1", "n2");
    await add("r", { namespaceSelector: {} }, { static: [{ ip: "172.18.0.3" }, { ip: "172.18.0.2" }] });
    const text = "configured external gateway IPs: 172.18.0.2,172.18.0.3";
    expect(await status("r")).toEqual({
      messages: [`n1: ${text}`, `n2: ${text}`],
      lastTransitionTime: "2026-01-01T00:00:00Z",
      status: "Success",
    });
  });

  test("57: the message of a node that goes is taken out, and the rest decides", async () => {
    await start("n1", "n2");
    await add("r", { namespaceSelector: {} }, { static: [{ ip: "172.18.0.2" }] });
    await cluster.delete(NODES, node("n2"));
    expect(await status("r")).toMatchObject({
      messages: ["n1: configured external gateway IPs: 172.18.0.2"],
      status: "Success",
    });
  });

  test("a namespace has one policy, the older one; the other fails until that is gone", async () => {
    await start("n1");
    await labelled("a");
    await add("first", inNamespace("a"), { static: [{ ip: "172.18.0.2" }] });
    cluster.clock.advance(60_000);
    await add("a-later-one", { namespaceSelector: {} }, { static: [{ ip: "172.18.0.3" }] });
    expect(await status("a-later-one")).toMatchObject({
      messages: [
        "n1: n1 failed to apply policy: failed to build updated policy: failed to update policy a-later-one: namespaces [a] are already affected by another policy: first",
      ],
      status: "Fail",
    });
    await cluster.delete(EXTERNAL_ROUTE.resource, node("first"));
    expect(await status("a-later-one")).toMatchObject({
      messages: ["n1: configured external gateway IPs: 172.18.0.3"],
      status: "Success",
    });
  });
});

describe("gateway pods (rule e.1.3)", () => {
  test("on the network of their hosts give their addresses, as they come, get ready and go", async () => {
    await start("n1");
    await add("r", { namespaceSelector: {} }, DYNAMIC);
    const text = async (): Promise<unknown> => (await status("r"))?.["messages"];
    expect(await text()).toEqual(["n1: configured external gateway IPs: "]);
    await addPod("p", "10.0.0.9");
    await addPod("q", "10.0.0.8", { ready: false });
    expect(await text()).toEqual(["n1: configured external gateway IPs: 10.0.0.9"]);
    await cluster.delete(PODS, { namespace: "b", name: "p" });
    expect(await text()).toEqual(["n1: configured external gateway IPs: "]);
  });

  test("on the cluster's own network are no gateways", async () => {
    await start("n1");
    await addPod("p", "10.128.0.9", { hostNetwork: false });
    await add("r", { namespaceSelector: {} }, DYNAMIC);
    expect(await status("r")).toMatchObject({
      messages: [expect.stringContaining("n1: n1 failed to apply policy: ")],
      status: "Fail",
    });
  });

  test("on a named network give the addresses that they have there", async () => {
    await start("n1");
    const networks = [
      { name: "b/blue", ips: ["192.168.9.9", "fd00::9"] },
      { name: "other", ips: ["1.1.1.1"] },
    ];
    const annotations = { "k8s.v1.cni.cncf.io/network-status": JSON.stringify(networks) };
    await addPod("p", "10.128.0.9", { hostNetwork: false, annotations });
    await add(
      "r",
      { namespaceSelector: {} },
      { dynamic: [{ ...DYNAMIC.dynamic[0], networkAttachmentName: "b/blue" }] },
    );
    expect((await status("r"))?.["messages"]).toEqual([
      "n1: configured external gateway IPs: 192.168.9.9,fd00::9",
    ]);
  });
});
