// The objects read from a cluster are imported into a copy in their original state, and the controllers continue from it.
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../src/apimachinery/meta/object-meta.ts";
import type { Platform } from "../../../src/controller/emulated-release.ts";
import type { PlannedChange } from "../../../src/features/analysis/planned-change.ts";
import type { Cluster } from "../../../src/ovn/cluster/cluster.ts";
import type { Difference } from "../../../src/ovn/compare.ts";
import { DEFAULT_FACTS } from "../../../src/ovn/snapshot.ts";
import { planOnCopy } from "../../../src/server/copy-of-cluster.ts";

const UID = "11111111-2222-4333-8444-555555555555";
const TIME = "2020-01-02T03:04:05Z";

const node = (name: string, host: number, annotations: object = {}): KubeObject => ({
  ...{ apiVersion: "v1", kind: "Node" },
  metadata: {
    name,
    labels: { "k8s.ovn.org/egress-assignable": "" },
    annotations: {
      "k8s.ovn.org/node-primary-ifaddr": `{"ipv4":"10.0.0.${host}/24"}`,
      "k8s.ovn.org/host-cidrs": `["10.0.0.${host}/24"]`,
      "k8s.ovn.org/node-subnets": `{"default":["10.128.${host}.0/24"]}`,
      ...annotations,
    },
  },
  status: { conditions: [{ type: "Ready", status: "True" }] },
});
const namespace: KubeObject = {
  ...{ apiVersion: "v1", kind: "Namespace" },
  metadata: { name: "shop", labels: { team: "shop" }, uid: UID.replace("1", "2"), creationTimestamp: TIME },
  ...{ spec: { finalizers: ["kubernetes"] }, status: { phase: "Active" } },
};
const pod: KubeObject = {
  ...{ apiVersion: "v1", kind: "Pod" },
  metadata: {
    ...{ name: "web", namespace: "shop", uid: UID, creationTimestamp: TIME, labels: { app: "web" } },
    ownerReferences: [
      {
        apiVersion: "apps/v1",
        kind: "ReplicaSet",
        name: "web",
        uid: UID.replace("1", "9"),
        controller: true,
      },
    ],
  },
  spec: { nodeName: "a", containers: [{ name: "web", image: "web" }] },
  status: { phase: "Running", podIP: "10.128.1.7", podIPs: [{ ip: "10.128.1.7" }] },
};
const egressIp = (status?: object): KubeObject => ({
  ...{ apiVersion: "k8s.ovn.org/v1", kind: "EgressIP" },
  metadata: { name: "shop", uid: UID.replace("1", "3"), creationTimestamp: TIME, generation: 7 },
  spec: { egressIPs: ["10.0.0.100"], namespaceSelector: { matchLabels: { team: "shop" } } },
  ...(status === undefined ? {} : { status }),
});
const onNode = (name: string) => ({ items: [{ egressIP: "10.0.0.100", node: name }] });

const NO_DIFFERENCE: Difference = {
  ...{ moved: [], services: [], pods: [], decided: [], nodes: [], events: [], refused: [] },
};

/** The copy at rest, and what the changes make of it. */
async function planned(objects: KubeObject[], changes: PlannedChange[], platform: Platform = "none") {
  let copy: Cluster | undefined;
  const facts = { ...DEFAULT_FACTS, onCloud: platform !== "none" };
  const before = structuredClone(objects);
  const plan = await planOnCopy(objects, {
    ...{ facts, platform },
    onRest: (cluster) => {
      copy = cluster;
    },
  });
  const [difference = NO_DIFFERENCE] = await plan([changes], {});
  expect(objects).toEqual(before);
  if (copy === undefined) throw new Error("the copy was not at rest");
  return { copy: copy.snapshot, difference };
}

