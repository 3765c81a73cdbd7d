import { describe, expect, it } from "vitest";
import { StatusError } from "../../../../src/apimachinery/meta/status.ts";
import {
  alwaysAllow,
  attributesOf,
  authorize,
} from "../../../../src/apiserver/authorization/access-check.ts";
import type { ApiRequest } from "../../../../src/apiserver/endpoints/api-request.ts";
import type { Authorizer } from "../../../../src/apiserver/registry/definition/request-context.ts";
import { askedFor } from "../../../support/asked-for.ts";
import { ask, askPath, user } from "./support.ts";

const BOB = user("bob");

function asked(method: string, path: string, query = "") {
  const request: ApiRequest = {
    ...askedFor(method, path, query),
    headers: {},
    body: undefined,
    user: BOB,
  };
  return attributesOf(request, request.info);
}

describe("what a request asks for", () => {
  it.each([
    ["an object", "GET", "/api/v1/namespaces/a/pods/p", "", "get core pods p", "a"],
    ["its head", "HEAD", "/api/v1/namespaces/a/pods/p", "", "get core pods p", "a"],
    ["a subresource", "PUT", "/api/v1/namespaces/a/pods/p/status", "", "update core pods/status p", "a"],
    ["what lies deeper", "GET", "/api/v1/nodes/n/proxy/x/y", "", "get core nodes/proxy n", ""],
    ["a collection", "GET", "/apis/k8s.ovn.org/v1/egressips", "", "list k8s.ovn.org egressips", ""],
    ["changes to it", "GET", "/api/v1/pods", "watch=1", "watch core pods", ""],
    ["changes in the old form", "GET", "/api/v1/watch/namespaces/a/pods/p", "", "watch core pods p", "a"],
    ["the old form whatever the method", "POST", "/api/v1/watch/pods", "", "watch core pods", ""],
    ["all of it gone", "DELETE", "/api/v1/namespaces/a/pods", "", "deletecollection core pods", "a"],
    ["a namespace, which is in itself", "GET", "/api/v1/namespaces/a", "", "get core namespaces a", "a"],
    ["its subresource", "PUT", "/api/v1/namespaces/a/finalize", "", "update core namespaces/finalize a", "a"],
    [
      "the one that is selected",
      "GET",
      "/api/v1/nodes",
      "fieldSelector=metadata.name%3Dn",
      "list core nodes n",
      "",
    ],
    [
      "changes to the one that is selected",
      "GET",
      "/api/v1/nodes",
      "watch=1&fieldSelector=metadata.name%3Dn",
      "watch core nodes n",
      "",
    ],
    [
      "all when one is left out",
      "GET",
      "/api/v1/nodes",
      "fieldSelector=metadata.name!%3Dn",
      "list core nodes",
      "",
    ],
    [
      "all when the selector is broken",
      "GET",
      "/api/v1/nodes",
      "fieldSelector=metadata.name",
      "list core nodes",
      "",
    ],
    [
      "all when nothing can have the name",
      "GET",
      "/api/v1/nodes",
      "fieldSelector=metadata.name%3Da/b",
      "list core nodes",
      "",
    ],
    [
      "all when all selected go",
      "DELETE",
      "/api/v1/nodes",
      "fieldSelector=metadata.name%3Dn",
      "deletecollection core nodes",
      "",
    ],
  ])("%s", (_rule, method, path, query, question, namespace) => {
    expect(asked(method, path, query)).toEqual(ask(BOB, question, namespace));
  });

  it.each([
    ["GET", "/version/", "get"],
    ["POST", "/apis/k8s.ovn.org/v1", "post"],
    ["OPTIONS", "/", "options"],
  ])("%s %s is a path", (method, path, verb) => {
    expect(asked(method, path)).toEqual(askPath(BOB, verb, path));
  });
});

describe("a refusal", () => {
  const nobody = (reason: string): Authorizer => ({
    ...alwaysAllow,
    authorize: () => ({ allowed: false, reason }),
  });
  const refused = (attributes: Parameters<typeof authorize>[1], reason = "") => {
    try {
      authorize(nobody(reason), attributes);
    } catch (error) {
      if (error instanceof StatusError) return error.status;
    }
    throw new Error("it was allowed");
  };

  it("names user, verb, resource, group and place", () => {
    expect(refused(ask(BOB, "update k8s.ovn.org egressqoses/status default", "a"))).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message:
        'egressqoses.k8s.ovn.org "default" is forbidden: User "bob" cannot update resource "egressqoses/status" in API group "k8s.ovn.org" in the namespace "a"',
      reason: "Forbidden",
      details: { name: "default", group: "k8s.ovn.org", kind: "egressqoses" },
      code: 403,
    });
  });

  it("names a path", () => {
    expect(refused(askPath(BOB, "get", "/a<b>&c"))).toMatchObject({
      message: 'forbidden: User "bob" cannot get path "/a&lt;b&gt;&amp;c"',
      details: {},
    });
  });

  it("adds why, if that is known", () => {
    expect(refused(ask(BOB, "list core pods"), "RBAC: x").message).toBe(
      'pods is forbidden: User "bob" cannot list resource "pods" in API group "" at the cluster scope: RBAC: x',
    );
  });

  it("is none of what is allowed", () => {
    expect(() => authorize(alwaysAllow, askPath(BOB, "get", "/"))).not.toThrow();
  });
});
