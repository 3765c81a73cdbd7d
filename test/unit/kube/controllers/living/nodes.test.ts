import { beforeEach, describe, expect, test } from "vitest";
import { objectAt, objectsAt } from "../../../../../src/apimachinery/json/json.ts";
import { conditionsOf, LEASES, LivingWorld, statusOf, taintsOf } from "./support.ts";

let world: LivingWorld;
beforeEach(async () => {
  world = await LivingWorld.open();
});

const renewed = async (name: string): Promise<unknown> => {
  const lease = await world.api.get(LEASES, { namespace: "kube-node-lease", name });
  return objectAt(lease, "spec")?.["renewTime"];
};

describe("a node", () => {
  test("reports as its kubelet does: a Lease, conditions, what it has; then pods may come", async () => {
    await world.addNode("n1", 11);
    const node = await world.node("n1");
    expect(conditionsOf(node)).toEqual([
      "MemoryPressure=False",
      "DiskPressure=False",
      "PIDPressure=False",
      "Ready=True",
    ]);
    expect(taintsOf(node)).toEqual([]);
    expect(objectsAt(statusOf(node), "addresses")).toEqual([
      { type: "InternalIP", address: "192.168.126.11" },
      { type: "InternalIP", address: "fd00:126::11" },
      { type: "Hostname", address: "n1" },
    ]);
    expect(statusOf(node)["allocatable"]).toMatchObject({ cpu: "8", memory: "32Gi", pods: "110" });
    expect(await renewed("n1")).toBe("2026-01-01T00:00:00.000000Z");
    expect(await world.said("n1")).toContain("NodeReady Node n1 status is now: NodeReady");
  });

  test("renews its Lease every ten seconds, and says every five minutes that nothing is new", async () => {
    await world.addNode("n1", 11);
    const heartbeat = async () =>
      objectsAt(statusOf(await world.node("n1")), "conditions")[0]?.["lastHeartbeatTime"];
    await world.pass(60);
    expect(await renewed("n1")).toBe("2026-01-01T00:01:00.000000Z");
    expect(await heartbeat()).toBe("2026-01-01T00:00:00Z");
    await world.pass(245);
    expect(await heartbeat()).toBe("2026-01-01T00:05:00Z");
  });

  test("says what it is short of, and why it is not ready, and has the taints for that", async () => {
    await world.addNode("n1", 11);
    await world.annotate("n1", {
      "egret.dev/pressure": "memory",
      "egret.dev/not-ready": "container runtime is down",
    });
    const node = await world.node("n1");
    expect(objectsAt(statusOf(node), "conditions")).toMatchObject([
      { status: "True", reason: "KubeletHasInsufficientMemory" },
      { status: "False", reason: "KubeletHasNoDiskPressure" },
      { status: "False", reason: "KubeletHasSufficientPID" },
      { status: "False", reason: "KubeletNotReady", message: "container runtime is down" },
    ]);
    expect(taintsOf(node)).toEqual([
      "node.kubernetes.io/memory-pressure:NoSchedule",
      "node.kubernetes.io/not-ready:NoSchedule",
    ]);
  });

  test("that somebody else runs is left to him", async () => {
    await world.api.create(
      { group: "", version: "v1", resource: "nodes" },
      { name: "n1", annotations: { "egret.dev/agent": "kubelet" } },
    );
    await world.pass(1);
    expect(await renewed("n1")).toBeUndefined();
    expect(taintsOf(await world.node("n1"))).toEqual(["node.kubernetes.io/not-ready:NoSchedule"]);
  });
});

/** The tolerations that defaulting adds to a pod without its own. */
const TOLERATIONS = ["not-ready", "unreachable"].map((state) => ({
  key: `node.kubernetes.io/${state}`,
  operator: "Exists",
  effect: "NoExecute",
  tolerationSeconds: 300,
}));

