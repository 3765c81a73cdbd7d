// Anonymizing removes every confidential name of a cluster, and controllers decide as in the original.
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../../../../src/apimachinery/meta/object-meta.ts";
import { anonymised, anonymiser } from "../../../../../../src/features/import/sources/anonymise/anonymise.ts";
import { collect } from "../../../../../../src/features/import/sources/collect.ts";
import type { SourceItem } from "../../../../../../src/features/import/sources/source.ts";
import { Cluster } from "../../../../../../src/ovn/cluster/cluster.ts";
import { detectFacts } from "../../../../../../src/ovn/detect/facts.ts";
import { explainEgressIp } from "../../../../../../src/ovn/explain/explain-egress-ip.ts";
import { neededResourceOf } from "../../../../../../src/ovn/needed-kinds.ts";
import { DEFAULT_FACTS, snapshotOf } from "../../../../../../src/ovn/snapshot.ts";
import { PRIVATE_CLUSTER, PRIVATE_WORDS } from "../../../../../support/private-cluster.ts";

const key = "a key of the test";
const { object: change, text } = anonymiser(key);
const told = PRIVATE_CLUSTER.flatMap((object) => change(structuredClone(object)) ?? []);
const one = (kind: string, at = 0): KubeObject => {
  const found = told.filter((object) => object.kind === kind)[at];
  if (found === undefined) throw new Error(`no ${kind} is told`);
  return found;
};

describe("what is told", () => {
  test("has none of the words of the cluster", () => {
    const all = JSON.stringify(told).toLowerCase();
    expect(PRIVATE_WORDS.filter((word) => all.includes(word.toLowerCase()))).toEqual([]);
    expect(JSON.stringify(PRIVATE_CLUSTER).length).toBeGreaterThan(5000);
  });

  test("has no Secret, no content of a ConfigMap, no kind that is somebody's, and no definition of one", () => {
    expect(told.filter(({ kind }) => kind === "Secret" || kind === "Teller")).toEqual([]);
    expect(told.filter(({ kind }) => kind === "ConfigMap").map(({ data }) => data)).toEqual([
      undefined,
      {
        ClusterConfiguration: expect.stringMatching(
          /^ {2}podSubnet: 10\.\d+\.0\.0\/16\n {2}serviceSubnet: 10\.\d+\.0\.0\/16$/,
        ),
      },
    ]);
    expect(
      told.filter(({ kind }) => kind === "CustomResourceDefinition").map(({ metadata }) => metadata.name),
    ).toEqual(["egressips.k8s.ovn.org"]);
  });

  test("is the same with the same key, and another with another", () => {
    const again = anonymiser(key);
    expect(PRIVATE_CLUSTER.flatMap((object) => again.object(structuredClone(object)) ?? [])).toEqual(told);
    const other = anonymiser("another");
    expect(other.text("teller")).not.toBe(text("teller"));
    expect(other.text("10.0.187.18")).not.toBe(text("10.0.187.18"));
  });

  test("leaves the objects that it is made of as they were", () => {
    const [node] = PRIVATE_CLUSTER;
    const before = JSON.stringify(node);
    if (node !== undefined) change(node);
    expect(JSON.stringify(node)).toBe(before);
  });

  test("keeps what is the same in every cluster", () => {
    expect(one("Node")).toMatchObject({
      apiVersion: "v1",
      metadata: {
        labels: { "kubernetes.io/os": "linux", "k8s.ovn.org/egress-assignable": "" },
        annotations: { "k8s.ovn.org/node-id": "18" },
      },
      spec: { taints: [{ effect: "NoSchedule" }] },
      status: {
        conditions: [{ type: "Ready", status: "True", reason: "KubeletReady", message: "left out" }],
        nodeInfo: { kubeletVersion: "v1.30.4" },
        capacity: { cpu: "4", memory: "16393244Ki" },
      },
    });
    expect(one("EgressFirewall")).toMatchObject({
      metadata: { name: "default" },
      spec: {
        egress: [
          {
            type: "Allow",
            to: { dnsName: expect.stringMatching(/^\*\./) },
            ports: [{ protocol: "TCP", port: 443 }],
          },
          { to: { cidrSelector: "0.0.0.0/0" } },
          { to: { cidrSelector: expect.stringMatching(/^\d+\.\d+\.\d+\.0\/24$/) } },
        ],
      },
    });
    expect(one("Role")).toMatchObject({
      rules: [{ verbs: ["get"], apiGroups: ["apps"], resources: ["deployments"] }],
    });
    const config = JSON.parse(
      one("NetworkAttachmentDefinition")["spec"]
        ? String((one("NetworkAttachmentDefinition")["spec"] as { config: string }).config)
        : "{}",
    );
    expect(config).toMatchObject({ type: "ovn-k8s-cni-overlay", topology: "layer2", cniVersion: "1.0.0" });
    expect(config.netAttachDefName).toBe(`${text("vaultdesk")}/${text("vaultnet")}`);
  });
});

