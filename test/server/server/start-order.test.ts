// The API answers before the controllers have taken in what the store holds, as a real one does.
import { afterEach, expect, test } from "vitest";
import type { KubeObject } from "../../../src/apimachinery/meta/object-meta.ts";
import { createServer, type Server } from "../../../src/server/server.ts";
import { MEMORY_SERVER } from "../../support/memory-server.ts";

const options = { ...MEMORY_SERVER, controllers: "serviceaccount" };
const NAMESPACES = 30;
const objects = Array.from({ length: NAMESPACES }, (_, index): KubeObject => {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name: `team-${index}` } };
});
const accounts = { group: "", version: "v1", resource: "serviceaccounts" };
/** That of each namespace is made by a controller. */
const accountsOf = async (server: Server) => (await server.clientFor("test").list(accounts)).items.length;
const answers = async (server: Server) => (await fetch(`${server.url}/readyz`)).status;

let server: Server | undefined;
afterEach(() => server?.close());

test("a server that may run ahead of its controllers answers before they rest", async () => {
  server = await createServer(options, { objects, controllersMayFollow: true });
  expect(await accountsOf(server)).toBeLessThan(NAMESPACES);
  expect(await answers(server)).toBe(200);
  await server.started;
  expect(await accountsOf(server)).toBeGreaterThanOrEqual(NAMESPACES);
});

test("any other server is given when they rest", async () => {
  server = await createServer(options, { objects });
  expect(await accountsOf(server)).toBeGreaterThanOrEqual(NAMESPACES);
});

test("a reset to the start waits for the start", async () => {
  server = await createServer(options, { objects, controllersMayFollow: true });
  await server.control.state.reset("start");
  expect(await accountsOf(server)).toBeGreaterThanOrEqual(NAMESPACES);
});

test("what a client writes before the controllers rest is no part of the start", async () => {
  server = await createServer(options, { objects, controllersMayFollow: true });
  const made = await fetch(`${server.url}/api/v1/namespaces/default/configmaps`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ metadata: { name: "early" } }),
  });
  expect(made.status).toBe(201);
  await server.control.state.reset("start");
  const maps = { group: "", version: "v1", resource: "configmaps" };
  expect((await server.clientFor("test").list(maps, { namespace: "default" })).items).toEqual([]);
  expect(await accountsOf(server)).toBeGreaterThanOrEqual(NAMESPACES);
});

test("a server can be closed while its controllers start", async () => {
  const early = await createServer(options, { objects, controllersMayFollow: true });
  await early.close();
  await expect(answers(early)).rejects.toThrow("fetch failed");
  await early.started;
});
