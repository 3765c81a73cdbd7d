// startEgret() and what the server that it gives can do.
import { access, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { EgretServer } from "../../../src/testing/egret-server.ts";
import { startEgret } from "../../../src/testing/start-egret.ts";
import { httpGet } from "../../support/sockets/raw-http.ts";

const node = (name: string) => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: {
    name,
    labels: { "k8s.ovn.org/egress-assignable": "" },
    annotations: {
      "k8s.ovn.org/node-primary-ifaddr": '{"ipv4":"192.168.126.10/24"}',
      "k8s.ovn.org/host-cidrs": '["192.168.126.10/24"]',
    },
  },
  status: { conditions: [{ type: "Ready", status: "True" }] },
});
const WIDGETS = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { kind: Widget, plural: widgets }
  versions:
    - name: v1
      served: true
      storage: true
      schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } }
---
apiVersion: example.com/v1
kind: Widget
metadata: { name: w }
size: 3
`;

describe("a server", () => {
  let server: EgretServer;
  beforeAll(async () => {
    server = await startEgret({ objects: [WIDGETS, node("given")], controllers: [] });
  });
  afterAll(() => server?.close());

  test("answers over HTTP on the loopback address", async () => {
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await httpGet(`${server.url}/readyz`)).body).toBe("ok");
  });

  test("holds the objects that it was given, also of a kind that came with them", async () => {
    expect((await server.client.get("v1/Node", "given")).status?.conditions).toHaveLength(1);
    expect(await server.client.get("example.com/v1/Widget", "w")).toMatchObject({ size: 3 });
  });

  test("has a kubeconfig as an object, and as a file that goes with the server", async () => {
    expect(server.kubeconfig.clusters[0]?.cluster.server).toBe(server.url);
    const other = await startEgret({ controllers: [] });
    const path = await other.writeKubeconfig();
    expect(parse(await readFile(path, "utf8"))).toEqual(other.kubeconfig);
    await other.close();
    await expect(access(path)).rejects.toThrow("ENOENT");
  });

  test("writes the kubeconfig where it is asked to", async () => {
    const folder = await mkdtemp(join(tmpdir(), "egret-testing-"));
    try {
      const path = join(folder, "deep", "kubeconfig");
      expect(await server.writeKubeconfig(path)).toBe(path);
      expect(parse(await readFile(path, "utf8"))).toEqual(server.kubeconfig);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test("applies YAML and objects in their order, and says what it has made of them", async () => {
    const text = "apiVersion: v1\nkind: Namespace\nmetadata: {name: applied}\n";
    const settings = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "s", namespace: "applied" } };
    const [namespace, map] = await server.apply([text, { ...settings, data: { a: "1" } }]);
    expect(namespace?.metadata.uid).not.toBe("");
    expect(map).toMatchObject({ kind: "ConfigMap", data: { a: "1" } });
    await server.apply({ ...settings, data: { a: "2" } });
    expect(await server.client.get("v1/ConfigMap", "s", { namespace: "applied" })).toMatchObject({
      data: { a: "2" },
    });
  });

  test("applies objects of a kind that comes with them", async () => {
    const gadgets = WIDGETS.replaceAll("idget", "adget").replaceAll("W", "G").replaceAll("wadget", "gadget");
    const [, made] = await server.apply(gadgets);
    expect(made).toMatchObject({ kind: "Gadget", size: 3 });
  });

  test.each([
    ["text that is no YAML", "a: [", /apply\(\)/],
    ["what is no object", [{ apiVersion: "v1", kind: "ConfigMap" }], /apply\(\) holds something/],
    [
      "a kind that is not served",
      { apiVersion: "a/v1", kind: "B", metadata: { name: "x" } },
      /no kind B of a\/v1/,
    ],
  ])("refuses to apply %s", async (_what, objects, message) => {
    await expect(server.apply(objects)).rejects.toThrow(message);
  });

  test("goes back to its start: what came goes, what changed is as it was", async () => {
    const { metadata } = await server.client.get("v1/Node", "given");
    await server.apply("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: later}\n");
    await server.client.delete("v1/Node", "given");
    await server.reset();
    expect((await server.client.get("v1/Node", "given")).metadata.uid).toBe(metadata.uid);
    expect(await server.client.find("v1/ConfigMap", "later")).toBeUndefined();
    await server.reset({ to: "empty" });
    expect(await server.client.find("v1/Node", "given")).toBeUndefined();
    await server.reset();
  });

  test("goes back to a snapshot, as often as wanted", async () => {
    await server.apply("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: kept}\ndata: {a: '1'}\n");
    const snapshot = server.snapshot();
    for (const data of [{ a: "2" }, { a: "3" }]) {
      await server.client.patch("v1/ConfigMap", "kept", { data });
      await server.restore(snapshot);
      expect((await server.client.get("v1/ConfigMap", "kept")).data).toEqual({ a: "1" });
    }
  });

  test("waits for a condition and gives copies of what it saw", async () => {
    const query = { kind: "v1/ConfigMap", name: "awaited" } as const;
    const waited = server.waitFor(query, "object != null && object.data.a == '1'");
    await server.apply("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: awaited}\ndata: {a: '1'}\n");
    const found = await waited;
    if (found) found.metadata.labels = { mine: "yes" };
    expect((await server.client.get("v1/ConfigMap", "awaited")).metadata.labels).toBeUndefined();
    const { maps, nodes } = await server.waitFor(
      { maps: { kind: "v1/ConfigMap", fieldSelector: "metadata.name=awaited" }, nodes: { kind: "v1/Node" } },
      "maps.size() == 1",
    );
    expect([maps.length, nodes.length]).toEqual([1, 1]);
    await expect(server.waitFor(query, "object == null", { timeout: 20 })).rejects.toThrow(
      /not so within 20 ms: object == null/,
    );
  });
});

test("faults meet who comes over HTTP, the log tells who it was, and reset() brings both back", async () => {
  const fault = { match: { resource: "nodes" }, count: 1, error: { code: 503 } };
  await using server = await startEgret({ controllers: [], faults: [fault] });
  const path = `${server.url}/api/v1/nodes`;
  expect((await server.client.list("v1/Node")).items).toEqual([]);
  expect([(await httpGet(path)).status, (await httpGet(path, { "user-agent": "mine" })).status]).toEqual([
    503, 200,
  ]);
  const logged = server.requests.entries({ resource: "nodes" });
  expect(logged.map(({ verb, status, userAgent }) => [verb, status, userAgent])).toEqual([
    ["list", 503, ""],
    ["list", 200, "mine"],
  ]);
  await server.reset();
  expect(server.requests.entries()).toEqual([]);
  expect((await httpGet(path)).status).toBe(503);
});

test("history tells who changed what", async () => {
  await using server = await startEgret({ controllers: [] });
  const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "m" } };
  await server.apply({ ...map, data: { a: "1" } });
  await server.client.as("ann").patch("v1/ConfigMap", "m", { data: { a: "2" } });
  const { revisions } = await server.history.of({ resource: "configmaps", name: "m" });
  expect(revisions.map(({ type, by }) => [type, by.map(({ manager }) => manager)])).toEqual([
    ["ADDED", ["test"]],
    ["MODIFIED", ["ann"]],
  ]);
});

test("controllers are those that are named", async () => {
  await using server = await startEgret({ controllers: ["egressip"], objects: [node("a")] });
  await server.client.create({
    apiVersion: "k8s.ovn.org/v1",
    kind: "EgressIP",
    metadata: { name: "web" },
    spec: { egressIPs: ["192.168.126.101"], namespaceSelector: {} },
  });
  const eip = await server.waitFor(
    { kind: "k8s.ovn.org/v1/EgressIP", name: "web" },
    "has(object.status) && object.status.items.size() == 1",
  );
  expect(eip?.status?.items).toEqual([{ egressIP: "192.168.126.101", node: "a" }]);
});

const customGroups = async (server: EgretServer): Promise<string[]> => {
  const { body } = await httpGet(`${server.url}/apis`);
  const { groups } = JSON.parse(body) as { groups: { name: string }[] };
  return groups.map(({ name }) => name).filter((name) => /\.(ovn\.org|openshift\.io|cncf\.io)$/.test(name));
};
const namesOf = async (server: EgretServer, kind: string): Promise<(string | undefined)[]> =>
  (await server.client.list(kind)).items.map(({ metadata }) => metadata?.name);
const CRDS = "apiextensions.k8s.io/v1/CustomResourceDefinition";

describe("kinds", () => {
  test("none of the shipped ones are installed with none, and reset() keeps it so", async () => {
    await using server = await startEgret({ kinds: "none", objects: WIDGETS });
    expect(await namesOf(server, CRDS)).toEqual(["widgets.example.com"]);
    expect(await customGroups(server)).toEqual([]);
    expect(await namesOf(server, "apiregistration.k8s.io/v1/APIService")).not.toContain("v1.k8s.ovn.org");
    await server.reset();
    expect(await namesOf(server, CRDS)).toEqual(["widgets.example.com"]);
  });

  test("a list installs these, and the controllers of them run", async () => {
    await using server = await startEgret({
      kinds: ["egressips", "whereabouts.cni.cncf.io"],
      objects: [node("a")],
    });
    expect(await customGroups(server)).toEqual(["k8s.ovn.org", "whereabouts.cni.cncf.io"]);
    expect(await namesOf(server, CRDS)).toHaveLength(4);
    await server.client.create({
      apiVersion: "k8s.ovn.org/v1",
      kind: "EgressIP",
      metadata: { name: "web" },
      spec: { egressIPs: ["192.168.126.101"], namespaceSelector: {} },
    });
    await server.waitFor(
      { kind: "k8s.ovn.org/v1/EgressIP", name: "web" },
      "has(object.status) && object.status.items.size() == 1",
    );
  });

  test("left out, all are installed", async () => {
    await using server = await startEgret({ controllers: [] });
    expect(await namesOf(server, CRDS)).toHaveLength(21);
  });
});

test("with a frozen clock and a seed two servers make the same objects", async () => {
  const make = async () => {
    await using server = await startEgret({ controllers: [], clock: new Date(0), seed: 7 });
    return await server.client.create({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { generateName: "g-" },
    });
  };
  const [first, second] = [await make(), await make()];
  expect(second).toEqual(first);
  expect(first.metadata.creationTimestamp).toBe("1970-01-01T00:00:00Z");
});

test("a folder is kept, and the next server goes on from it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "egret-testing-"));
  try {
    const storage = { folder: join(folder, "data") };
    const first = await startEgret({ controllers: [], storage });
    await first.apply("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: kept}\n");
    await first.close();
    await using second = await startEgret({ controllers: [], storage });
    expect(await second.client.find("v1/ConfigMap", "kept")).toBeDefined();
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("closing twice is closing once", async () => {
  const server = await startEgret({ controllers: [] });
  await Promise.all([server.close(), server.close()]);
  await expect(httpGet(`${server.url}/readyz`)).rejects.toThrow("ECONNREFUSED");
});

test.each<[what: string, options: object, message: RegExp]>([
  [
    "an option that there is not",
    { objekts: [] },
    /no option objekts; did you mean objects\? There are objects, controllers, kinds/,
  ],
  [
    "a controller that there is not",
    { controllers: ["egresip"] },
    /controllers has to be known, and "egresip"/,
  ],
  ["controllers as a text", { controllers: "*" }, /a list of names/],
  ["a kind that is not shipped", { kinds: ["widgets"] }, /kinds has to be known; --kinds: "widgets" must be/],
  ["kinds as another text", { kinds: "some" }, /kinds has to be "all", "none" or a list/],
  ["a clock that is no time", { clock: 5 }, /clock has to be/],
  ["a text that is no time", { clock: "noon" }, /noon/],
  ["a fault that does nothing", { faults: [{}] }, /a fault does one of/],
  ["a storage that is neither", { storage: "disk" }, /storage has to be "memory" or/],
  ["no retention", { retain: "sometimes" }, /sometimes/],
  ["objects that are none", { objects: [{ kind: "ConfigMap" }] }, /no Kubernetes object/],
  ["objects that the server refuses", { objects: [{ ...node("A_B") }] }, /A_B/],
])("refused is %s", async (_what, options, message) => {
  await expect(startEgret(options)).rejects.toThrow(message);
});