describe("names", () => {
  test("are the same at both ends", () => {
    const [pod, service, slice, event] = [
      one("Pod"),
      one("Service"),
      one("EndpointSlice"),
      one("Event"),
    ] as never[] as {
      metadata: {
        name: string;
        generateName: string;
        labels: Record<string, string>;
        ownerReferences: { name: string }[];
      };
      spec: { selector: Record<string, string>; nodeName: string; nodeSelector: Record<string, string> };
      involvedObject: { name: string };
      endpoints: { nodeName: string; targetRef: { name: string } }[];
    }[];
    const node = one("Node");
    expect(pod?.metadata.labels).toMatchObject(service?.spec.selector ?? { none: "" });
    expect(pod?.spec.nodeName).toBe(node.metadata.name);
    expect(pod?.spec.nodeName).toMatch(/^ip-10-\d+-\d+-\d+\.\w+\.\w+\.internal$/);
    expect(node.metadata.labels).toMatchObject(pod?.spec.nodeSelector ?? { none: "" });
    expect(slice?.endpoints[0]).toMatchObject({
      nodeName: node.metadata.name,
      targetRef: { name: pod?.metadata.name },
    });
    expect(slice?.metadata.labels["kubernetes.io/service-name"]).toBe(service?.metadata.name);
    expect(event?.involvedObject.name).toBe(pod?.metadata.name);
    expect(pod?.metadata.name.startsWith(pod.metadata.generateName)).toBe(true);
    expect(pod?.metadata.name.startsWith(pod.metadata.ownerReferences[0]?.name ?? "none")).toBe(true);
  });

  test("of addresses are those of the addresses", () => {
    const names = told
      .filter(({ kind }) => kind === "CloudPrivateIPConfig")
      .map(({ metadata }) => metadata.name);
    const ipv6 = text("fd00:187::101");
    const groups = (names[0] ?? "").split(".");
    expect(groups).toHaveLength(8);
    expect(text(groups.join(":"))).toBe(text(ipv6));
    expect(names[1]).toBe(text("10.0.187.101"));
  });

  test("of fields that somebody owns are those of the fields", () => {
    const pod = one("Pod");
    const fields = pod.metadata.managedFields?.[0]?.fieldsV1 as Record<string, Record<string, object>>;
    const address = (pod["status"] as { podIP: string }).podIP;
    expect(Object.keys(fields["f:status"]?.["f:podIPs"] ?? {})).toEqual([`k:{"ip":"${address}"}`]);
    expect(Object.keys(fields["f:metadata"]?.["f:labels"] ?? {})).toHaveLength(2);
    const labels = Object.keys(fields["f:metadata"]?.["f:labels"] ?? {}).map((name) => name.slice(2));
    expect(Object.keys(pod.metadata.labels ?? {})).toContain(labels[0]);
  });

  test("that were generated begin with what they were generated from, whatever that is", () => {
    const generated = change({
      ...{ apiVersion: "v1", kind: "Pod" },
      metadata: { name: "jobber7x2k9", generateName: "jobber", namespace: "n" },
    });
    expect(generated?.metadata.name?.startsWith(generated.metadata.generateName ?? "none")).toBe(true);
    expect(generated?.metadata.generateName).toHaveLength(6);
  });
});

describe("addresses", () => {
  test("of a pod stay in the network of its node, and its MAC is made of its address", () => {
    const node = one("Node");
    const pod = one("Pod");
    const subnets = JSON.parse(node.metadata.annotations?.["k8s.ovn.org/node-subnets"] ?? "{}");
    const { default: own } = JSON.parse(pod.metadata.annotations?.["k8s.ovn.org/pod-networks"] ?? "{}");
    const [address] = own.ip_addresses[0].split("/");
    expect(address.slice(0, address.lastIndexOf("."))).toBe(
      subnets.default[0].slice(0, subnets.default[0].lastIndexOf(".")),
    );
    const bytes = own.mac_address
      .split(":")
      .slice(2)
      .map((byte: string) => Number.parseInt(byte, 16));
    expect(bytes.join(".")).toBe(address);
    expect(own.mac_address).toMatch(/^0a:58:/);
    expect(Object.keys(subnets)).toEqual(["default", `${text("ledger")}.${text("vaultnet")}`]);
  });

  test("of IPv6 alone, too", () => {
    const mac = "0a:58:83:5b:8e:04"; // of a hash of fd01::5
    const given = {
      ...{ apiVersion: "v1", kind: "Pod" },
      metadata: {
        name: "p",
        annotations: {
          "k8s.ovn.org/pod-networks": JSON.stringify({
            default: { ip_addresses: ["fd01::5/64"], mac_address: mac },
          }),
        },
      },
    };
    const { default: own } = JSON.parse(
      change(given)?.metadata.annotations?.["k8s.ovn.org/pod-networks"] ?? "{}",
    );
    expect(own.ip_addresses[0]).toBe(`${text("fd01::5")}/64`);
    expect(own.mac_address).not.toBe(mac);
  });
});

