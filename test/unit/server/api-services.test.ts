// The APIServices of a server list exactly the served groups and versions.
import { afterEach, beforeEach, expect, test } from "vitest";
import { createIds } from "../../../src/apimachinery/meta/ids.ts";
import type { ClientFactory, ResourceName } from "../../../src/controller/client.ts";
import { createInProcessClients } from "../../../src/controller/in-process-client.ts";
import { syncApiServices } from "../../../src/server/api-services.ts";
import { TestApi } from "../apiserver/endpoints/support.ts";

const API_SERVICES: ResourceName = {
  group: "apiregistration.k8s.io",
  version: "v1",
  resource: "apiservices",
};
const MANAGED = "kube-aggregator.kubernetes.io/automanaged";

let api: TestApi;
let clientFor: ClientFactory;
let stop: () => Promise<void>;
const errors: unknown[] = [];

beforeEach(async () => {
  api = await TestApi.open();
  const { resources, clock } = api;
  clientFor = createInProcessClients({ resources, clock, ids: createIds(), onWarning: () => {} });
  stop = await keep();
});
afterEach(async () => {
  await stop();
  expect(errors).toEqual([]);
  await api[Symbol.asyncDispose]();
});

const keep = async () => {
  const kept = await syncApiServices({
    clientFor,
    registry: api.registry,
    onError: (error) => void errors.push(error),
  });
  return kept.stop;
};

async function services() {
  const { items } = await clientFor("test").list(API_SERVICES);
  return new Map(items.map((item) => [item.metadata.name, item]));
}

test("there is one for each served version", async () => {
  const all = await services();
  expect([...all.keys()]).toEqual(
    expect.arrayContaining(["v1.", "v1.apps", "v1.autoscaling", "v2.autoscaling"]),
  );
  expect(all.get("v1.")).toMatchObject({
    metadata: { labels: { [MANAGED]: "onstart" } },
    spec: { version: "v1", groupPriorityMinimum: 18000, versionPriority: 1 },
    status: { conditions: [{ type: "Available", status: "True", reason: "Local" }] },
  });
  expect(all.get("v2.autoscaling")).toMatchObject({
    spec: { group: "autoscaling", version: "v2", groupPriorityMinimum: 17500, versionPriority: 30 },
  });
  for (const [group, groupPriorityMinimum] of [
    ["resource.k8s.io", 16200],
    ["flowcontrol.apiserver.k8s.io", 16100],
  ])
    expect(all.get(`v1.${group}`)).toMatchObject({ spec: { groupPriorityMinimum, versionPriority: 21 } });
  expect(all.has("v1.apiregistration.k8s.io")).toBe(false);
});

test("those of CustomResourceDefinitions come and go with them", async () => {
  const schema = { openAPIV3Schema: { type: "object" } };
  const version = (name: string, served: boolean) => ({ name, served, storage: name === "v1", schema });
  await api.serve({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "things.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "things", kind: "Thing" },
      versions: [version("v1", true), version("v2", false)],
    },
  });
  await stop();
  const all = await services();
  expect(all.get("v1.example.com")).toMatchObject({
    metadata: { labels: { [MANAGED]: "true" } },
    spec: { group: "example.com", version: "v1", groupPriorityMinimum: 1000, versionPriority: 100 },
  });
  expect(all.has("v2.example.com")).toBe(false);
  api.registry.remove("example.com", "things");
  stop = await keep();
  expect((await services()).has("v1.example.com")).toBe(false);
});

test("those that somebody else made stay", async () => {
  await clientFor("test").create(API_SERVICES, {
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: { name: "v1.other.example.com" },
    spec: { group: "other.example.com", version: "v1", groupPriorityMinimum: 1, versionPriority: 1 },
  });
  const before = await services();
  await stop();
  stop = await keep();
  expect(await services()).toEqual(before);
});
