import { describe, expect, test } from "vitest";
import { reportStandby, servedPods } from "../../../../src/controllers/egressip/served-pods.ts";
import type { KubeObject } from "../../../../src/meta/object-meta.ts";
import { Cluster, egressIpObject } from "../support.ts";

const namespace = (
  name: string,
  labels: Record<string, string> | undefined = { env: "prod" },
): KubeObject => ({
  metadata: { name, ...(Object.keys(labels).length > 0 ? { labels } : {}) },
});
const pod = (
  name: string,
  options: { labels?: Record<string, string>; spec?: object; status?: object } = {},
): KubeObject => ({
  metadata: { name, namespace: "ns", labels: options.labels ?? { app: "web" } },
  spec: { nodeName: "n1", ...options.spec },
  status: { phase: "Running", podIP: "10.1.0.1", ...options.status },
});
const egressIp = (name: string, spec: object = {}, ...addresses: string[]): KubeObject => {
  const items = (addresses.length > 0 ? addresses : ["10.0.0.5"]).map((egressIP) => ({
    egressIP,
    node: "n1",
  }));
  const object = egressIpObject(name, [], { status: { items } });
  return { ...object, spec: { namespaceSelector: {}, ...spec } };
};

const serves = (spec: object, one: KubeObject, labels?: Record<string, string>): boolean =>
  servedPods({ egressIps: [egressIp("e", spec)], namespaces: [namespace("ns", labels)], pods: [one] })
    .length === 1;

describe("pods that are served (rules 49–53)", () => {
  test("49: where addresses are placed does not depend on selectors", async () => {
    const cluster = await Cluster.start();
    await cluster.addNode("n1", { ipv4: "192.168.126.11/24" });
    await cluster.addEgressIp("e", ["192.168.126.101"]);
    await cluster.patchEgressIp("e", { spec: { namespaceSelector: { matchLabels: { no: "such" } } } });
    expect(await cluster.items("e")).toEqual(["192.168.126.101@n1"]);
    await cluster.stop();
  });

  test.each<[string, object, KubeObject, Record<string, string> | undefined, boolean]>([
    ["the namespace matches, no podSelector", {}, pod("p"), undefined, true],
    [
      "the namespace does not match",
      { namespaceSelector: { matchLabels: { env: "x" } } },
      pod("p"),
      undefined,
      false,
    ],
    ["a namespace without labels never matches", {}, pod("p"), {}, false],
    ["the podSelector matches", { podSelector: { matchLabels: { app: "web" } } }, pod("p"), undefined, true],
    [
      "the podSelector does not match",
      { podSelector: { matchLabels: { app: "x" } } },
      pod("p"),
      undefined,
      false,
    ],
    ["not scheduled", {}, pod("p", { spec: { nodeName: "" } }), undefined, false],
    ["on the host's network", {}, pod("p", { spec: { hostNetwork: true } }), undefined, false],
    ["finished", {}, pod("p", { status: { phase: "Succeeded" } }), undefined, false],
    ["without an address", {}, pod("p", { status: { podIP: "" } }), undefined, false],
    [
      "an invalid selector selects nothing",
      { podSelector: { matchExpressions: [{ key: "a", operator: "Is" }] } },
      pod("p"),
      undefined,
      false,
    ],
  ])("50: %s", (_rule, spec, one, labels, expected) => {
    expect(serves(spec, one, labels)).toBe(expected);
  });

  test("51: by the addresses in the status, of the pod's families", () => {
    const world = {
      egressIps: [
        egressIp("e", {}, "10.0.0.5", "fd00::5", "10.0.0.6"),
        { ...egressIp("f"), status: { items: [] } },
      ],
      namespaces: [namespace("ns")],
      pods: [pod("p")],
    };
    expect(servedPods(world)).toEqual([
      { namespace: "ns", name: "p", egressIp: "e", addresses: ["10.0.0.5", "10.0.0.6"], standby: [] },
    ]);
  });

  test("53: the first serves, others stand by and say so once, and take over when it stops matching", () => {
    const world = {
      egressIps: [egressIp("b"), egressIp("a")],
      namespaces: [namespace("ns")],
      pods: [pod("p")],
    };
    const first = servedPods(world);
    expect(first).toMatchObject([{ egressIp: "b", standby: ["a"] }]);
    expect(reportStandby(first, []).map(({ subject, message }) => `${subject.name}: ${message}`)).toEqual([
      "a: EgressIP object a will not be configured for pod ns_p since another egressIP object b is serving it, this is undefined",
    ]);
    const again = servedPods({ ...world, egressIps: [egressIp("a"), egressIp("b")] }, first);
    expect(again).toEqual(first);
    expect(reportStandby(again, first)).toEqual([]);
    expect(servedPods({ ...world, egressIps: [egressIp("a")] }, first)).toMatchObject([
      { egressIp: "a", standby: [] },
    ]);
  });
});
