// Deleted pods on nodes without a kubelet, through the whole server with a frozen clock.
import { afterEach, describe, expect, test } from "vitest";
import { createServer, type Server } from "../../../../src/server/server.ts";
import { MEMORY_SERVER } from "../../../support/memory-server.ts";

const START = "2030-01-02T03:04:05Z";
const START_MS = Date.parse(START);
const NODE = "node-a";
const LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
const PODS = "/api/v1/namespaces/shop/pods";

let server: Server | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function ask(method: string, path: string, body?: unknown) {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const response = await fetch(`${server?.url}${path}`, {
    method,
    headers: { "content-type": type },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

async function start(controllers = "*"): Promise<void> {
  server = await createServer({ ...MEMORY_SERVER, controllers, clock: START });
  await ask("POST", "/api/v1/namespaces", {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "shop" },
  });
  await ask("POST", "/api/v1/nodes", { apiVersion: "v1", kind: "Node", metadata: { name: NODE } });
}

async function addPod(name: string, more: object = {}, metadata: object = {}): Promise<void> {
  const spec = { nodeName: NODE, containers: [{ name: "c", image: "i" }], ...more };
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name, ...metadata }, spec };
  expect((await ask("POST", PODS, pod)).status).toBe(201);
}

const lease = (renewedMs: number, seconds?: number) => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name: NODE, namespace: "kube-node-lease" },
  spec: {
    holderIdentity: NODE,
    renewTime: new Date(renewedMs).toISOString().replace("Z", "000Z"),
    ...(seconds === undefined ? {} : { leaseDurationSeconds: seconds }),
  },
});
const addLease = async (object: object) => {
  const made = await ask("POST", LEASES, object);
  expect([201, 409]).toContain(made.status);
};

const remove = (name: string) => ask("DELETE", `${PODS}/${name}`);
const advance = (seconds: number) => server?.control.clock.advance(seconds * 1000);
const podStatus = async (name: string) => (await ask("GET", `${PODS}/${name}`)).status;

describe("a deleted pod on a node that nobody answers for", () => {
  test("ends when its grace period is over, and not before", async () => {
    await start();
    await addPod("p");
    await addPod("q", { terminationGracePeriodSeconds: 5 });
    for (const name of ["p", "q"]) expect((await remove(name)).status).toBe(200);
    await advance(4);
    expect([await podStatus("p"), await podStatus("q")]).toEqual([200, 200]);
    await advance(2);
    expect([await podStatus("p"), await podStatus("q")]).toEqual([200, 404]);
    await advance(25);
    expect(await podStatus("p")).toBe(404);
  });

  test("holds its namespace no longer than that", async () => {
    await start();
    await addPod("p");
    await ask("DELETE", "/api/v1/namespaces/shop");
    await advance(10);
    expect((await ask("GET", "/api/v1/namespaces/shop")).body.status.phase).toBe("Terminating");
    await advance(60);
    expect((await ask("GET", "/api/v1/namespaces/shop")).status).toBe(404);
  });

  test("goes once its finalizers have gone", async () => {
    await start();
    await addPod("p", {}, { finalizers: ["example.com/hold"] });
    await remove("p");
    await advance(40);
    expect((await ask("GET", `${PODS}/p`)).body.metadata.deletionGracePeriodSeconds).toBe(0);
    await ask("PATCH", `${PODS}/p`, { metadata: { finalizers: null } });
    expect(await podStatus("p")).toBe(404);
  });

  test("one that nobody has deleted stays", async () => {
    await start();
    await addPod("p");
    await advance(3600);
    expect(await podStatus("p")).toBe(200);
  });

  test("stays with the controller switched off, and its namespace too", async () => {
    await start("*,-pod-termination");
    await addPod("p");
    await ask("DELETE", "/api/v1/namespaces/shop");
    await advance(3600);
    expect(await podStatus("p")).toBe(200);
    expect((await ask("GET", "/api/v1/namespaces/shop")).body.status.phase).toBe("Terminating");
  });
});

describe("a node is answered for", () => {
  test("by a Lease, as long as it is renewed", async () => {
    await start();
    await addLease(lease(START_MS + 25_000, 40));
    await addPod("p");
    await remove("p");
    await advance(60);
    expect(await podStatus("p")).toBe(200);
    await ask("PATCH", `${LEASES}/${NODE}`, { spec: lease(START_MS + 60_000).spec });
    await advance(35);
    expect(await podStatus("p")).toBe(200);
    await advance(10);
    expect(await podStatus("p")).toBe(404);
  });

  test("by a Lease that says nothing of its duration for 40 s", async () => {
    await start();
    await addLease(lease(START_MS));
    await addPod("p", { terminationGracePeriodSeconds: 1 });
    await remove("p");
    await advance(39);
    expect(await podStatus("p")).toBe(200);
    await advance(2);
    expect(await podStatus("p")).toBe(404);
  });

  test("no longer by a Lease that is deleted", async () => {
    await start();
    await addLease(lease(START_MS, 3600));
    await addPod("p");
    await remove("p");
    await advance(60);
    expect(await podStatus("p")).toBe(200);
    await ask("DELETE", `${LEASES}/${NODE}`);
    await advance(1);
    expect(await podStatus("p")).toBe(404);
  });

  test("by an agent that the Node names", async () => {
    await start();
    const annotate = (agent: string | null) =>
      ask("PATCH", `/api/v1/nodes/${NODE}`, { metadata: { annotations: { "egret.dev/agent": agent } } });
    await annotate("my-kubelet");
    await addPod("p");
    await remove("p");
    await advance(600);
    expect(await podStatus("p")).toBe(200);
    await annotate("false");
    await advance(1);
    expect(await podStatus("p")).toBe(404);
  });
});
