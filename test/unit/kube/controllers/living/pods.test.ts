import { beforeEach, describe, expect, test } from "vitest";
import { objectAt, objectsAt } from "../../../../../src/apimachinery/json/json.ts";
import type { KubeObject } from "../../../../../src/apimachinery/meta/object-meta.ts";
import { conditionsOf, LivingWorld, PODS, statusOf } from "./support.ts";

let world: LivingWorld;
beforeEach(async () => {
  world = await LivingWorld.open();
  await world.addNode("n1", 11);
});

const phaseOf = async (name: string) => statusOf(await world.pod(name))["phase"];
const container = (pod: KubeObject | undefined) => objectsAt(statusOf(pod), "containerStatuses")[0];
const script = (annotations: Record<string, string>) => ({
  annotations: Object.fromEntries(
    Object.entries(annotations).map(([key, value]) => [`egret.dev/${key}`, value]),
  ),
});

describe("a pod that has a node", () => {
  test("gets addresses of its node's part, starts after a second and is ready", async () => {
    await world.addPod("web");
    expect(await phaseOf("web")).toBe("Pending");
    expect(objectAt(container(await world.pod("web")), "state")).toEqual({
      waiting: { reason: "ContainerCreating" },
    });
    await world.pass(1);
    const pod = await world.pod("web");
    expect(conditionsOf(pod)).toEqual([
      "PodReadyToStartContainers=True",
      "Initialized=True",
      "Ready=True",
      "ContainersReady=True",
      "PodScheduled=True",
    ]);
    expect(statusOf(pod)).toMatchObject({
      phase: "Running",
      hostIPs: [{ ip: "192.168.126.11" }, { ip: "fd00:126::11" }],
      podIP: "10.128.0.3",
      podIPs: [{ ip: "10.128.0.3" }, { ip: "fd01:0:0:1::3" }],
    });
    const networks = JSON.parse(pod?.metadata.annotations?.["k8s.ovn.org/pod-networks"] ?? "");
    expect(networks.default).toMatchObject({
      ip_addresses: ["10.128.0.3/23", "fd01:0:0:1::3/64"],
      mac_address: "0a:58:0a:80:00:03",
      gateway_ips: ["10.128.0.1", "fd01:0:0:1::1"],
      role: "primary",
    });
    expect(networks.default.routes[0]).toEqual({ dest: "10.128.0.0/14", nextHop: "10.128.0.1" });
    expect(await world.said("web")).toEqual(
      expect.arrayContaining(["Scheduled Successfully assigned a/web to n1", "Started Container started"]),
    );
  });

  test("on the host's network has the addresses of the node", async () => {
    await world.addPod("agent", { hostNetwork: true });
    await world.pass(1);
    const pod = await world.pod("agent");
    expect(statusOf(pod)["podIPs"]).toEqual([{ ip: "192.168.126.11" }, { ip: "fd00:126::11" }]);
    expect(pod?.metadata.annotations).toBeUndefined();
  });

  test("waits for its network, and says so", async () => {
    await world.annotate("n1", { "k8s.ovn.org/node-subnets": "{" });
    await world.addPod("web");
    await world.pass(5);
    expect(await phaseOf("web")).toBe("Pending");
    expect((await world.said("web")).join()).toContain(
      "ErrorAddingResource addLogicalPort failed for a/web: ",
    );
    await world.annotate("n1", { "k8s.ovn.org/node-subnets": '{"default":["10.128.4.0/23"]}' });
    await world.pass(1);
    expect(statusOf(await world.pod("web"))["podIP"]).toBe("10.128.4.3");
  });

  test("ends within its grace when it is deleted, and its address is free", async () => {
    await world.addPod("web");
    await world.pass(1);
    await world.api.client.delete(PODS, { namespace: "a", name: "web" });
    await world.api.settled();
    expect((await world.pod("web"))?.metadata.deletionGracePeriodSeconds).toBe(30);
    await world.pass(1);
    expect(await world.pod("web")).toBeUndefined();
  });

  test("that does not stop by itself is killed when its grace is over", async () => {
    await world.addPod("web", {}, script({ "stop-delay": "1h" }));
    await world.pass(1);
    await world.api.client.delete(PODS, { namespace: "a", name: "web" });
    await world.pass(29);
    expect(await world.pod("web")).toBeDefined();
    await world.pass(1);
    expect(await world.pod("web")).toBeUndefined();
  });
});

