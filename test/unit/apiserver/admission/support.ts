// Shared by tests of admission plugins: an API with all built-in plugins, a namespace, and writes in the form that plugins
// receive.

import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import { alwaysAllow } from "../../../../src/apiserver/authorization/access-check.ts";
import type { AdmissionAttributes } from "../../../../src/apiserver/registry/admission.ts";
import { createPlugins } from "../../../../src/kube/admission/plugin-list.ts";
import { TestApi } from "../endpoints/support.ts";
import { builtInView, contextFor } from "../registry/support.ts";

/** The namespace "default" is there. */
export async function openWithPlugins(): Promise<TestApi> {
  const api = await TestApi.open();
  const deps = { store: api.store, resources: api.registry, authorizer: alwaysAllow };
  api.admission.push(...createPlugins(deps, { enable: [], disable: ["NamespaceLifecycle"] }));
  return api;
}

/** That an object "a" is made, unless more is said. */
export const asked = <M extends Partial<AdmissionAttributes>>(
  resource: string,
  more: M,
): AdmissionAttributes & M => ({
  operation: "CREATE",
  view: builtInView(resource),
  subresource: "",
  namespace: "",
  name: "a",
  object: undefined,
  oldObject: undefined,
  context: contextFor(),
  ...more,
});

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