describe("decisions", () => {
  const clusterOf = (objects: readonly KubeObject[]) => {
    const snapshot = snapshotOf(objects, neededResourceOf);
    const { doubtful: _doubtful, ...facts } = detectFacts(snapshot);
    return { cluster: new Cluster(snapshot, { ...DEFAULT_FACTS, ...facts }), facts };
  };
  const [before, after] = [clusterOf(PRIVATE_CLUSTER), clusterOf(told)];

  test("are made for the same networks and platform", () => {
    expect(after.facts).toEqual({
      ...before.facts,
      clusterSubnets: `${text("10.130.0.0/16")}/24`,
      serviceSubnets: text("10.96.0.0/16"),
    });
    expect(before.facts.platform).toBe("aws");
  });

  const placesOf = (cluster: Cluster, name: string, named: (text: string) => string) => {
    const explanation = explainEgressIp(cluster, named(name));
    return explanation?.addresses.map(({ address, node, nodes }) => ({
      address,
      node,
      nodes: nodes.map(({ node, assigned, reasons }) => ({
        node,
        assigned,
        why: reasons.map(({ row }) => row),
      })),
    }));
  };
  test.each(["moneta-exit", "moneta-spare"])("are the same: %s", (name) => {
    const expected = placesOf(before.cluster, name, (text) => text)?.map(({ address, node, nodes }) => ({
      address: text(address),
      node: node && text(node),
      nodes: nodes
        .map(({ node, ...rest }) => ({ node: text(node), ...rest }))
        .sort((a, b) => (a.node < b.node ? -1 : 1)),
    }));
    const found = placesOf(after.cluster, name, text)?.map(({ nodes, ...rest }) => ({
      ...rest,
      nodes: nodes.toSorted((a, b) => (a.node < b.node ? -1 : 1)),
    }));
    expect(found).toEqual(expected);
    expect(expected?.length).toBeGreaterThan(0);
  });

  test("are for the same pods", () => {
    const used = (cluster: Cluster, name: string) => explainEgressIp(cluster, name)?.usedBy;
    expect(used(after.cluster, text("moneta-exit"))).toEqual([
      { namespace: text("vaultdesk"), pods: ["teller-7d4b9c-x2k9p", "teller-7d4b9c-q8m4z"].map(text).sort() },
    ]);
    expect(used(before.cluster, "moneta-exit")?.[0]?.pods).toHaveLength(2);
  });
});

test("a source is told of without its paths", async () => {
  async function* items(): AsyncGenerator<SourceItem> {
    yield { type: "skipped", origin: "/home/walter/bankhaus.yaml", reason: 'found undefined alias "walter"' };
    for (const object of PRIVATE_CLUSTER)
      yield { type: "object", object, origin: "/home/walter/bankhaus.yaml" };
    yield {
      type: "notes",
      notes: { revision: 5n, serviceSubnets: "10.0.187.0/24", kubernetesVersion: "v1.30.2+bankhaus" },
      origin: "/home/walter",
    };
    yield {
      type: "kinds",
      kinds: [
        { group: "bankhaus.example", version: "v1", kind: "Teller", resource: "tellers", namespaced: true },
      ],
      origin: "/home/walter",
    };
  }
  const seen: SourceItem[] = [];
  for await (const item of anonymised(items(), anonymiser("k"))) seen.push(item);
  const all = JSON.stringify(seen, (_key, value) =>
    typeof value === "bigint" ? String(value) : value,
  ).toLowerCase();
  expect(PRIVATE_WORDS.filter((word) => all.includes(word))).toEqual([]);
  async function* again() {
    yield* seen;
  }
  const { skipped, notes } = await collect(again());
  expect(skipped.reasons.map(({ reason }) => reason)).toContain("is a Secret, which is never told");
  expect(notes).toEqual({
    revision: 5n,
    serviceSubnets: anonymiser("k").text("10.0.187.0/24"),
    kubernetesVersion: "v1.30.2",
  });
});
