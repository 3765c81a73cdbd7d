import { afterEach, beforeEach, expect, test } from "vitest";
import { type JsonObject, objectAt, textAt } from "../../../../src/apimachinery/json/json.ts";
import type { KubeObject } from "../../../../src/apimachinery/meta/object-meta.ts";
import { alwaysAllow } from "../../../../src/apiserver/authorization/access-check.ts";
import type { AdmissionAttributes } from "../../../../src/apiserver/registry/admission.ts";
import { createNodeRestriction } from "../../../../src/kube/admission/node-restriction.ts";
import { TestApi } from "../endpoints/support.ts";
import { contextFor, refusal } from "../registry/support.ts";
import { asked } from "./support.ts";

let api: TestApi;
/** Of the node. */
let uid: string;
beforeEach(async () => {
  api = await TestApi.open();
  const made = await api.post("/api/v1/nodes", { metadata: { name: "n1" } });
  uid = textAt(objectAt(made.body, "metadata"), "uid");
});
afterEach(() => api[Symbol.asyncDispose]());

/** Grants nothing. */
const authorizer = {
  ...alwaysAllow,
  authorize: () => ({ allowed: false, reason: "" }),
};

const KUBELET = { name: "system:node:n1", groups: ["system:nodes"] };
const objectOf = (spec: JsonObject, metadata: JsonObject = {}): KubeObject => ({
  metadata: { name: "n1", ...metadata },
  spec,
});

const admit = (resource: string, more: Partial<AdmissionAttributes>, user = KUBELET): string =>
  (
    refusal(() =>
      createNodeRestriction({ store: api.store, authorizer }).admit(
        asked(resource, { name: "n1", context: contextFor({ user }), ...more }),
      ),
    ) ?? "may"
  ).replace(/^403 .* is forbidden: /, "");

const RESIZE = "unexpected pod subresource \"resize\", only 'status' and 'eviction' are allowed";
const CLAIM = 'node "n1" is not allowed to update fields other than status.quantity and status.conditions';
const claimed = (status: JsonObject): Partial<AdmissionAttributes> => ({
  ...{ operation: "UPDATE", subresource: "status", oldObject: objectOf({}) },
  object: { ...objectOf({}), status },
});
const token = (spec: JsonObject): Partial<AdmissionAttributes> => ({
  ...{ subresource: "token", namespace: "default", object: objectOf(spec) },
});
const annotations = { "kubernetes.io/config.mirror": "m" };
const owner = { apiVersion: "v1", kind: "Node", name: "n1", uid: "u", controller: true };
const own = { nodeName: "n1" };

test.each<[string, string, Partial<AdmissionAttributes>, string]>([
  [
    "a mirror Pod of a Node before it",
    "pods",
    { object: objectOf(own, { annotations, ownerReferences: [owner] }) },
    "node n1 UID mismatch: expected u got NODE",
  ],
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
    'node "n1" is not allowed to set the following labels: node-restriction.kubernetes.io/a, x.k8s.io/b',
  ],
  [
    "its taints",
    "nodes",
    { operation: "UPDATE", object: objectOf({}), oldObject: objectOf({ taints: [{ key: "a" }] }) },
    'node "n1" is not allowed to modify taints',
  ],
  [
    "a label of its Node that is not its own",
    "nodes",
    { operation: "UPDATE", object: objectOf({}, { labels: { "x.k8s.io/b": "" } }), oldObject: objectOf({}) },
    "is not allowed to modify labels: x.k8s.io/b",
  ],
  [
    "who owns its Node",
    "nodes",
    { operation: "UPDATE", object: objectOf({}, { ownerReferences: [owner] }), oldObject: objectOf({}) },
    'node "n1" is not allowed to modify ownerReferences',
  ],
  [
    "where its Node takes settings from",
    "nodes",
    { object: objectOf({ configSource: { configMap: {} } }) },
    'node "n1" is not allowed to create pods with a non-nil configSource',
  ],
  [
    "claims of devices into the status of its Pod",
    "pods",
    {
      ...{ operation: "UPDATE", subresource: "status", oldObject: objectOf(own) },
      object: { ...objectOf(own), status: { resourceClaimStatuses: [{ name: "a" }] } },
    },
    'node "n1" cannot update resource claim statues',
  ],
  ["a Pod's resources", "pods", { operation: "UPDATE", subresource: "resize" }, RESIZE],
  [
    "the end of a Pod that is not there",
    "pods",
    { subresource: "eviction", namespace: "default", name: "gone" },
    '404 pod "gone" not found',
  ],
  ["a claim", "persistentvolumeclaims", { object: objectOf({}) }, "may only update PVC status"],
  ["how large a claim has become", "persistentvolumeclaims", claimed({ capacity: { storage: "2" } }), "may"],
  ["the phase of a claim", "persistentvolumeclaims", claimed({ phase: "Bound" }), CLAIM],
  ["its CSINode", "csinodes", { object: objectOf({}) }, "may"],
  [
    "another's CSINode",
    "csinodes",
    { operation: "DELETE", name: "n2" },
    "can only access CSINode with the same name as the requesting node",
  ],
  ["its devices", "resourceslices", { object: objectOf(own) }, "may"],
  [
    "another's devices",
    "resourceslices",
    { operation: "DELETE", oldObject: objectOf({ nodeName: "n2" }) },
    "can only delete ResourceSlice with the same NodeName as the requesting node",
  ],
  [
    "for a certificate of nobody",
    "certificatesigningrequests",
    { object: objectOf({ signerName: "kubernetes.io/kubelet-serving", request: "" }) },
    "unable to parse csr: PEM block type must be CERTIFICATE REQUEST",
  ],
  [
    "for another's certificate",
    "certificatesigningrequests",
    { object: objectOf({ signerName: "a/b" }) },
    "may",
  ],
  ["for a token of nobody", "serviceaccounts", token({}), "node requested token not bound to a pod"],
  ["its Lease", "leases", { namespace: "kube-node-lease", object: objectOf({}) }, "may"],
  [
    "a Lease elsewhere",
    "leases",
    { namespace: "default", object: objectOf({}) },
    'can only access leases in the "kube-node-lease" system namespace',
  ],
])("a kubelet that writes %s", (_what, resource, attributes, expected) => {
  expect(admit(resource, attributes)).toBe(expected.replace("NODE", uid));
});

