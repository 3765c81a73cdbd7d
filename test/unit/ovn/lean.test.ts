// What a plan keeps of objects is enough for it, and for the checks of what changes.
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/apimachinery/json/json.ts";
import type { KubeObject } from "../../../src/apimachinery/meta/object-meta.ts";
import { toPlan } from "../../../src/cli/far-verdicts.ts";
import type { PlannedChange } from "../../../src/features/analysis/planned-change.ts";
import { DEFAULT_FACTS } from "../../../src/ovn/snapshot.ts";
import { planOnCopy } from "../../../src/server/copy-of-cluster.ts";

const stored = (name: string) => ({
  ...{ name, uid: `uid-of-${name}`, resourceVersion: "7", creationTimestamp: "2026-01-01T00:00:00Z" },
  managedFields: [
    { manager: "kubelet", operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1: {} },
  ],
});
const container = (name: string): JsonObject => ({
  ...{ name, image: `example.com/${name}:v1`, imagePullPolicy: "IfNotPresent" },
  ...{ command: ["run"], args: ["fast"], env: [{ name: "A", value: "b" }] },
  ports: [{ name: `at-${name}`, containerPort: 8080, protocol: "TCP" }],
  resources: { requests: { cpu: "100m" } },
  volumeMounts: [{ name: "disk", mountPath: "/disk" }],
  ...{ terminationMessagePath: "/dev/termination-log", terminationMessagePolicy: "File" },
});
const pod: KubeObject = {
  ...{ apiVersion: "v1", kind: "Pod" },
  metadata: {
    ...stored("web"),
    namespace: "shop",
    labels: { app: "web" },
    annotations: { kept: "yes", "kubectl.kubernetes.io/last-applied-configuration": "{}" },
  },
  spec: {
    ...{
      nodeName: "a",
      restartPolicy: "Always",
      dnsPolicy: "ClusterFirst",
      schedulerName: "default-scheduler",
    },
    ...{ terminationGracePeriodSeconds: 30, securityContext: {}, enableServiceLinks: true },
    initContainers: [container("first")],
    containers: [container("web")],
    volumes: [{ name: "disk", emptyDir: {} }],
    tolerations: [{ key: "any", operator: "Exists", effect: "NoSchedule" }],
  },
  status: {
    ...{ phase: "Running", podIP: "10.128.1.7", podIPs: [{ ip: "10.128.1.7" }], hostIP: "10.0.0.1" },
    containerStatuses: [{ name: "web", ready: true, restartCount: 0, image: "web", imageID: "web" }],
  },
};
const node: KubeObject = {
  ...{ apiVersion: "v1", kind: "Node" },
  metadata: stored("a"),
  status: { images: [{ names: ["web"], sizeBytes: 5 }], conditions: [{ type: "Ready", status: "True" }] },
};
const namespace: KubeObject = {
  ...{ apiVersion: "v1", kind: "Namespace", metadata: stored("shop") },
  ...{ spec: { finalizers: ["kubernetes"] }, status: { phase: "Active" } },
};

async function refusals(...changes: PlannedChange[]) {
  const objects = [node, namespace, pod].map(toPlan(changes).keep);
  const plan = await planOnCopy(objects, { facts: DEFAULT_FACTS, platform: "none" });
  return (await plan([changes], {}))[0]?.refused;
}

describe("for a plan", () => {
  const { keep } = toPlan([]);

  test("a Pod keeps what reaches it, what it asks for, and how it is", () => {
    const before = structuredClone(pod);
    const { metadata, spec, status } = keep(pod) as JsonObject & { metadata: KubeObject["metadata"] };
    const { managedFields: _managedFields, ...others } = stored("web");
    expect(metadata).toEqual({
      ...{ ...others, namespace: "shop", labels: { app: "web" } },
      annotations: { kept: "yes" },
    });
    const { ports, resources, ...more } = container("web");
    expect(spec).toMatchObject({
      nodeName: "a",
      initContainers: [{ ports: container("first")["ports"] }],
      containers: [{ name: "web", image: more["image"], ports, resources }],
    });
    const text = JSON.stringify([spec, status]);
    expect(text).not.toMatch(/env"|volume|command|args|tolerations|containerStatuses/);
    expect(status).toMatchObject({ phase: "Running", podIP: "10.128.1.7", hostIP: "10.0.0.1" });
    expect(pod).toEqual(before);
  });

  test("a Node goes without its images", () => {
    expect(keep(node)["status"]).toEqual({ conditions: [{ type: "Ready", status: "True" }] });
  });

  test("what is kept of a Pod is valid", async () => {
    expect(await refusals({ label: "pod/shop/web", labels: { app: "other" } })).toEqual([]);
  });

  test("a Pod that is applied is compared with all that it was", async () => {
    const { managedFields: _managedFields, resourceVersion: _resourceVersion, ...metadata } = pod.metadata;
    const { apiVersion = "", kind = "", spec } = pod as KubeObject & { spec: JsonObject };
    const applied = { apiVersion, kind, metadata: { ...metadata, labels: { app: "other" } }, spec };
    expect(await refusals({ apply: applied })).toEqual([]);
    const other = { ...applied, spec: { ...spec, nodeName: "b" } };
    expect(await refusals({ apply: other })).toMatchObject([
      { message: expect.stringContaining("NodeName") },
    ]);
  });
});
