// The client of tests: objects of known and of other kinds, in namespaces and outside, and watches.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { TestClient } from "../../../src/testing/client.ts";
import type { EgretServer } from "../../../src/testing/egret-server.ts";
import { type StatusError, startEgret } from "../../../src/testing/start-egret.ts";

let server: EgretServer;
let client: TestClient;
beforeAll(async () => {
  server = await startEgret({ controllers: [] });
  client = server.client;
});
afterEach(() => server.reset());
afterAll(() => server?.close());

const settings = (name: string, data: Record<string, string> = {}) => ({
  apiVersion: "v1" as const,
  kind: "ConfigMap" as const,
  metadata: { name, labels: { app: name } },
  data,
});

/** Every server has this ConfigMap in kube-system. */
const TRACKING = "kube-apiserver-legacy-service-account-token-tracking";

describe("a mistake in an object", () => {
  const egressIp = (spec: object) => ({
    apiVersion: "k8s.ovn.org/v1" as const,
    kind: "EgressIP" as const,
    metadata: { name: "web" },
    spec: { egressIPs: ["10.0.0.1"], namespaceSelector: {}, ...spec },
  });
  const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
  const EGRESS_IPS = "/apis/k8s.ovn.org/v1/egressips";

  /** The error that the server returns to a client in another process with fieldValidation=Strict. */
  async function refusalOverHttp(method: string, path: string, object: object, type = "application/json") {
    const headers = { "content-type": type };
    const init = { method, headers, body: JSON.stringify(object) };
    const answer = await fetch(`${server.url}${path}?fieldValidation=Strict`, init);
    const { code, reason, message } = (await answer.json()) as StatusError["status"]; // all that is sent is wrong
    return { code, reason, message };
  }

  test.each<[what: string, path: string, object: object, message: RegExp]>([
    ["a typo", CONFIG_MAPS, { ...settings("a"), dta: {} }, /unknown field "dta"$/],
    ["a typo in a custom kind", EGRESS_IPS, egressIp({ egressIps: [] }), /unknown field "spec\.egressIps"$/],
    [
      "several typos",
      EGRESS_IPS,
      egressIp({ a: 1, b: 1 }),
      /unknown field "spec\.a", unknown field "spec\.b"$/,
    ],
    [
      "a wrong type",
      CONFIG_MAPS,
      { ...settings("a"), data: { x: 1 } },
      /cannot unmarshal number into Go struct/,
    ],
  ])("is refused as over HTTP: %s", async (_what, path, object, message) => {
    const expected = await refusalOverHttp("POST", path, object);
    expect(expected).toMatchObject({ code: 400, message: expect.stringMatching(message) });
    await expect(client.create(object as never)).rejects.toMatchObject(expected);
  });

  test("is refused in a change too", async () => {
    await client.create(settings("a"));
    const typo = { ...settings("a"), dta: {} };
    const ofPut = await refusalOverHttp("PUT", `${CONFIG_MAPS}/a`, typo);
    expect(ofPut).toMatchObject({ code: 400, message: expect.stringMatching(/unknown field "dta"$/) });
    await expect(client.update(typo)).rejects.toMatchObject(ofPut);
    const type = "application/merge-patch+json";
    const ofPatch = await refusalOverHttp("PATCH", `${CONFIG_MAPS}/a`, { dta: {} }, type);
    expect(ofPatch).toMatchObject({ code: 422, message: expect.stringContaining('unknown field "dta"') });
    await expect(client.patch("v1/ConfigMap", "a", { dta: {} })).rejects.toMatchObject(ofPatch);
    await expect(client.apply(typo)).rejects.toMatchObject({
      code: 500,
      message: expect.stringMatching(/\.dta: field not declared in schema$/),
    });
    expect(await client.get("v1/ConfigMap", "a")).not.toHaveProperty("dta");
  });
});