describe("a node that fails", () => {
  beforeEach(async () => {
    for (const [index, name] of ["n1", "n2", "n3"].entries()) await world.addNode(name, 11 + index);
    await world.addPod("web", { nodeName: "n1", tolerations: TOLERATIONS });
    await world.pass(2);
    await world.annotate("n1", { "egret.dev/failed": "true" });
  });

  test("is Unknown after the grace period, and tainted; its pods are not ready", async () => {
    await world.pass(45);
    expect(conditionsOf(await world.node("n1"))).toContain("Ready=True");
    await world.pass(15);
    const node = await world.node("n1");
    expect(conditionsOf(node)).toContain("Ready=Unknown");
    expect(objectsAt(statusOf(node), "conditions")[3]).toMatchObject({
      reason: "NodeStatusUnknown",
      message: "Kubelet stopped posting node status.",
    });
    expect(taintsOf(node)).toEqual([
      "node.kubernetes.io/unreachable:NoSchedule",
      "node.kubernetes.io/unreachable:NoExecute",
    ]);
    expect(conditionsOf(await world.pod("web"))).toContain("Ready=False");
    expect(await world.said("n1")).toContain("NodeNotReady Node n1 status is now: NodeNotReady");
    expect(await world.said("web")).toContain("NodeNotReady Node is not ready");
  });

  test("loses its pods when they tolerate it no longer; they end when it is back", async () => {
    await world.pass(340);
    expect((await world.pod("web"))?.metadata.deletionTimestamp).toBeUndefined();
    await world.pass(30, 5);
    const pod = await world.pod("web");
    expect(pod?.metadata.deletionTimestamp).toBeDefined();
    expect(conditionsOf(pod)).toContain("DisruptionTarget=True");
    expect(await world.said("web")).toContain("TaintManagerEviction Marking for deletion Pod a/web");
    await world.pass(600);
    expect(await world.pod("web")).toBeDefined();
    await world.annotate("n1", { "egret.dev/failed": null });
    await world.pass(1);
    expect(conditionsOf(await world.node("n1"))).toContain("Ready=True");
    expect(taintsOf(await world.node("n1"))).toEqual([]);
    expect(await world.pod("web")).toBeUndefined();
  });

  test("and is back in time keeps its pods, and they are ready again", async () => {
    await world.pass(100);
    await world.annotate("n1", { "egret.dev/failed": null });
    await world.pass(400);
    expect((await world.pod("web"))?.metadata.deletionTimestamp).toBeUndefined();
    expect(conditionsOf(await world.pod("web"))).toContain("Ready=True");
    expect(await world.said("web")).toContain("TaintManagerEviction Cancelling deletion of Pod a/web");
  });

  test("with a restart in between does not forget since when", async () => {
    await world.pass(200);
    expect((await world.pod("web"))?.metadata.deletionTimestamp).toBeUndefined();
    await world.api.stop();
    await world.api.start();
    await world.pass(165);
    expect((await world.pod("web"))?.metadata.deletionTimestamp).toBeDefined();
  });

  test("empties those at once that do not tolerate it", async () => {
    await world.addPod("eager", { nodeName: "n1" });
    await world.pass(65);
    expect((await world.pod("eager"))?.metadata.deletionTimestamp).toBeDefined();
    expect((await world.pod("web"))?.metadata.deletionTimestamp).toBeUndefined();
  });

  test("with all others empties nobody: the cluster is more likely cut off than dead", async () => {
    for (const name of ["n2", "n3"]) await world.annotate(name, { "egret.dev/failed": "true" });
    await world.pass(400);
    expect(taintsOf(await world.node("n1"))).toEqual(["node.kubernetes.io/unreachable:NoSchedule"]);
    expect((await world.pod("web"))?.metadata.deletionTimestamp).toBeUndefined();
  });

  test("and is deleted takes its pods with it after a while", async () => {
    await world.api.client.delete(
      { group: "", version: "v1", resource: "nodes" },
      { namespace: "", name: "n1" },
    );
    await world.pass(39);
    expect(await world.pod("web")).toBeDefined();
    await world.pass(2);
    expect(await world.pod("web")).toBeUndefined();
  });
});
