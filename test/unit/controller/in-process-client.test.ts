// A client with a signal writes for a controller: only while its server leads, which the fencing token proves.
import { expect, test } from "vitest";
import { createIds } from "../../../src/apimachinery/meta/ids.ts";
import type { ResourceName } from "../../../src/controller/client.ts";
import { createInProcessClients } from "../../../src/controller/in-process-client.ts";
import type { FencingToken } from "../../../src/storage/store.ts";
import { TestApi } from "../apiserver/endpoints/support.ts";

const CONFIG_MAPS: ResourceName = { group: "", version: "v1", resource: "configmaps" };
const FENCE = "/egret/leader";

const configMap = (name: string) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default" },
});

test("the writes of a controller are rejected once another server has replaced the fencing token", async () => {
  await using api = await TestApi.open();
  const { resources, clock, store } = api;
  const modRevision = await store.commit([{ type: "create", key: FENCE, value: Buffer.from("this") }]);
  const token: FencingToken = { key: FENCE, modRevision };
  const clientFor = createInProcessClients({
    ...{ resources, clock, ids: createIds(), onWarning: () => {} },
    fencingToken: () => token,
  });
  const controller = clientFor("controller", new AbortController().signal);
  const first = await controller.create(CONFIG_MAPS, configMap("first"));
  await store.commit([
    { type: "update", key: FENCE, value: Buffer.from("other"), ifModRevision: modRevision },
  ]);

  await expect(controller.create(CONFIG_MAPS, configMap("second"))).rejects.toThrow();
  await expect(controller.update(CONFIG_MAPS, { ...first, data: { a: "b" } })).rejects.toThrow();
  await expect(controller.delete(CONFIG_MAPS, { namespace: "default", name: "first" })).rejects.toThrow();
  const { items } = await clientFor("server").list(CONFIG_MAPS, { namespace: "default" });
  expect(items.map(({ metadata }) => metadata.name)).toEqual(["first"]);
});
