// The objects by which a real server publishes its trusted certificates, and since when it notes the use of tokens.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { objectAt } from "../../../src/apimachinery/json/json.ts";
import type { ServerOptions } from "../../../src/server/options/options.ts";
import { createServer, type Server } from "../../../src/server/server.ts";

const CONFIG_MAPS = { group: "", version: "v1", resource: "configmaps" };
const RBAC = { group: "rbac.authorization.k8s.io", version: "v1" };
const namespace = "kube-system";
const INFO = { namespace, name: "extension-apiserver-authentication" };
const TRACKING = { namespace, name: "kube-apiserver-legacy-service-account-token-tracking" };

const start = (options: Partial<ServerOptions>): Promise<Server> =>
  createServer({
    ...{ listen: "127.0.0.1:0", kubeconfig: undefined, controllers: "", logLevel: "silent" },
    ...options,
  });
const dataOf = async (server: Server, key: typeof INFO) =>
  objectAt(await server.clientFor("test").get(CONFIG_MAPS, key), "data") ?? {};

async function inFolder(run: (dataDir: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "egret-info-"));
  try {
    await run(join(folder, "data"));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test("a server without TLS trusts no certificates, and has no such ConfigMap", async () => {
  await using server = await start({ inMemory: true });
  await expect(dataOf(server, INFO)).rejects.toMatchObject({ code: 404 });
  expect(await dataOf(server, TRACKING)).toEqual({ since: new Date().toISOString().slice(0, 10) });
});

test("with --secure it names the CA of clients and a front proxy's, and keeps what others have added", () =>
  inFolder(async (dataDir) => {
    const first = await start({ dataDir, secure: true });
    const data = await dataOf(first, INFO);
    expect(data).toEqual({
      "client-ca-file": first.kubeconfig.authority,
      "requestheader-allowed-names": '["front-proxy-client"]',
      "requestheader-client-ca-file": expect.stringMatching(/^-----BEGIN CERTIFICATE-----/),
      "requestheader-extra-headers-prefix": '["X-Remote-Extra-"]',
      "requestheader-group-headers": '["X-Remote-Group"]',
      "requestheader-username-headers": '["X-Remote-User"]',
    });
    expect(data["requestheader-client-ca-file"]).not.toBe(data["client-ca-file"]);
    const client = first.clientFor("test");
    const stored = await client.get(CONFIG_MAPS, INFO);
    const names = { "requestheader-allowed-names": '["mine"]' };
    await client.update(CONFIG_MAPS, { ...stored, data: { ...data, ...names, own: "x" } });
    await client.patch(CONFIG_MAPS, TRACKING, { type: "merge", body: { data: { since: "nope", own: "x" } } });
    await first.close();
    await using second = await start({ dataDir, secure: true });
    expect(await dataOf(second, INFO)).toEqual({
      ...data,
      own: "x",
      "requestheader-allowed-names": '["mine","front-proxy-client"]',
    });
    expect(await dataOf(second, TRACKING)).toEqual({
      since: new Date().toISOString().slice(0, 10),
      own: "x",
    });
  }));

test("the ConfigMaps are back when they are deleted, also without other controllers, and a day that is none is replaced", async () => {
  await using server = await start({ inMemory: true, secure: true });
  const client = server.clientFor("test");
  for (const key of [INFO, TRACKING]) {
    const before = await dataOf(server, key);
    await client.delete(CONFIG_MAPS, key);
    await server.controllers.idle();
    expect(await dataOf(server, key)).toEqual(before);
  }
  const since = new Date().toISOString().slice(0, 10);
  await client.patch(CONFIG_MAPS, TRACKING, { type: "merge", body: { data: { since: "nope", own: "x" } } });
  await server.controllers.idle();
  expect(await dataOf(server, TRACKING)).toEqual({ since, own: "x" });
});

test("bootstrap roles are there with RBAC alone, and what was taken away is back after a start", () =>
  inFolder(async (dataDir) => {
    const roles = { ...RBAC, resource: "clusterroles" };
    const bindings = { ...RBAC, resource: "clusterrolebindings" };
    const names = async (server: Server) =>
      (await server.clientFor("test").list(roles)).items.map(({ metadata }) => metadata.name);
    const open = await start({ dataDir });
    expect(await names(open)).toEqual([]);
    await open.close();
    const first = await start({ dataDir, authorizationMode: "RBAC" });
    expect(await names(first)).toHaveLength(70);
    const client = first.clientFor("test");
    await client.delete(roles, { namespace: "", name: "system:node-proxier" });
    const binding = await client.get(bindings, { namespace: "", name: "system:discovery" });
    await client.delete(bindings, { namespace: "", name: "system:discovery" });
    const roleRef = { apiGroup: RBAC.group, kind: "ClusterRole", name: "view" };
    await client.create(bindings, { metadata: { name: "system:discovery" }, roleRef });
    await first.close();
    await using second = await start({ dataDir, authorizationMode: "RBAC" });
    expect(await names(second)).toContain("system:node-proxier");
    const back = await second.clientFor("test").get(bindings, { namespace: "", name: "system:discovery" });
    expect([back["roleRef"], back["subjects"]]).toEqual([binding["roleRef"], binding["subjects"]]);
  }));
