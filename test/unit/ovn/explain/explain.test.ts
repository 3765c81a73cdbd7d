// Explanations of the kinds beside EgressIPs: one sentence, what keeps the object from its effect, and what can be done.
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../../src/apimachinery/meta/object-meta.ts";
import { EXPLAINABLE, explain, explainableBy } from "../../../../src/ovn/explain/explain.ts";
import type { Explanation } from "../../../../src/ovn/explain/explanation.ts";
import type { ClusterFacts } from "../../../../src/ovn/snapshot.ts";
import { clusterOf, DENY_ALL, egressIp, firewall, namespace, node, object, pod, world } from "../world.ts";

function explained(
  word: string,
  name: string,
  objects: readonly KubeObject[],
  facts: Partial<ClusterFacts> = {},
): Explanation {
  const what = explainableBy(word);
  const found = what && explain(clusterOf(world(...objects), facts), what, "ns", name);
  if (!found) throw new Error(`there is no ${word} ${name}`);
  return found;
}

const rowsOf = ({ sections }: Explanation, title: RegExp) =>
  sections.find((one) => title.test(one.title))?.rows;

const READY = { status: { conditions: [{ type: "Ready", status: "True" }] } };
const egressNode = (name: string, labels: Record<string, string> = {}): KubeObject => ({
  ...node(name, [`192.168.126.${name === "n1" ? 12 : 51}/24`], {
    labels: { "k8s.ovn.org/egress-assignable": "", ...labels },
  }),
  ...READY,
});

describe("the words of a command line", () => {
  test.each([
    ["egressip", "EgressIP"],
    ["eip", "EgressIP"],
    ["EgressFirewall", "EgressFirewall"],
    ["apbexternalroute", "AdminPolicyBasedExternalRoute"],
    ["cudn", "ClusterUserDefinedNetwork"],
    ["po", "Pod"],
  ])("%s is %s", (word, kind) => expect(explainableBy(word)?.kind).toBe(kind));

  test("no word stands for two kinds", () => {
    const words = EXPLAINABLE.flatMap((one) => one.words);
    expect(new Set(words).size).toBe(words.length);
    expect(explainableBy("configmap")).toBeUndefined();
  });
});

describe("an EgressService", () => {
  const service = (ingress: readonly string[]) =>
    object(
      "Service",
      { name: "svc", namespace: "ns" },
      {
        spec: { clusterIP: "10.96.0.9" },
        status: { loadBalancer: { ingress: ingress.map((ip) => ({ ip })) } },
      },
    );
  const slice = object(
    "EndpointSlice",
    { name: "s", namespace: "ns", labels: { "kubernetes.io/service-name": "svc" } },
    {
      addressType: "IPv4",
      endpoints: [{ addresses: ["10.128.1.3"], nodeName: "n1" }],
    },
  );
  const egressService = (spec = {}, host?: string) =>
    object(
      "EgressService",
      { name: "svc", namespace: "ns" },
      { spec, ...(host === undefined ? {} : { status: { host } }) },
    );

  test.each<[RegExp, readonly KubeObject[]]>([
    [/no Service of its name/, [egressService()]],
    [/no ingress address/, [egressService(), service([]), slice]],
    [/no endpoint with a node/, [egressService(), service(["5.5.5.5"])]],
    [
      /nodeSelector cannot be understood/,
      [egressService({ nodeSelector: { matchLabels: { "a b": "c" } } }), service(["5.5.5.5"]), slice],
    ],
    [
      /no node matches/,
      [egressService({ nodeSelector: { matchLabels: { a: "b" } } }), service(["5.5.5.5"]), slice],
    ],
    [/no node that matches is Ready/, [egressService(), service(["5.5.5.5"]), slice]],
  ])("says why it has no host: %s", (why, objects) => {
    const told = explained("egressservice", "svc", objects);
    expect(told.summary).toMatch(why);
    expect(told.advice).toHaveLength(1);
  });

  test("tells where it is, and what speaks against the other nodes", () => {
    const selector = { nodeSelector: { matchLabels: { a: "b" } } };
    const told = explained("egressservice", "svc", [
      egressService(selector, "n1"),
      service(["5.5.5.5"]),
      slice,
      egressNode("n1", { a: "b" }),
      egressNode("n2"),
    ]);
    expect(told.summary).toBe(
      "EgressService ns/svc has its host on n1: its endpoints leave there with 5.5.5.5",
    );
    expect(rowsOf(told, /Each node/)).toEqual([
      ["n1", "1", "yes", "host"],
      ["n2", "0", "no", "does not match"],
    ]);
    expect(rowsOf(told, /Endpoints/)).toEqual([["10.128.1.3", "n1", "p"]]);
    expect(explained("egressservice", "svc", [egressService({}, "ALL"), service([])]).summary).toMatch(
      /leave by its own node/,
    );
  });
});

