// The controller against a server of its own: its writes, its behavior when requests fail, and the number of its requests.
import { KubeConfig } from "@kubernetes/client-node";
import { type EgretServer, startEgret } from "egret-apiserver/testing";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { COUNT, ConfigMapCounter } from "./configmap-counter.ts";

let server: EgretServer;
let counter: ConfigMapCounter;

beforeAll(async () => {
  // No other controllers run, and the namespace exists before each test.
  server = await startEgret({
    controllers: [],
    objects: { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } },
  });
});
beforeEach(async () => {
  const config = new KubeConfig();
  config.loadFromString(JSON.stringify(server.kubeconfig));
  counter = new ConfigMapCounter(config);
  await counter.start();
});
afterEach(async () => {
  await counter.stop();
  await server.reset();
});
afterAll(() => server?.close());

const createMap = (name: string) =>
  server.client.create({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "shop" } });
const counted = (count: number) =>
  server.waitFor(
    { kind: "v1/Namespace", name: "shop" },
    `has(object.metadata.annotations) && object.metadata.annotations['${COUNT}'] == '${count}'`,
  );

test("counts what comes and goes", async () => {
  await createMap("prices");
  await createMap("colours");
  await counted(2);
  await server.client.delete("v1/ConfigMap", "prices", { namespace: "shop" });
  await counted(1);
});

test("tries again when the server has trouble", async () => {
  // The ConfigMaps of kube-system, which every server has, are counted in their own namespace.
  const patch = { verb: "patch", resource: "namespaces", name: "shop" } as const;
  server.faults.add({ match: patch, count: 2, error: { code: 503 } });
  await createMap("prices");
  await counted(1);
  const patches = server.requests.entries(patch);
  expect(patches.map(({ status }) => status)).toEqual([503, 503, 200]);
});

test("goes on after its watch was cut", async () => {
  server.faults.add({ match: { verb: "watch", resource: "configmaps" }, count: 1, watchEnd: { how: "cut" } });
  await createMap("prices");
  await counted(1);
});
