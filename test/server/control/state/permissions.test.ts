// Permissions follow a restored state before the answer is sent, including those of aggregated roles.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createServer, type Server } from "../../../../src/server/server.ts";

let folder: string;
let server: Server;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-permissions-"));
  const tokenAuthFile = join(folder, "tokens.csv");
  await writeFile(tokenAuthFile, 'root,root,1,"system:masters"\nviewer,viewer,2,""\nother,other,3,""\n');
  const options = {
    listen: "127.0.0.1:0",
    inMemory: true,
    kubeconfig: undefined,
    logLevel: "silent",
    ...{ tokenAuthFile, secure: false },
  };
  server = await createServer(options);
});
afterAll(async () => {
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

const statusFor = async (token: string) => {
  const headers = { authorization: `Bearer ${token}` };
  return (await fetch(`${server.url}/api/v1/namespaces/default/configmaps`, { headers })).status;
};
const bind = (name: string) =>
  server.clientFor("test").create(
    { group: "rbac.authorization.k8s.io", version: "v1", resource: "clusterrolebindings" },
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name }],
    },
  );

test.each(["events", "expire"] as const)("bindings come and go with the state (%s)", async (watches) => {
  await bind("viewer");
  const bound = server.control.state.save();
  await bind("other");
  expect([await statusFor("viewer"), await statusFor("other")]).toEqual([200, 200]);
  await server.control.state.restore(bound, { watches });
  expect([await statusFor("viewer"), await statusFor("other")]).toEqual([200, 403]);
  await server.control.state.reset("start", { watches });
  expect([await statusFor("viewer"), await statusFor("other")]).toEqual([403, 403]);
  await server.control.state.restore(bound, { watches });
  expect(await statusFor("viewer")).toBe(200);
  await server.control.state.reset("empty", { watches });
  expect(await statusFor("viewer")).toBe(403);
});

test("a token that may do nothing may not use the surface", async () => {
  const reset = (token: string) =>
    fetch(`${server.url}/egret/v1/reset`, { method: "POST", headers: { authorization: `Bearer ${token}` } });
  expect([(await reset("other")).status, (await reset("root")).status]).toEqual([403, 200]);
});
