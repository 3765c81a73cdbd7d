import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import type { KubeObject } from "../../../../../src/apimachinery/meta/object-meta.ts";
import { Cluster, HELPLESS, HOST, LAST, node, pod, USELESS, ZONE } from "./scheduler-world.ts";

describe("a pod goes where it can be", () => {
  test.each<[string, JsonObject, KubeObject, string]>([
    ["a node that is closed", {}, node("n", { spec: { unschedulable: true } }), "node(s) were unschedulable"],
    [
      "a taint",
      {},
      node("n", { spec: { taints: [{ key: "k", effect: "NoSchedule" }] } }),
      "node(s) had untolerated taint(s)",
    ],
    [
      "a selector",
      { nodeSelector: { disk: "ssd" } },
      node("n"),
      "node(s) didn't match Pod's node affinity/selector",
    ],
    [
      "an affinity",
      {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: "cores", operator: "Gt", values: ["8"] }] }],
            },
          },
        },
      },
      node("n", { labels: { cores: "8" } }),
      "node(s) didn't match Pod's node affinity/selector",
    ],
    ["more than the node has", { requests: { cpu: "3" } }, node("n"), "Insufficient cpu"],
    [
      "a device that it does not have",
      { requests: { "example.com/gpu": "1" } },
      node("n"),
      "Insufficient example.com/gpu",
    ],
    [
      "a label that is missing",
      {
        topologySpreadConstraints: [
          { maxSkew: 1, topologyKey: ZONE, whenUnsatisfiable: "DoNotSchedule", labelSelector: {} },
        ],
      },
      node("n"),
      "node(s) didn't match pod topology spread constraints (missing required label)",
    ],
    [
      "somebody to be near to",
      {
        affinity: {
          podAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { topologyKey: HOST, labelSelector: { matchLabels: { app: "db" } } },
            ],
          },
        },
      },
      node("n"),
      "node(s) didn't match pod affinity rules",
    ],
  ])("not beyond %s", (_what, spec, only, reason) => {
    expect(new Cluster(only).decide(pod("p", spec))).toEqual({
      message: `0/1 nodes are available: 1 ${reason}. ${LAST} 0/1 nodes are available: 1 ${USELESS}.`,
    });
  });

  test("not where others take what it wants; the reasons are counted", () => {
    const taints = [{ key: "k", effect: "NoSchedule" }];
    const cluster = new Cluster(
      node("n1"),
      node("n2", { allocatable: { memory: "1Gi" } }),
      node("n3", { spec: { taints } }),
    );
    for (const name of ["n1", "n2"])
      cluster.state.setPod(pod(`on-${name}`, { nodeName: name, requests: { cpu: "1500m" } }), false);
    expect(cluster.decide(pod("p", { requests: { cpu: "1", memory: "2Gi" } }))).toEqual({
      message:
        "0/3 nodes are available: 1 Insufficient memory, 1 node(s) had untolerated taint(s), 2 Insufficient cpu. " +
        `${LAST} 0/3 nodes are available: 1 ${HELPLESS}, 2 ${USELESS}.`,
    });
  });

  test("not where its port is taken, nor one pod too many", () => {
    const containers = [
      { name: "c", image: "i", ports: [{ containerPort: 80, hostPort: 80, protocol: "TCP" }] },
    ];
    const cluster = new Cluster(node("n1"), node("n2", { allocatable: { pods: "0" } }));
    expect(cluster.place(pod("one", { containers }))).toBe("n1");
    expect(cluster.decide(pod("two", { containers }))).toEqual({
      message:
        "0/2 nodes are available: 1 Too many pods, 1 node(s) didn't have free ports for the requested pod ports. " +
        `${LAST} 0/2 nodes are available: 2 ${HELPLESS}.`,
    });
  });

  test("not near those that it, or that they, want to be far from", () => {
    const far = {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: HOST, labelSelector: { matchLabels: { app: "db" } } },
        ],
      },
    };
    const cluster = new Cluster(node("n1"), node("n2"));
    const places = ["one", "two"].map((name) => cluster.place(pod(name, { affinity: far }, { app: "db" })));
    expect([...places].sort()).toEqual(["n1", "n2"]);
    expect(cluster.decide(pod("three", { affinity: far }, { app: "web" }))).toMatchObject({
      message: expect.stringContaining("2 node(s) didn't match pod anti-affinity rules"),
    });
    expect(cluster.decide(pod("four", {}, { app: "db" }))).toMatchObject({
      message: expect.stringContaining("2 node(s) didn't satisfy existing pods anti-affinity rules"),
    });
  });

  test("with those that it wants near, the first of them anywhere", () => {
    const near = {
      podAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: ZONE, labelSelector: { matchLabels: { app: "db" } } },
        ],
      },
    };
    const cluster = new Cluster(
      ...["a", "a", "b"].map((zone, index) => node(`n${index}`, { labels: { [ZONE]: zone } })),
    );
    const zones = Array.from({ length: 4 }, (_, index) =>
      cluster.place(pod(`p${index}`, { affinity: near }, { app: "db" })),
    );
    expect(new Set(zones.map((name) => (name === "n2" ? "b" : "a"))).size).toBe(1);
  });

  test("spread over zones as it asks, counting nodes where it could be alone", () => {
    const constraint = {
      maxSkew: 1,
      topologyKey: ZONE,
      whenUnsatisfiable: "DoNotSchedule",
      labelSelector: { matchLabels: { app: "w" } },
    };
    const cluster = new Cluster(
      ...["a", "b", "c"].map((zone) => node(`n-${zone}`, { labels: { [ZONE]: zone } })),
      node("n-d", { labels: { [ZONE]: "d", other: "yes" } }),
    );
    const spec = {
      topologySpreadConstraints: [constraint],
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: "other", operator: "DoesNotExist" }] }],
          },
        },
      },
    };
    const places = Array.from({ length: 6 }, (_, index) =>
      cluster.place(pod(`p${index}`, spec, { app: "w" })),
    );
    expect(places.slice(0, 3).sort()).toEqual(["n-a", "n-b", "n-c"]);
    expect(places.slice(3).sort()).toEqual(["n-a", "n-b", "n-c"]);
  });
});