test.each<[string, JsonObject, string]>([
  ["nothing", {}, "may"],
  ["an account", { serviceAccountName: "a" }, "serviceaccounts"],
  ["a secret for pulling", { imagePullSecrets: [{ name: "a" }] }, "secrets"],
  ["a secret of a volume", { volumes: [{ name: "a", rbd: { secretRef: {} } }] }, "secrets"],
  ["a variable", { containers: [{ env: [{ valueFrom: { configMapKeyRef: {} } }] }] }, "configmaps"],
  ["all of a map", { initContainers: [{ envFrom: [{ configMapRef: {} }] }] }, "configmaps"],
  ["a device", { resourceClaims: [{ name: "a" }] }, "resourceclaims"],
  [
    "a token",
    { volumes: [{ name: "a", projected: { sources: [{ serviceAccountToken: {} }] } }] },
    "serviceaccounts (via projected volumes)",
  ],
  ["its own folder", { volumes: [{ name: "a", hostPath: { path: "/a" } }] }, "may"],
])("a mirror Pod that refers to %s", (_what, spec, resource) => {
  const object = objectOf({ ...own, ...spec }, { annotations, ownerReferences: [{ ...owner, uid }] });
  expect(admit("pods", { object })).toBe(
    resource === "may" ? resource : `node "n1" can not create pods that reference ${resource}`,
  );
});

test("a token is for a Pod of the node, and for whom its volumes name", async () => {
  const volumes = [
    { name: "a", projected: { sources: [{ serviceAccountToken: { audience: "b", path: "t" } }] } },
  ];
  const spec = { nodeName: "n1", serviceAccountName: "s", containers: [{ name: "c", image: "i" }], volumes };
  const made = await api.post("/api/v1/namespaces/default/pods", { metadata: { name: "p" }, spec });
  const bound = { apiVersion: "v1", kind: "Pod", name: "p" };
  const ofPod = textAt(objectAt(made.body, "metadata"), "uid");
  const asks = (boundObjectRef: JsonObject, ...audiences: readonly string[]): string =>
    admit("serviceaccounts", token({ boundObjectRef, audiences }));

  expect(asks({ ...bound, uid: ofPod }, "b")).toBe("may");
  expect(asks(bound)).toBe("node requested token with a pod binding without a uid");
  expect(asks({ ...bound, uid: "other" })).toMatch(
    /^the UID in the bound object reference \(other\) does not/,
  );
  expect(asks({ ...bound, uid: ofPod }, "b", "c")).toBe("node may only request 0 or 1 audiences");
  expect(asks({ ...bound, uid: ofPod }, "c")).toBe(
    'audience "c" not found in pod spec volume, system:node:n1 is not authorized to request tokens for this audience',
  );
});

test("others are not looked at", () => {
  expect(admit("pods", { object: objectOf({}) }, { name: "alice", groups: [] })).toBe("may");
});