describe("objects stand as they stood", () => {
  test("with their uids, times and status; who was not read does not count as gone", async () => {
    const { copy, difference } = await planned([node("a", 1), namespace, pod, egressIp(onNode("a"))], []);
    expect(copy.get("pods", "shop", "web")).toMatchObject({
      metadata: { uid: UID, creationTimestamp: TIME },
      spec: { nodeName: "a" },
      status: pod["status"],
    });
    expect(copy.get("namespaces", "", "shop")?.metadata.uid).toBe(namespace.metadata.uid);
    expect(copy.get("egressips.k8s.ovn.org", "", "shop")?.metadata).toMatchObject({
      generation: 7,
      creationTimestamp: TIME,
    });
    expect(Object.values(difference).flat()).toEqual([]);
  });

  test("an owner that was read is named", async () => {
    const owner = { apiVersion: "v1", kind: "Pod", name: "web", uid: UID };
    const owned: KubeObject = {
      ...structuredClone(pod),
      metadata: { ...pod.metadata, name: "helper", uid: UID.replace("1", "4"), ownerReferences: [owner] },
    };
    const objects = [node("a", 1), namespace, pod, owned, egressIp(onNode("a"))];
    const { copy } = await planned(objects, []);
    expect(copy.get("pods", "shop", "helper")?.metadata.ownerReferences).toEqual([owner]);
  });

  test("an address stays where it is, though another node would be chosen", async () => {
    for (const name of ["a", "b", "c"]) {
      const objects = [node("a", 1), node("b", 2), node("c", 3), namespace, pod, egressIp(onNode(name))];
      const { copy } = await planned(objects, []);
      expect(copy.get("egressips.k8s.ovn.org", "", "shop")).toMatchObject({ status: onNode(name) });
    }
  });

  test("a kind that was written in a version which is not served is known nevertheless", async () => {
    const slice = {
      apiVersion: "discovery.k8s.io/v1beta1",
      kind: "EndpointSlice",
      metadata: { name: "x", namespace: "shop" },
    };
    const { copy } = await planned([namespace, { ...slice, addressType: "IPv4", endpoints: [] }], []);
    expect(copy.get("endpointslices.discovery.k8s.io", "shop", "x")?.apiVersion).toBe("discovery.k8s.io/v1");
  });

  test("kinds that are unknown here are left out", async () => {
    const unknown = { apiVersion: "example.com/v1", kind: "Shelf", metadata: { name: "x" } };
    expect((await planned([unknown, namespace], [])).difference.refused).toEqual([]);
  });
});

