// What tests of plugins share: an API with all plugins that stand, and a namespace.
import { createPlugins } from "../../../src/admission/plugin-list.ts";
import { alwaysAllow } from "../../../src/apiserver/authorization/access-check.ts";
import type { JsonObject } from "../../../src/meta/json.ts";
import { TestApi } from "../apiserver/support.ts";

/** The namespace "default" is there. */
export async function openWithPlugins(): Promise<TestApi> {
  const api = await TestApi.open();
  const deps = { store: api.store, resources: api.registry, authorizer: alwaysAllow };
  api.admission.push(...createPlugins(deps, { enable: [], disable: ["NamespaceLifecycle"] }));
  return api;
}

export const NAMESPACE = "/api/v1/namespaces/default";

export const pod = (name: string, spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, ...metadata },
  spec: { containers: [{ name: "c", image: "i:1" }], ...spec },
});

/** A container that asks for something. */
export const container = (name: string, resources: JsonObject = {}): JsonObject => ({
  name,
  image: "i:1",
  resources,
});
