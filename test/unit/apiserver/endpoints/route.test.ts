import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../../src/apimachinery/meta/object-meta.ts";
import { StatusError } from "../../../../src/apimachinery/meta/status.ts";
import { findRoute } from "../../../../src/apiserver/endpoints/route.ts";
import { definitionFromCrd } from "../../../../src/apiserver/registry/custom-resource.ts";
import { ResourceRegistry } from "../../../../src/apiserver/registry/resource-registry.ts";
import { BUILT_IN_RESOURCES } from "../../../../src/kube/index.ts";
import { askedFor } from "../../../support/asked-for.ts";
import { crdOf, versionWith } from "./support.ts";

const registry = new ResourceRegistry();
registry.set(...BUILT_IN_RESOURCES);
const withStatus = versionWith({ type: "object" }, { subresources: { status: {} } });
for (const crd of [
  crdOf([withStatus]),
  crdOf([versionWith({ type: "object" })], { kind: "Star", scope: "Cluster" }),
])
  registry.set(definitionFromCrd(crd as unknown as KubeObject));

/** The resource that is found, "page" for a page that is not, or the code and message of the refusal. */
function routed(method: string, url: string): string {
  const [path = "", query = ""] = url.split("?");
  try {
    const route = findRoute(registry, askedFor(method, path, query).info, method);
    return route?.definition.resource ?? "page";
  } catch (error) {
    if (error instanceof StatusError) return `${error.code} ${error.message}`;
    throw error;
  }
}

const NO_PATH = "404 the server could not find the requested resource";
const NO_METHOD = "405 the server does not allow this method on the requested resource";

const NO_NAME = "400 name must be provided";
const NO_NAMESPACE = "400 Namespace parameter required.";

describe("built-in kinds", () => {
  const ONE = "/api/v1/namespaces/a/configmaps/c";
  test.each([
    ["GET", ONE, "configmaps"],
    ["PUT", ONE, "configmaps"],
    ["PATCH", ONE, "configmaps"],
    ["DELETE", ONE, "configmaps"],
    ["GET", "/api/v1/namespaces/a/configmaps", "configmaps"],
    ["POST", "/api/v1/namespaces/a/configmaps", "configmaps"],
    ["DELETE", "/api/v1/namespaces/a/configmaps", "configmaps"],
    ["GET", "/api/v1/configmaps", "configmaps"],
    ["GET", "/api/v1/configmaps?watch=1", "configmaps"],
    ["GET", "/api/v1/watch/configmaps", "configmaps"],
    ["GET", "/api/v1/namespaces/a", "namespaces"],
    ["PUT", "/api/v1/namespaces/a/finalize", "namespaces"],
    ["GET", "/api/v1/nodes/n/status", "nodes"],
  ])("%s %s is answered by %s", (method, url, resource) => {
    expect(routed(method, url)).toBe(resource);
  });

  test.each([
    ["a resource that is not there", "GET", "/api/v1/namespaces/a/nothings", NO_PATH],
    ["a version that is not there", "GET", "/api/v2/namespaces/a/configmaps", NO_PATH],
    ["a namespaced object outside of a namespace", "GET", "/api/v1/configmaps/c", NO_PATH],
    ["a cluster-scoped kind in a namespace", "GET", "/api/v1/namespaces/a/nodes", NO_PATH],
    ["a subresource that is not there", "GET", `${ONE}/status`, NO_PATH],
    ["a path that goes on behind a subresource", "GET", "/api/v1/nodes/n/status/x", NO_PATH],
    ["a collection across namespaces is not written to", "POST", "/api/v1/configmaps", NO_METHOD],
    ["a collection across namespaces is not deleted", "DELETE", "/api/v1/configmaps", NO_METHOD],
    ["a collection is not replaced", "PUT", "/api/v1/namespaces/a/configmaps", NO_METHOD],
    ["an object is not posted to", "POST", ONE, NO_METHOD],
    ["a namespace collection is not deleted", "DELETE", "/api/v1/namespaces", NO_METHOD],
    ["HEAD means nothing", "HEAD", ONE, NO_METHOD],
    ["OPTIONS mean nothing", "OPTIONS", ONE, NO_METHOD],
    ["a watch path allows GET alone", "POST", "/api/v1/watch/namespaces/a/configmaps", NO_METHOD],
    ["a watch path of a subresource", "PATCH", "/api/v1/watch/nodes/n/status", NO_PATH],
    ["a proxy prefix", "GET", "/api/v1/proxy/nodes/n", NO_PATH],
    ["a subresource without a name", "GET", "/api/v1/namespaces/a/pods//status", NO_NAME],
    ["an object in a namespace without a name", "GET", "/api/v1/namespaces//configmaps/c", NO_NAMESPACE],
    ["a collection in a namespace without a name", "DELETE", "/api/v1/namespaces//configmaps", NO_NAMESPACE],
    ["a cluster-scoped kind in such a namespace", "GET", "/api/v1/namespaces//nodes", NO_PATH],
  ])("%s", (_rule, method, url, refusal) => {
    expect(routed(method, url)).toBe(refusal);
  });
});