describe("changes", () => {
  const [a, b] = [node("a", 1), node("b", 2)];

  test("move what stood on a node that goes", async () => {
    const { difference } = await planned(
      [a, b, namespace, pod, egressIp(onNode("b"))],
      [{ delete: "node/b" }],
    );
    expect(difference).toMatchObject({ moved: [{ address: "10.0.0.100", from: "b", to: "a" }], refused: [] });
  });

  test("of one plan are not there for the next, which answers as it would on a copy of its own", async () => {
    const objects = [a, b, node("c", 3), namespace, pod, egressIp()];
    const options = { facts: DEFAULT_FACTS, platform: "none" } as const;
    const plan = await planOnCopy(objects, options);
    const deaths: PlannedChange[][] = ["a", "b", "c"].map((name) => [{ delete: `node/${name}` }]);
    const shared: Difference[] = [];
    const alone: Difference[] = [];
    for (const death of deaths) {
      shared.push(...(await plan([death], {})));
      alone.push(...(await (await planOnCopy(objects, options))([death], {})));
    }
    expect(shared).toEqual(alone);
    expect(shared.filter(({ moved }) => moved.length > 0)).toHaveLength(1);
  });

  test.each(["none", "gcp"] as const)(
    "of one try are taken back before the next one (%s)",
    async (platform) => {
      const onCloud = (name: string, host: number) =>
        node(name, host, {
          "cloud.network.openshift.io/egress-ipconfig": JSON.stringify([
            { interface: "nic0", ifaddr: { ipv4: "10.0.0.0/24" }, capacity: { ip: 1 } },
          ]),
        });
      const wide = {
        ...egressIp(),
        spec: { egressIPs: ["10.0.0.100", "10.0.0.101"], namespaceSelector: {} },
      };
      const further: KubeObject = {
        ...structuredClone(egressIp()),
        metadata: { ...egressIp().metadata, name: "further", uid: UID.replace("1", "6") },
        spec: { egressIPs: ["10.0.0.102"], namespaceSelector: {} },
      };
      const nodes = [onCloud("a", 1), onCloud("b", 2), onCloud("c", 3)];
      const objects = [...nodes, namespace, pod, wide, further];
      const label = { "k8s.ovn.org/egress-assignable": null };
      const changes: PlannedChange[] = [
        ...["a", "b", "c"].flatMap((name) => [{ delete: `node/${name}` }, { notReady: `node/${name}` }]),
        { label: "node/b", labels: label },
        { delete: "egressip/shop" },
        { delete: "namespace/shop" },
        { label: "namespace/shop", labels: { team: "other" } },
      ];
      const tries = [...changes, ...changes.toReversed()].map((change) => [change]);
      const options = { facts: { ...DEFAULT_FACTS, onCloud: platform !== "none" }, platform };
      const together = await (await planOnCopy(objects, options))(tries, {});
      const plan = await planOnCopy(objects, options);
      const alone = new Map<PlannedChange, Difference>();
      for (const change of changes) alone.set(change, (await plan([[change]], {}))[0] ?? NO_DIFFERENCE);
      tries.forEach(([change], index) => {
        if (change) expect([change, together[index]]).toEqual([change, alone.get(change)]);
      });
      expect(together.some(({ moved }) => moved.length > 1)).toBe(true);
    },
  );

  test("are refused where something in the copy is in their way", async () => {
    const service = (name: string): KubeObject => ({
      ...{ apiVersion: "v1", kind: "Service", metadata: { name, namespace: "shop" } },
      spec: {
        ...{
          clusterIP: "10.96.7.7",
          clusterIPs: ["10.96.7.7"],
          ipFamilies: ["IPv4"],
          ipFamilyPolicy: "SingleStack",
        },
        ...{ type: "NodePort", ports: [{ port: 80, targetPort: 80, nodePort: 31234, protocol: "TCP" }] },
      },
    });
    const { difference } = await planned([a, namespace, service("web")], [{ apply: service("other") }]);
    expect(difference.refused).toMatchObject([
      {
        change: "apply Service shop/other",
        message: expect.stringMatching(/10\.96\.7\.7.*already allocated/),
      },
    ]);
  });

  test("wait for the cloud, by the capacity that it had told of", async () => {
    const told = (host: number, ip: number) => ({
      "cloud.network.openshift.io/egress-ipconfig": JSON.stringify([
        { interface: "nic0", ifaddr: { ipv4: "10.0.0.0/24" }, capacity: { ip } },
      ]),
      "k8s.ovn.org/node-primary-ifaddr": `{"ipv4":"10.0.0.${host}/24"}`,
    });
    const config: KubeObject = {
      ...{ apiVersion: "cloud.network.openshift.io/v1", kind: "CloudPrivateIPConfig" },
      metadata: {
        name: "10.0.0.100",
        uid: UID.replace("1", "5"),
        creationTimestamp: TIME,
        annotations: { "k8s.ovn.org/egressip-owner-ref": "shop" },
      },
      spec: { node: "a" },
      status: {
        node: "a",
        conditions: [
          {
            type: "Assigned",
            status: "True",
            reason: "CloudResponseSuccess",
            message: "",
            lastTransitionTime: TIME,
            observedGeneration: 1,
          },
        ],
      },
    };
    const nodes = (room: number) => [node("a", 1, told(1, 1)), node("b", 2, told(2, room))];
    const at = (room: number) => [...nodes(room), namespace, pod, config, egressIp(onNode("a"))];
    const { copy, difference } = await planned(at(1), [{ delete: "node/a" }], "gcp");
    expect(copy.get("egressips.k8s.ovn.org", "", "shop")).toMatchObject({ status: onNode("a") });
    expect(difference.moved).toEqual([{ egressIp: "shop", address: "10.0.0.100", from: "a", to: "b" }]);
    const full = await planned(at(0), [{ delete: "node/a" }], "gcp");
    expect(full.difference.moved).toEqual([{ egressIp: "shop", address: "10.0.0.100", from: "a" }]);
  });
});
