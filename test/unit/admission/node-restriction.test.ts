import { afterEach, beforeEach, expect, test } from "vitest";
import { createNodeRestriction } from "../../../src/admission/plugins/node-restriction.ts";
import type { JsonObject } from "../../../src/meta/json.ts";
import type { KubeObject } from "../../../src/meta/object-meta.ts";
import type { AdmissionAttributes } from "../../../src/registry/admission.ts";
import { TestApi } from "../apiserver/support.ts";
import { contextFor, refusal } from "../registry/support.ts";
import { asked } from "./support.ts";

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.open();
});
afterEach(() => api[Symbol.asyncDispose]());

const KUBELET = { name: "system:node:n1", groups: ["system:nodes"] };
const objectOf = (spec: JsonObject, metadata: JsonObject = {}): KubeObject => ({
  metadata: { name: "n1", ...metadata },
  spec,
});

const admit = (resource: string, more: Partial<AdmissionAttributes>, user = KUBELET): string =>
  (
    refusal(() =>
      createNodeRestriction({ store: api.store }).admit(
        asked(resource, { name: "n1", context: contextFor({ user }), ...more }),
      ),
    ) ?? "may"
  ).replace(/^403 .* is forbidden: /, "");

const annotations = { "kubernetes.io/config.mirror": "m" };
const owner = { apiVersion: "v1", kind: "Node", name: "n1", uid: "u", controller: true };
const own = { nodeName: "n1" };

test.each<[string, string, Partial<AdmissionAttributes>, string]>([
  ["a mirror Pod", "pods", { object: objectOf(own, { annotations, ownerReferences: [owner] }) }, "may"],
  [
    "a Pod of its own",
    "pods",
    { object: objectOf(own) },
    'pod does not have "kubernetes.io/config.mirror" annotation, node "n1" can only create mirror pods',
  ],
  [
    "a mirror Pod elsewhere",
    "pods",
    { object: objectOf({ nodeName: "n2" }, { annotations }) },
    'node "n1" can only create pods with spec.nodeName set to itself',
  ],
  [
    "a mirror Pod of nobody",
    "pods",
    { object: objectOf(own, { annotations }) },
    'node "n1" can only create pods with an owner reference set to itself',
  ],
  [
    "the status of another's Pod",
    "pods",
    {
      operation: "UPDATE",
      subresource: "status",
      object: objectOf({}),
      oldObject: objectOf({ nodeName: "n2" }),
    },
    'node "n1" can only update pod status for pods with spec.nodeName set to itself',
  ],
  ["the end of its Pod", "pods", { operation: "DELETE", oldObject: objectOf(own) }, "may"],
  ["its Node", "nodes", { object: objectOf({}, { labels: { "kubernetes.io/os": "linux", a: "b" } }) }, "may"],
  [
    "another Node",
    "nodes",
    { name: "n2", object: objectOf({}) },
    'node "n1" is not allowed to modify node "n2"',
  ],
  [
    "labels that are not its own",
    "nodes",
    { object: objectOf({}, { labels: { "node-restriction.kubernetes.io/a": "", "x.k8s.io/b": "" } }) },
    'node "n1" is not allowed to set the following node labels: node-restriction.kubernetes.io/a, x.k8s.io/b',
  ],
  [
    "its taints",
    "nodes",
    { operation: "UPDATE", object: objectOf({}), oldObject: objectOf({ taints: [{ key: "a" }] }) },
    'node "n1" is not allowed to modify taints',
  ],
  ["its Lease", "leases", { namespace: "kube-node-lease", object: objectOf({}) }, "may"],
  [
    "a Lease elsewhere",
    "leases",
    { namespace: "default", object: objectOf({}) },
    'can only access leases in the "kube-node-lease" system namespace',
  ],
])("a kubelet that writes %s", (_what, resource, attributes, expected) => {
  expect(admit(resource, attributes)).toBe(expected);
});

test("others are not looked at", () => {
  expect(admit("pods", { object: objectOf({}) }, { name: "alice", groups: [] })).toBe("may");
});