describe("objects", () => {
  test("are created, read, replaced and deleted", async () => {
    const made = await client.create(settings("a", { x: "1" }));
    expect(made.metadata).toMatchObject({ name: "a", namespace: "default", uid: expect.any(String) });
    expect(await client.get("v1/ConfigMap", "a")).toEqual(made);
    made.data = { x: "2" };
    const replaced = await client.update(made);
    expect(replaced.data).toEqual({ x: "2" });
    await expect(client.update(made)).rejects.toMatchObject({ code: 409, reason: "Conflict" });
    await client.delete("v1/ConfigMap", "a", { uid: replaced.metadata.uid });
    await expect(client.get("v1/ConfigMap", "a")).rejects.toMatchObject({ code: 404, reason: "NotFound" });
    expect(await client.find("v1/ConfigMap", "a")).toBeUndefined();
  });

  test("are copies: to change one changes nobody else's", async () => {
    const made = await client.create(settings("own"));
    made.metadata.labels = {};
    const read = await client.get("v1/ConfigMap", "own");
    expect(read.metadata.labels).toEqual({ app: "own" });
  });

  test("are listed by namespace, labels and fields", async () => {
    await client.create(settings("a"));
    await client.create(settings("b"));
    const names = async (selecting: object) =>
      (await client.list("v1/ConfigMap", selecting)).items.map(({ metadata }) => metadata.name);
    expect(await names({})).toEqual(["a", "b", TRACKING]);
    expect(await names({ namespace: "default" })).toEqual(["a", "b"]);
    expect(await names({ labelSelector: "app=b" })).toEqual(["b"]);
    expect(await names({ fieldSelector: "metadata.name=a" })).toEqual(["a"]);
    expect(await names({ namespace: "kube-system" })).toEqual([TRACKING]);
    await expect(names({ fieldSelector: "data.x=1" })).rejects.toMatchObject({ code: 400 });
  });

  test("are patched in all ways", async () => {
    const service = {
      apiVersion: "v1" as const,
      kind: "Service" as const,
      metadata: { name: "web" },
      spec: { ports: [{ name: "web", port: 80 }] },
    };
    await client.create(service);
    const ports = async (patch: unknown, type: "json" | "merge" | "strategic") =>
      (await client.patch("v1/Service", "web", patch, { type })).spec?.ports?.map(({ port }) => port);
    expect(await ports({ spec: { ports: [{ port: 443, name: "tls" }] } }, "strategic")).toEqual([443, 80]);
    expect(await ports({ spec: { ports: [{ port: 81, name: "web" }] } }, "merge")).toEqual([81]);
    expect(await ports([{ op: "replace", path: "/spec/ports/0/port", value: 82 }], "json")).toEqual([82]);
  });

  test("are applied, and owners are asked unless told otherwise", async () => {
    await client.apply(settings("applied", { x: "1" }));
    const other = client.as("other");
    await expect(other.apply(settings("applied", { x: "2" }), { force: false })).rejects.toMatchObject({
      code: 409,
    });
    const applied = await other.apply(settings("applied", { x: "2" }));
    expect(applied.data).toEqual({ x: "2" });
    expect(applied.metadata.managedFields?.map(({ manager }) => manager)).toContain("other");
  });

  test("have their status written apart", async () => {
    const made = await client.create({
      apiVersion: "k8s.ovn.org/v1",
      kind: "EgressFirewall",
      metadata: { name: "default" },
      spec: { egress: [{ type: "Deny", to: { cidrSelector: "0.0.0.0/0" } }] },
    });
    const status = { status: "applied" };
    expect((await client.update({ ...made, status })).status).toBeUndefined();
    const read = await client.get("k8s.ovn.org/v1/EgressFirewall", "default");
    expect((await client.update({ ...read, status }, { subresource: "status" })).status).toEqual(status);
  });

  test.each([
    ["a kind that is not served", () => client.get("a/v1/B", "x"), /no kind B of a\/v1 is served/],
    ["a text that names no kind", () => client.list("ConfigMap"), /names no kind/],
    ["no name", () => client.get("v1/ConfigMap", ""), /has a name/],
    ["a namespace of a node", () => client.get("v1/Node", "n", { namespace: "a" }), /cluster-scoped/],
  ])("are refused for %s", async (_what, call, message) => {
    await expect(call()).rejects.toThrow(message);
  });
});

describe("a watch", () => {
  test("begins with what is there, and goes on with what happens", async () => {
    await client.create(settings("a"));
    const seen: string[] = [];
    const watch = client.watch("v1/ConfigMap", { namespace: "default" });
    for await (const { type, object } of watch) {
      seen.push(`${type} ${object.metadata.name}`);
      if (seen.length === 1) await client.create(settings("b"));
      if (seen.length === 2) await client.patch("v1/ConfigMap", "b", { data: { x: "1" } });
      if (seen.length === 3) await client.delete("v1/ConfigMap", "a");
      if (type === "DELETED") break;
    }
    expect(seen).toEqual(["ADDED a", "ADDED b", "MODIFIED b", "DELETED a"]);
    expect(await watch.next()).toEqual({ done: true, value: undefined });
  });

  test("goes on from the resourceVersion of a list", async () => {
    const { resourceVersion } = await client.list("v1/ConfigMap");
    await client.create(settings("later"));
    const watch = client.watch("v1/ConfigMap", { resourceVersion });
    expect((await watch.next()).value?.object.metadata.name).toBe("later");
    watch.close();
  });

  test("ends when it is closed and when its signal aborts, also while somebody waits", async () => {
    const ending = new AbortController();
    const [closed, aborted] = [client.watch("v1/Node"), client.watch("v1/Node", { signal: ending.signal })];
    const waiting = [closed.next(), aborted.next()];
    closed.close();
    ending.abort();
    expect(await Promise.all(waiting)).toEqual(Array(2).fill({ done: true, value: undefined }));
  });

  test("of a version that is gone tells so", async () => {
    const { metadata } = await client.create(settings("old"));
    await client.create(settings("new"));
    await server.history.compact(Number(metadata.resourceVersion) + 1);
    const watch = client.watch("v1/ConfigMap", { resourceVersion: "1" });
    await expect(watch.next()).rejects.toMatchObject({ code: 410 });
  });

  test("sees a reset as changes", async () => {
    await client.create(settings("a"));
    const watch = client.watch("v1/ConfigMap", { namespace: "default" });
    await watch.next();
    await server.reset();
    expect((await watch.next()).value).toMatchObject({
      type: "DELETED",
      object: { metadata: { name: "a" } },
    });
    watch.close();
  });
});
