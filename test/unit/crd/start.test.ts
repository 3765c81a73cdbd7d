import { expect, test } from "vitest";
import { CrdServer } from "../../../src/crd/crd-server.ts";
import { createWebhookClient } from "../../../src/http/webhook-client.ts";
import { createIds } from "../../../src/meta/ids.ts";
import { ResourceRegistry } from "../../../src/registry/resource-registry.ts";
import { ResourceStore } from "../../../src/registry/resource-store.ts";
import { BUILT_IN_RESOURCES } from "../../../src/resources/index.ts";
import { crdOf, TestApi, versionWith } from "../apiserver/support.ts";

const KINDS = ["Cat", "Dog", "Emu", "Fox"];

test("at a start all definitions that are there are one change of what is served, in their order", async () => {
  await using api = await TestApi.open();
  for (const kind of KINDS) await api.serve(crdOf([versionWith({ type: "object" })], { kind }));
  const { store, clock } = api;
  const registry = new ResourceRegistry();
  registry.set(...BUILT_IN_RESOURCES);
  let changes = 0;
  registry.onChange(() => changes++);
  const errors: unknown[] = [];
  const server = new CrdServer({
    store,
    resources: new ResourceStore({ store, resources: registry, admission: [] }),
    clock,
    ids: createIds(),
    post: createWebhookClient(clock),
    onError: (error) => void errors.push(error),
  });
  await server.start([]);
  expect([changes, errors]).toEqual([1, []]);
  const custom = registry.definitions.filter((definition) => definition.custom);
  expect(custom.map(({ kind }) => kind)).toEqual(KINDS);
  server.close();
});

test("who listens and fails keeps nobody from being served", async () => {
  await using api = await TestApi.open();
  const stop = api.registry.onChange(() => {
    throw new Error("of a listener");
  });
  await api.serve(crdOf([versionWith({ type: "object" })]));
  expect(api.internalErrors).toEqual([new Error("of a listener")]);
  stop();
  expect(api.registry.find("example.com", "v1", "things")?.definition.kind).toBe("Thing");
});
