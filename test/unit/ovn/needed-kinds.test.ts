import { expect, test } from "vitest";
import { objectAt, textAt } from "../../../src/apimachinery/json/json.ts";
import { specOf } from "../../../src/apimachinery/meta/object-meta.ts";
import { describeResource } from "../../../src/apimachinery/meta/status.ts";
import { BUILT_IN_RESOURCES } from "../../../src/kube/index.ts";
import { NEEDED_KINDS, type NeededKind, neededKindOf } from "../../../src/ovn/needed-kinds.ts";
import { readShippedDefinitions } from "../../../src/server/manifests.ts";

test("kinds that are read are served here but for three, in the scope that is said of them", async () => {
  const scopes = new Map<string, boolean>();
  for (const { group, resource, namespaceScoped } of BUILT_IN_RESOURCES)
    scopes.set(describeResource({ group, resource }), namespaceScoped);
  scopes.set("services", true); // it is made with the networks of a server
  for (const definition of await readShippedDefinitions()) {
    const spec = specOf(definition);
    const [group, resource] = [textAt(spec, "group"), textAt(objectAt(spec, "names"), "plural")];
    scopes.set(describeResource({ group, resource }), textAt(spec, "scope") === "Namespaced");
  }
  const isServed = (kind: NeededKind) => scopes.has(describeResource(kind));
  expect(NEEDED_KINDS.filter((kind) => !isServed(kind)).map(describeResource)).toEqual([
    "adminnetworkpolicies.policy.networking.k8s.io",
    "baselineadminnetworkpolicies.policy.networking.k8s.io",
    "dnsnameresolvers.network.openshift.io",
  ]);
  for (const kind of NEEDED_KINDS.filter(isServed)) {
    expect([describeResource(kind), kind.namespaced]).toEqual([
      describeResource(kind),
      scopes.get(describeResource(kind)),
    ]);
  }
});

test("an object is known by group and kind, one that is read alone by its name as well", () => {
  const of = (apiVersion: string, kind: string, name = "a", namespace = "b") =>
    neededKindOf({ apiVersion, kind, metadata: { name, namespace } })?.resource;
  expect(of("v1", "Pod")).toBe("pods");
  expect(of("discovery.k8s.io/v1beta1", "EndpointSlice")).toBe("endpointslices");
  expect(of("example.com/v1", "Pod")).toBeUndefined();
  expect(of("v1", "ConfigMap")).toBeUndefined();
  expect(of("v1", "ConfigMap", "kubeadm-config", "kube-system")).toBe("configmaps");
});
