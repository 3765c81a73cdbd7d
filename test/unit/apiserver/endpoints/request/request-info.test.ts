import { describe, expect, test } from "vitest";
import type { RequestInfo } from "../../../../../src/apiserver/endpoints/request/request-info.ts";
import { askedFor } from "../../../../support/asked-for.ts";

const info = (method: string, url: string): RequestInfo => {
  const [path = "", query = ""] = url.split("?");
  return askedFor(method, path, query).info;
};

describe("paths", () => {
  test.each<[string, Partial<RequestInfo>]>([
    ["/api/v1/pods", { group: "", version: "v1", namespace: "", resource: "pods", name: "" }],
    ["/api/v1/namespaces/a/pods", { namespace: "a", resource: "pods", name: "" }],
    ["/api/v1/namespaces/a/pods/p", { namespace: "a", resource: "pods", name: "p", subresource: "" }],
    ["/api/v1/namespaces/a/pods/p/status", { resource: "pods", name: "p", subresource: "status" }],
    ["/api/v1/namespaces/a/pods/p/proxy/x/y", { resource: "pods", subresource: "proxy", deeper: true }],
    ["/api/v1/namespaces", { namespace: "", resource: "namespaces", name: "" }],
    ["/api/v1/namespaces/a", { namespace: "a", resource: "namespaces", name: "a", inNamespace: false }],
    ["/api/v1/namespaces/a/namespaces/b", { namespace: "a", resource: "namespaces", inNamespace: true }],
    ["/api/v1/namespaces//pods", { namespace: "", resource: "pods", isCollection: true, inNamespace: true }],
    ["/api//v1/namespaces", { version: "", resource: "v1", name: "namespaces" }],
    ["/apis//v1/namespaces/a", { group: "", version: "v1", resource: "namespaces", name: "a" }],
    ["/api/v1/namespaces/a/status", { resource: "namespaces", name: "a", subresource: "status" }],
    ["/api/v1/namespaces/a/finalize", { resource: "namespaces", name: "a", subresource: "finalize" }],
    ["/api/v1/nodes/n", { namespace: "", resource: "nodes", name: "n" }],
    ["/apis/k8s.ovn.org/v1/egressips/e", { group: "k8s.ovn.org", resource: "egressips", name: "e" }],
    ["/apis/g/v2/namespaces/a/things/t", { group: "g", version: "v2", namespace: "a", name: "t" }],
    ["/apis/g/v2/namespaces/a/things/t/", { group: "g", resource: "things", name: "t" }],
    ["/api/v1/watch/namespaces/a/pods", { namespace: "a", resource: "pods", verbInPath: true }],
    ["/api/v1/watch/namespaces/a", { namespace: "a", resource: "namespaces", name: "a", verbInPath: true }],
    ["/apis/g/v2/proxy/things/t/status", { verb: "proxy", resource: "things", name: "t", subresource: "" }],
    ["/apis/g/v2/watch/things/t", { resource: "things", name: "t", verbInPath: true }],
  ])("%s", (path, expected) => {
    expect(info("GET", path)).toMatchObject({ isResourceRequest: true, ...expected });
  });

  test.each([
    "/",
    "",
    "/api",
    "/api/v1",
    "/apis",
    "/apis/g",
    "/apis/g/v1",
    "/version",
    "/openapi/v3/apis/g/v1",
  ])("%s names no resource", (path) => {
    expect(info("GET", path)).toMatchObject({ isResourceRequest: false, verb: "" });
  });
});

test.each(["/api/v1/watch", "/apis/g/v1/proxy", "/apis/g/v1/watch/"])("%s is malformed", (path) => {
  expect(info("DELETE", path)).toMatchObject({ isResourceRequest: false, malformed: true });
});

describe("verbs", () => {
  const LIST = "/api/v1/namespaces/a/pods";
  const ONE = `${LIST}/p`;
  test.each<[string, string, RequestInfo["verb"]]>([
    ["GET", ONE, "get"],
    ["GET", LIST, "list"],
    ["GET", `${LIST}?watch=1`, "watch"],
    ["GET", `${ONE}?watch=1`, "get"],
    ["HEAD", ONE, "get"],
    ["HEAD", LIST, "list"],
    ["POST", LIST, "create"],
    ["POST", ONE, "create"],
    ["PUT", ONE, "update"],
    ["PATCH", ONE, "patch"],
    ["DELETE", ONE, "delete"],
    ["DELETE", LIST, "deletecollection"],
    ["OPTIONS", ONE, ""],
    ["GET", "/api/v1/watch/namespaces/a/pods", "watch"],
    ["GET", "/api/v1/watch/namespaces/a/pods/p", "watch"],
    ["GET", "/api/v1/watch/pods?watch=0", "watch"],
    ["POST", "/api/v1/watch/namespaces/a/pods", "watch"],
    ["DELETE", "/api/v1/watch/namespaces/a/pods/p", "watch"],
    ["OPTIONS", "/apis/g/v1/watch/things", "watch"],
    ["PUT", "/api/v1/proxy/namespaces/a/pods/p", "proxy"],
  ])("%s %s is %s", (method, url, verb) => {
    expect(info(method, url).verb).toBe(verb);
  });
});