describe("custom kinds", () => {
  const ALL = "/apis/example.com/v1/namespaces/a/things";
  const ONE = `${ALL}/t`;
  test.each([
    ["GET", ALL, "things"],
    ["POST", ALL, "things"],
    ["GET", ONE, "things"],
    ["HEAD", ONE, "things"],
    ["GET", `${ONE}/status`, "things"],
    ["PATCH", `${ONE}/status`, "things"],
    ["PATCH", `${ONE}/status/x`, "things"],
    ["DELETE", "/apis/example.com/v1/watch/namespaces/a/things/t", "things"],
    ["GET", "/apis/example.com/v1/things", "things"],
    ["GET", "/apis/example.com/v1/watch/things", "things"],
    ["GET", "/apis/example.com/v1/stars/s", "stars"],
  ])("%s %s is answered by %s", (method, url, resource) => {
    expect(routed(method, url)).toBe(resource);
  });

  const missing = (name: string) => `404 things.example.com "${name}" not found`;
  const unsupported = (verb: string) =>
    `405 ${verb} is not supported on resources of kind "things.example.com"`;
  test.each([
    ["a group that is not there", "GET", "/apis/other.com/v1/things", "page"],
    ["a version that is not there", "GET", "/apis/example.com/v9/namespaces/a/things", "page"],
    ["a resource that is not there", "GET", "/apis/example.com/v1/namespaces/a/nothings", "page"],
    ["a namespaced object outside of a namespace", "GET", "/apis/example.com/v1/things/t", "page"],
    ["a write across namespaces", "POST", "/apis/example.com/v1/things", "page"],
    ["a cluster-scoped kind in a namespace", "GET", "/apis/example.com/v1/namespaces/a/stars", "page"],
    ["a subresource that is not there", "GET", `${ONE}/scale`, missing("t")],
    ["a verb that a subresource has not", "DELETE", `${ONE}/status`, unsupported("delete")],
    ["a method without a meaning", "OPTIONS", ONE, unsupported("")],
    [
      "a write in watch form",
      "PATCH",
      `/apis/example.com/v1/watch/namespaces/a/things/t/status`,
      unsupported("watch"),
    ],
    ["a proxy prefix", "DELETE", "/apis/example.com/v1/proxy/namespaces/a/things/t", unsupported("proxy")],
    ["a replacement without a name", "PUT", ALL, "400 name must be provided"],
    ["a patch without a name", "PATCH", ALL, "400 name must be provided"],
  ])("%s", (_rule, method, url, refusal) => {
    expect(routed(method, url)).toBe(refusal);
  });
});

test.each([
  ["..", `400 Name parameter invalid: "..": may not be '..'`],
  [".", `400 Name parameter invalid: ".": may not be '.'`],
  ["a%b", `400 Name parameter invalid: "a%b": may not contain '%'`],
])("the name %s is refused, whatever the kind", (name, refusal) => {
  expect(routed("GET", `/api/v1/namespaces/a/configmaps/${name}`)).toBe(refusal);
  expect(routed("GET", `/apis/example.com/v1/namespaces/a/things/${name}`)).toBe(refusal);
});