describe("of the nodes that will do", () => {
  test("the emptier one is taken, and those of one controller are spread over nodes and zones", () => {
    const cluster = new Cluster(node("n1"), node("n2"));
    cluster.state.setPod(pod("big", { nodeName: "n1", requests: { cpu: "1", memory: "2Gi" } }), false);
    expect(cluster.place(pod("p"))).toBe("n2");
    const owned = {
      ownerReferences: [
        { apiVersion: "apps/v1", kind: "ReplicaSet", name: "rs", uid: "rs", controller: true },
      ],
    };
    const zones = new Cluster(
      ...["a", "a", "b", "b"].map((zone, index) => node(`${zone}${index}`, { labels: { [ZONE]: zone } })),
    );
    const places = Array.from({ length: 4 }, (_, index) => zones.place(pod(`o${index}`, {}, {}, owned)));
    expect([...places].sort()).toEqual(["a0", "a1", "b2", "b3"]);
  });

  test("what is preferred is followed", () => {
    const cluster = new Cluster(
      node("n1"),
      node("n2", { labels: { disk: "ssd" } }),
      node("n3", { spec: { taints: [{ key: "k", effect: "PreferNoSchedule" }] } }),
    );
    const prefer = {
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 10,
            preference: { matchExpressions: [{ key: "disk", operator: "In", values: ["ssd"] }] },
          },
        ],
      },
    };
    expect(cluster.place(pod("p", { affinity: prefer }))).toBe("n2");
    expect(Array.from({ length: 4 }, (_, index) => cluster.place(pod(`q${index}`)))).not.toContain("n3");
  });

  test("between equals the uid draws: the same one the same node, others others", () => {
    const nodes = Array.from({ length: 8 }, (_, index) => node(`n${index}`));
    const placed = (uid: string) => new Cluster(...nodes).place(pod("p", {}, {}, { uid }));
    expect(placed("x")).toBe(placed("x"));
    expect(new Set(Array.from({ length: 20 }, (_, index) => placed(`uid-${index}`))).size).toBeGreaterThan(3);
  });
});

test("pods that are gated, going or another scheduler's want no node", () => {
  const { state } = new Cluster(node("n"));
  state.setPod(pod("gated", { schedulingGates: [{ name: "g" }] }), false);
  state.setPod(pod("others", { schedulerName: "mine" }), false);
  state.setPod(pod("going", {}, {}, { deletionTimestamp: "2026-01-01T00:00:00Z" }), false);
  expect([...state.pending.keys()]).toEqual([]);
});

test("a pod that has ended leaves its room to others, and one that was refused, too", () => {
  const cluster = new Cluster(node("n", { allocatable: { cpu: "1" } }));
  const first = pod("first", { requests: { cpu: "1" } });
  expect(cluster.place(first)).toBe("n");
  expect(cluster.decide(pod("next", { requests: { cpu: "1" } }))).toHaveProperty("message");
  cluster.state.setPod(
    { ...first, spec: { ...(first["spec"] as JsonObject), nodeName: "n" }, status: { phase: "Succeeded" } },
    false,
  );
  expect(cluster.decide(pod("next", { requests: { cpu: "1" } }))).toEqual({ node: "n" });
});
