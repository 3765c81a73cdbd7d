// Clients apply objects at the moment when a controller creates them: an apply never fails with AlreadyExists.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type EgretProcess, startEgret } from "../../support/egret-process.ts";

const AT_ONCE = 12;

let folder: string;
let egret: EgretProcess;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-race-"));
  // On the disk, where an object is not seen before its write is done.
  egret = await startEgret(["--data-dir", join(folder, "data"), "--kubeconfig", ""]);
});
afterAll(async () => {
  await egret?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

async function send(method: string, path: string, type: string, body: object) {
  const headers = { "content-type": type };
  const answer = await fetch(`${egret.url}${path}`, { method, headers, body: JSON.stringify(body) });
  return { status: answer.status, body: JSON.parse(await answer.text()) };
}

const endpoints = (name: string) => ({
  apiVersion: "v1",
  kind: "Endpoints",
  metadata: { name },
  subsets: [{ addresses: [{ ip: "192.0.2.1" }], ports: [{ port: 80 }] }],
});
const service = (name: string, selector: object) => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name },
  spec: { ...selector, ports: [{ port: 80 }] },
});

test("of many who apply a missing object one makes it, and the others change it", async () => {
  const apply = (manager: string) =>
    send(
      "PATCH",
      `/api/v1/namespaces/default/configmaps/shared?fieldManager=${manager}`,
      "application/apply-patch+yaml",
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "shared" }, data: { [manager]: "1" } },
    );
  const managers = Array.from({ length: AT_ONCE }, (_, index) => `manager-${index}`);
  const statuses = (await Promise.all(managers.map(apply))).map(({ status }) => status);
  expect(statuses.sort()).toEqual([...Array(AT_ONCE - 1).fill(200), 201]);
  const { body } = await send(
    "PATCH",
    "/api/v1/namespaces/default/configmaps/shared",
    "application/merge-patch+json",
    {},
  );
  expect(Object.keys(body.data).sort()).toEqual([...managers].sort());
});

test.each([
  ["with a selector", { selector: { app: "web" } }],
  ["without a selector", {}],
])("a Service %s is applied together with its Endpoints", async (what, selector) => {
  for (let number = 0; number < AT_ONCE; number++) {
    const name = `s${what.length}-${number}`;
    // While that in between is written the controller begins to make the Endpoints.
    const between = { apiVersion: "v1", kind: "ConfigMap", metadata: { name } };
    const items = [service(name, selector), between, endpoints(name)];
    const list = { apiVersion: "v1", kind: "List", items };
    const { status, body } = await send("POST", "/egret/v1/import", "application/json", list);
    expect(status, JSON.stringify(body)).toBe(200);
  }
});