describe("by its script a pod", () => {
  test("crashes, and is started again after pauses that grow", async () => {
    await world.addPod("web", {}, script({ outcome: "crash", "exit-code": "3" }));
    const restarts = async () => container(await world.pod("web"))?.["restartCount"];
    await world.pass(2);
    expect(await restarts()).toBe(1);
    await world.pass(1);
    const pod = await world.pod("web");
    expect(container(pod)).toMatchObject({
      ready: false,
      state: {
        waiting: {
          reason: "CrashLoopBackOff",
          message: expect.stringContaining("back-off 10s restarting failed container=web pod=web_a("),
        },
      },
      lastState: { terminated: { exitCode: 3, reason: "Error" } },
    });
    await world.pass(9);
    expect(await restarts()).toBe(1);
    await world.pass(1);
    expect(await restarts()).toBe(2);
    await world.pass(20);
    expect(await restarts()).toBe(2);
    await world.pass(1);
    expect(await restarts()).toBe(3);
    expect((await world.said("web")).join()).toContain(
      "BackOff Back-off restarting failed container web in pod web_a(",
    );
  });

  test("is never ready, or later", async () => {
    await world.addPod("never", {}, script({ outcome: "never-ready" }));
    await world.addPod("later", {}, script({ "start-delay": "5s", "ready-delay": "10s" }));
    await world.pass(14);
    for (const name of ["never", "later"])
      expect(conditionsOf(await world.pod(name))).toContain("Ready=False");
    await world.pass(1);
    expect(conditionsOf(await world.pod("later"))).toContain("Ready=True");
    await world.pass(600);
    expect(container(await world.pod("never"))).toMatchObject({ ready: false, started: true });
  });

  test("does not get its image", async () => {
    await world.addPod("web", {}, script({ outcome: "image-error" }));
    await world.pass(3);
    expect(container(await world.pod("web"))).toMatchObject({
      state: { waiting: { reason: "ImagePullBackOff" } },
    });
    expect(await phaseOf("web")).toBe("Pending");
  });

  test("runs for a while and ends as it says", async () => {
    await world.addPod("well", { restartPolicy: "Never" }, script({ "run-for": "3s" }));
    await world.addPod("badly", { restartPolicy: "Never" }, script({ "run-for": "3s", "exit-code": "7" }));
    await world.pass(4);
    expect([await phaseOf("well"), await phaseOf("badly")]).toEqual(["Succeeded", "Failed"]);
    expect(container(await world.pod("badly"))).toMatchObject({ state: { terminated: { exitCode: 7 } } });
    expect(conditionsOf(await world.pod("well"))).toContain("Ready=False");
  });

  test("is over when its time is up", async () => {
    await world.addPod("web", { activeDeadlineSeconds: 5, restartPolicy: "Never" });
    await world.pass(6);
    expect(statusOf(await world.pod("web"))).toMatchObject({ phase: "Failed", reason: "DeadlineExceeded" });
  });
});

test("pods of a Job do their work; those that nobody owns run on", async () => {
  const owner = { apiVersion: "batch/v1", kind: "Job", name: "j", uid: "u", controller: true };
  await world.addPod("work", { restartPolicy: "OnFailure" }, { ownerReferences: [owner] });
  await world.addPod("alone", { restartPolicy: "OnFailure" });
  await world.pass(3);
  expect([await phaseOf("work"), await phaseOf("alone")]).toEqual(["Succeeded", "Running"]);
});

test("containers of the start run one after the other, and those that stay go on", async () => {
  const initContainers = [
    { name: "first", image: "busybox" },
    { name: "side", image: "envoy", restartPolicy: "Always" },
    { name: "second", image: "busybox" },
  ];
  await world.addPod("web", { initContainers });
  await world.pass(1);
  expect(conditionsOf(await world.pod("web"))).toContain("Initialized=False");
  await world.pass(1);
  const statuses = objectsAt(statusOf(await world.pod("web")), "initContainerStatuses");
  expect(statuses.map((status) => Object.keys(objectAt(status, "state") ?? {})[0])).toEqual([
    "terminated",
    "running",
    "running",
  ]);
  await world.pass(1);
  expect(conditionsOf(await world.pod("web"))).toContain("Initialized=True");
  expect(await phaseOf("web")).toBe("Running");
});