describe("rules", () => {
  test("of an EgressFirewall are told with what they stand for", () => {
    const told = explained(
      "egressfirewall",
      "default",
      [
        {
          ...firewall(
            { type: "Allow", to: { dnsName: "a.example" }, ports: [{ protocol: "TCP", port: 443 }] },
            { type: "Allow", to: { nodeSelector: {} } },
            DENY_ALL,
          ),
          status: { messages: ["n1: EgressFirewall Rules applied"] },
        },
      ],
      { names: { "a.example": ["9.9.9.9"] } },
    );
    expect(told.reasons).toEqual([]);
    expect(rowsOf(told, /Rules/)).toEqual([
      ["0", "Allow", "a.example", "TCP 443", "9.9.9.9"],
      ["1", "Allow", "nodes {}", "all", "n1, n2"],
      ["2", "Deny", "0.0.0.0/0", "all", ""],
    ]);
    expect(rowsOf(told, /zones/)).toEqual([["n1", "EgressFirewall Rules applied"]]);
  });

  test("of a firewall that is not in force are told with the fault", () => {
    const told = explained("egressfirewall", "default", [
      firewall({ type: "Deny", to: { cidrSelector: "1.2.3.4" } }),
    ]);
    expect(told.summary).toBe(
      "EgressFirewall ns/default is not in force: rule 0: invalid CIDR address: 1.2.3.4",
    );
    expect(told.advice).toHaveLength(1);
  });

  test("of an EgressQoS are told with the pods that they meet", () => {
    const qos = (...egress: unknown[]) =>
      object("EgressQoS", { name: "default", namespace: "ns" }, { spec: { egress } });
    const told = explained("egressqos", "default", [
      qos({ dscp: 10, podSelector: { matchLabels: { a: "b" } } }, { dscp: 20, dstCIDR: "1.0.0.0/8" }),
    ]);
    expect(rowsOf(told, /Rules/)).toEqual([
      ["0", "10", "any", "0"],
      ["1", "20", "1.0.0.0/8", "1"],
    ]);
    expect(explained("egressqos", "default", [qos({ dscp: 1, dstCIDR: "x" })]).summary).toMatch(
      /rule 0 cannot be applied/,
    );
  });

  test("of an external route are told by namespace", () => {
    const route = (name: string, created: string, ips: readonly string[]): KubeObject => ({
      kind: "AdminPolicyBasedExternalRoute",
      metadata: { name, creationTimestamp: created },
      spec: { from: { namespaceSelector: {} }, nextHops: { static: ips.map((ip) => ({ ip })) } },
    });
    const untold = [
      route("first", "2026-01-01T00:00:00Z", ["9.0.0.1"]),
      route("second", "2026-01-02T00:00:00Z", ["9.0.0.2"]),
    ];
    expect(rowsOf(explained("apbexternalroute", "second", untold), /Namespaces/)).toEqual([
      ["ns", "1", "in force, or under first"],
    ]);
    const objects = untold.map((one, index) => ({
      ...one,
      status: { status: index === 0 ? "Success" : "Fail" },
    }));
    expect(explained("apbexternalroute", "first", objects).summary).toBe(
      "AdminPolicyBasedExternalRoute first sends what leaves 1 namespace to 9.0.0.1",
    );
    expect(explained("apbexternalroute", "second", objects).summary).toMatch(
      /namespaces ns are under another policy/,
    );
    expect(
      explained("apbexternalroute", "bad", [route("bad", "2026-01-01T00:00:00Z", ["x"])]).summary,
    ).toMatch(/could not parse/);
  });
});

