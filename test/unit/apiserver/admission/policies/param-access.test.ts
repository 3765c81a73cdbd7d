import { expect, test } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import { StatusError } from "../../../../../src/apimachinery/meta/status.ts";
import { demandParamAccess } from "../../../../../src/apiserver/admission/policies/param-access.ts";
import type { AdmissionDeps } from "../../../../../src/apiserver/admission/request.ts";
import { ResourceRegistry } from "../../../../../src/apiserver/registry/resource-registry.ts";
import { BUILT_IN_RESOURCES } from "../../../../../src/kube/index.ts";
import { createMemoryEngine } from "../../../../../src/storage/engine.ts";
import { openMvccStore } from "../../../../../src/storage/mvcc/mvcc-store.ts";
import { CONTEXT } from "../../../kube/passage.ts";

const GROUP = "admissionregistration.k8s.io";
const registry = new ResourceRegistry();
registry.set(...BUILT_IN_RESOURCES);

/**
 * Returns the authorization requests for a policy's params, with an authorizer that allows this resource only, and the
 * result.
 */
async function demand(resource: string, spec: JsonObject, old?: JsonObject, allowed = "secrets") {
  const asked: string[] = [];
  const { clock } = CONTEXT;
  const deps: AdmissionDeps = {
    store: await openMvccStore(createMemoryEngine(), { clock }),
    resources: registry,
    authorizer: {
      authorize(attributes) {
        if (attributes.type === "path") throw new Error("resources only");
        const { verb, group, resource: what, namespace, name } = attributes;
        asked.push(`${verb} ${group}/${what} ${namespace}/${name}`);
        return { allowed: what === allowed, reason: "" };
      },
      rulesFor: () => ({ rules: [], error: undefined }),
    },
    clock,
    ids: CONTEXT.ids,
    post: () => Promise.reject(new Error("nobody is asked")),
    onError: () => {},
  };
  const view = registry.findStorage(GROUP, resource);
  if (view === undefined) throw new Error("it is served");
  const object = (from: JsonObject) => ({ metadata: { name: "x" }, spec: from });
  const context = { ...CONTEXT, user: { name: "bob", uid: "7", groups: ["a", "b"] } };
  const about = { operation: "CREATE", view, subresource: "", namespace: "", name: "x", context } as const;
  try {
    demandParamAccess({ ...about, object: object(spec), oldObject: old && object(old) }, deps);
    return { asked };
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return { asked, refused: error.message };
  }
}

const kind = (name: string) => ({ paramKind: { apiVersion: "v1", kind: name } });

test("who writes a policy must be allowed to read all of its parameters", async () => {
  const policies = "validatingadmissionpolicies";
  expect(await demand(policies, kind("Secret"))).toEqual({ asked: ["get /secrets */*"] });
  expect(await demand(policies, kind("ConfigMap"))).toEqual({
    asked: ["get /configmaps */*"],
    refused: `ValidatingAdmissionPolicy.${GROUP} "x" is invalid: spec.paramKind: Forbidden: user &{bob 7 [a b] map[]} must have "get" permission on all objects of the referenced paramKind (kind=ConfigMap, apiVersion=v1)`,
  });
  expect(await demand(policies, kind("Unknown"))).toMatchObject({ asked: ["get /* */*"] });
  expect(await demand(policies, kind("ConfigMap"), kind("ConfigMap"))).toEqual({ asked: [] });
  expect(await demand(policies, {})).toEqual({ asked: [] });
});

test("who writes a binding must be allowed to read what it names", async () => {
  const bindings = "mutatingadmissionpolicybindings";
  const spec = { policyName: "none", paramRef: { name: "p", namespace: "n" } };
  expect(await demand(bindings, spec)).toEqual({
    asked: ["get */* n/p"],
    refused: `MutatingAdmissionPolicyBinding.${GROUP} "x" is invalid: spec.paramRef: Forbidden: user &{bob 7 [a b] map[]} does not have "get" permission on the object referenced by paramRef`,
  });
  expect(await demand(bindings, spec, spec)).toEqual({ asked: [] });
  expect(await demand(bindings, { policyName: "none" })).toEqual({ asked: [] });
});