test("a pod is ready when its gates recordEvent so, too", async () => {
  await world.addPod("web", { readinessGates: [{ conditionType: "example.com/lb" }] });
  await world.pass(1);
  const ready = objectsAt(statusOf(await world.pod("web")), "conditions").find(
    ({ type }) => type === "Ready",
  );
  expect(ready).toMatchObject({
    status: "False",
    reason: "ReadinessGatesNotReady",
    message: 'corresponding condition of pod readiness gate "example.com/lb" does not exist.',
  });
  const body = { status: { conditions: [{ type: "example.com/lb", status: "True" }] } };
  await world.api.client.patch(
    PODS,
    { namespace: "a", name: "web" },
    { type: "strategic", subresource: "status", body },
  );
  await world.api.settled();
  expect(conditionsOf(await world.pod("web"))).toContain("Ready=True");
});

test("a restart changes nothing", async () => {
  await world.addPod("web");
  await world.addPod("crash", {}, script({ outcome: "crash" }));
  await world.pass(4);
  const before = [await world.pod("web"), await world.pod("crash"), await world.node("n1")];
  await world.api.stop();
  await world.api.start();
  await world.api.settled();
  expect([await world.pod("web"), await world.pod("crash"), await world.node("n1")]).toEqual(before);
  await world.addPod("more");
  await world.pass(1);
  expect(statusOf(await world.pod("more"))["podIP"]).toBe("10.128.0.5");
});

test("a pod that finds no node is told why, and gets one when there is room", async () => {
  const containers = [{ name: "web", image: "nginx", resources: { requests: { cpu: "5" } } }];
  await world.addPod("one", { containers });
  await world.addPod("two", { containers });
  const message =
    "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available: " +
    "1 No preemption victims found for incoming pod.";
  expect(objectsAt(statusOf(await world.pod("two")), "conditions")[0]).toMatchObject({
    type: "PodScheduled",
    status: "False",
    reason: "Unschedulable",
    message,
  });
  expect(await world.said("two")).toEqual([`FailedScheduling ${message}`]);
  await world.addNode("n2", 12);
  await world.pass(2);
  expect((await world.pod("two"))?.["spec"]).toMatchObject({ nodeName: "n2" });
});

test("of pods that wait the one of the highest priority comes first", async () => {
  const containers = [{ name: "web", image: "nginx", resources: { requests: { cpu: "8" } } }];
  await world.addPod("first", { containers, priority: 1000 });
  await world.addPod("low", { containers, priority: 1 });
  await world.addPod("high", { containers, priority: 100 });
  await world.api.client.delete(PODS, { namespace: "a", name: "first" });
  await world.pass(12);
  expect((await world.pod("high"))?.["spec"]).toMatchObject({ nodeName: "n1" });
  expect((await world.pod("low"))?.["spec"]).not.toHaveProperty("nodeName");
});

test("a pod of higher priority gets the place of others, which are told why they go", async () => {
  const containers = [{ name: "web", image: "nginx", resources: { requests: { cpu: "4" } } }];
  await world.addPod("low", { containers, priority: 1 });
  await world.addPod("middle", { containers, priority: 2 });
  await world.pass(3);
  await world.addPod("high", { containers, priority: 100 });
  const { uid } = (await world.pod("high"))?.metadata ?? {};
  expect(statusOf(await world.pod("high"))["nominatedNodeName"]).toBe("n1");
  expect(await world.said("high")).toEqual(["FailedScheduling 0/1 nodes are available: 1 Insufficient cpu."]);
  const low = await world.pod("low");
  expect(objectsAt(statusOf(low), "conditions")).toContainEqual(
    expect.objectContaining({
      ...{ type: "DisruptionTarget", status: "True", reason: "PreemptionByScheduler" },
      message: "default-scheduler: preempting to accommodate a higher priority pod",
    }),
  );
  expect(await world.said("low")).toContain(`Preempted Preempted by pod ${uid} on node n1`);
  await world.addPod("late", { containers, priority: 50, preemptionPolicy: "Never" });
  await world.pass(5);
  expect(await world.pod("low")).toBeUndefined();
  expect((await world.pod("middle"))?.["spec"]).toMatchObject({ nodeName: "n1" });
  expect((await world.pod("high"))?.["spec"]).toMatchObject({ nodeName: "n1" });
  expect(statusOf(await world.pod("high"))).not.toHaveProperty("nominatedNodeName");
  expect((await world.pod("late"))?.["spec"]).not.toHaveProperty("nodeName");
});