describe("places", () => {
  test("a node says what it carries, and why it cannot carry more", () => {
    const told = explained("node", "n1", [
      egressIp("eip", ["192.168.126.101@n1"]),
      object("EgressService", { name: "svc", namespace: "ns" }, { status: { host: "n1" } }),
    ]);
    expect(told.summary).toBe(
      "Node n1 carries 1 egress address and 1 EgressService, and cannot carry more: it has no label k8s.ovn.org/egress-assignable",
    );
    expect(told.reasons.map(({ row }) => row)).toEqual([11, 11]);
    expect(explained("node", "n1", [egressNode("n1"), egressNode("n2")]).summary).toMatch(
      /0 egress addresses and 0 EgressServices, and can carry more/,
    );
  });

  test("a namespace says who leaves by which address", () => {
    const told = explained("ns", "ns", [
      egressIp("eip", ["192.168.126.101@n1"]),
      pod({ name: "q", node: "n2", ips: ["10.128.2.4"] }),
    ]);
    expect(told.summary).toBe("Namespace ns: 2 pods in network default; they leave by 192.168.126.101");
    expect(rowsOf(told, /Pods/)).toEqual([
      ["p", "n1", "192.168.126.101", "n1"],
      ["q", "n2", "192.168.126.101", "n1"],
    ]);
    const label = { "k8s.ovn.org/primary-user-defined-network": "" };
    expect(explained("ns", "ns", [namespace("ns", label)]).summary).toMatch(
      /asks for a primary network that is not there/,
    );
  });

  test("a pod says everything that applies to it", () => {
    const told = explained("pod", "p", [
      egressIp("eip", ["192.168.126.101@n1"], { podSelector: { matchLabels: { a: "b" } } }),
      firewall(DENY_ALL),
    ]);
    expect(told.summary).toBe(
      "pod ns/p to the world outside: denied, EgressFirewall ns/default rule 0 denies 0.0.0.0/0",
    );
    expect(rowsOf(told, /What applies/)).toEqual([["EgressFirewall", "default"]]);
    expect(rowsOf(told, /not used/)?.[1]).toEqual(["eip", "the labels of pod ns/p do not match"]);
  });
});

describe("what controllers say", () => {
  const conditions = (type: string, status: string, message = "") => ({
    status: { conditions: [{ type, status, reason: "R", message }] },
  });

  test("of a request to a cloud", () => {
    const request = (content = {}, owner = "eip"): KubeObject => ({
      kind: "CloudPrivateIPConfig",
      metadata: { name: "192.168.126.101", annotations: { "k8s.ovn.org/egressip-owner-ref": owner } },
      spec: { node: "n1" },
      ...content,
    });
    const told = (one: KubeObject) =>
      explained("cloudprivateipconfig", "192.168.126.101", [one, egressIp("eip", [])]).summary;
    expect(told(request())).toMatch(
      /asks for 192\.168\.126\.101 on n1 for EgressIP eip: the cloud has not answered yet$/,
    );
    expect(told(request(conditions("Assigned", "False", "no quota")))).toMatch(
      /the cloud refuses: no quota$/,
    );
    expect(
      told(request({ status: { node: "n1", conditions: [{ type: "Assigned", status: "True" }] } })),
    ).toMatch(/it is granted on n1$/);
    expect(told(request(conditions("Assigned", "True"), "gone"))).toMatch(
      /EgressIP gone, for which it asks, is not there$/,
    );
  });

  test("of a network of pods of its own", () => {
    const udn = (content = {}) => object("UserDefinedNetwork", { name: "net", namespace: "ns" }, content);
    const attachment = object(
      "NetworkAttachmentDefinition",
      { name: "net", namespace: "ns" },
      {
        spec: {
          config: JSON.stringify({
            type: "ovn-k8s-cni-overlay",
            role: "primary",
            name: "ns_net",
            topology: "layer3",
            subnets: "20.128.0.0/16",
          }),
        },
      },
    );
    const inside = pod({
      annotations: {
        "k8s.ovn.org/pod-networks": JSON.stringify({ "ns/net": { ip_address: "20.128.0.5/24" } }),
      },
    });
    const told = explained("udn", "net", [udn(conditions("NetworkCreated", "True")), attachment, inside]);
    expect(told.summary).toBe(
      "UserDefinedNetwork ns/net is the primary network ns_net (layer3) of 1 namespace with 1 pod",
    );
    expect(rowsOf(told, /Pods/)).toEqual([["ns/p", "n1"]]);
    expect(explained("udn", "net", [udn(conditions("NetworkCreated", "False", "overlaps"))]).summary).toMatch(
      /has failed: NetworkCreated is False \(R\): overlaps$/,
    );
  });

  test("of an egress router", () => {
    const router = (content = {}) => object("EgressRouter", { name: "r", namespace: "ns" }, content);
    expect(explained("egressrouter", "r", [router()]).summary).toBe(
      "EgressRouter ns/r: nothing is said of it yet",
    );
    expect(explained("egressrouter", "r", [router(conditions("Available", "True"))]).summary).toMatch(
      /is well$/,
    );
    expect(explained("egressrouter", "r", [router(conditions("Degraded", "True", "x"))]).summary).toMatch(
      /Degraded is True \(R\): x$/,
    );
  });
});
