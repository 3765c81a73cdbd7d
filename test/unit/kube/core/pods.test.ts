import { describe, expect, it } from "vitest";
import { type JsonObject, objectAt, objectsAt } from "../../../../src/apimachinery/json/json.ts";
import { qosClassOf } from "../../../../src/kube/quota/pod-resources.ts";
import { create, definitionOf, rowOf } from "../passage.ts";

const PODS = definitionOf("Pod");

const made = (spec: JsonObject): JsonObject => create(PODS, { metadata: { name: "p" }, spec }).object;
const specOf = (spec: JsonObject): JsonObject => objectAt(made(spec), "spec") ?? {};

const CONTAINER_DEFAULTS = {
  resources: {},
  terminationMessagePath: "/dev/termination-log",
  terminationMessagePolicy: "File",
};

describe("a new Pod", () => {
  it("gets every default of a minimal one", () => {
    expect(made({ containers: [{ name: "c", image: "img" }] })).toMatchObject({
      spec: {
        containers: [{ name: "c", image: "img", imagePullPolicy: "Always", ...CONTAINER_DEFAULTS }],
        restartPolicy: "Always",
        terminationGracePeriodSeconds: 30,
        dnsPolicy: "ClusterFirst",
        securityContext: {},
        schedulerName: "default-scheduler",
        enableServiceLinks: true,
      },
      status: { phase: "Pending", qosClass: "BestEffort" },
    });
  });

  it("fills in probes, handlers, references and requests", () => {
    const container = {
      name: "c",
      image: "img:1",
      env: [{ name: "N", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
      resources: { limits: { cpu: "1", memory: "64Mi" }, requests: { cpu: "500m" } },
      livenessProbe: { httpGet: { port: 80 } },
      readinessProbe: { exec: { command: ["true"] }, periodSeconds: 3 },
      lifecycle: { preStop: { httpGet: { port: 80 } } },
    };
    const numbers = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };
    expect(specOf({ containers: [container] })["containers"]).toEqual([
      {
        ...CONTAINER_DEFAULTS,
        ...container,
        imagePullPolicy: "IfNotPresent",
        env: [{ name: "N", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.name" } } }],
        resources: { limits: { cpu: "1", memory: "64Mi" }, requests: { cpu: "500m", memory: "64Mi" } },
        livenessProbe: { httpGet: { path: "/", port: 80, scheme: "HTTP" }, ...numbers },
        readinessProbe: { exec: { command: ["true"] }, ...numbers, periodSeconds: 3 },
        lifecycle: { preStop: { httpGet: { path: "/", port: 80, scheme: "HTTP" } } },
      },
    ]);
  });

  it.each<[JsonObject, JsonObject]>([
    [{}, { emptyDir: {} }],
    [{ configMap: { name: "c" } }, { configMap: { name: "c", defaultMode: 420 } }],
    [{ secret: { secretName: "s", defaultMode: 0 } }, { secret: { secretName: "s", defaultMode: 0 } }],
    [{ hostPath: { path: "/x" } }, { hostPath: { path: "/x", type: "" } }],
    [{ image: { reference: "a:latest" } }, { image: { reference: "a:latest", pullPolicy: "Always" } }],
    [
      { downwardAPI: { items: [{ path: "l", fieldRef: { fieldPath: "metadata.labels" } }] } },
      {
        downwardAPI: {
          items: [{ path: "l", fieldRef: { apiVersion: "v1", fieldPath: "metadata.labels" } }],
          defaultMode: 420,
        },
      },
    ],
    [
      { projected: { sources: [{ serviceAccountToken: { path: "t" } }] } },
      {
        projected: {
          sources: [{ serviceAccountToken: { path: "t", expirationSeconds: 3600 } }],
          defaultMode: 420,
        },
      },
    ],
  ])("fills in the volume %j", (volume, expected) => {
    const spec = specOf({ containers: [{ name: "c", image: "i:1" }], volumes: [{ name: "v", ...volume }] });
    expect(spec["volumes"]).toEqual([{ name: "v", ...expected }]);
  });

  it("opens its ports on a host whose network it uses", () => {
    const ports = [{ containerPort: 80 }];
    const spec = specOf({ hostNetwork: true, containers: [{ name: "c", image: "i:1", ports }] });
    expect(spec["containers"]).toMatchObject([
      { ports: [{ containerPort: 80, hostPort: 80, protocol: "TCP" }] },
    ]);
  });

  it.each<[string, JsonObject, JsonObject]>([
    [
      "one name of its account is as good as the other",
      { serviceAccount: "sa" },
      { serviceAccountName: "sa", serviceAccount: "sa" },
    ],
    [
      "a negative grace period is the shortest",
      { terminationGracePeriodSeconds: -1 },
      { terminationGracePeriodSeconds: 1 },
    ],
  ])("%s", (_name, spec, expected) => {
    expect(specOf({ containers: [{ name: "c", image: "i:1" }], ...spec })).toMatchObject(expected);
  });

  it("waits behind its scheduling gates", () => {
    const pod = made({ containers: [{ name: "c", image: "i:1" }], schedulingGates: [{ name: "a/b" }] });
    expect(pod["status"]).toMatchObject({
      conditions: [{ type: "PodScheduled", status: "False", reason: "SchedulingGated" }],
    });
    expect(rowOf(PODS, pod)["Status"]).toBe("SchedulingGated");
  });
});

const DIGEST = `sha256:${"0123456789abcdef".repeat(4)}`;

it.each([
  ["a", "Always"],
  ["a:latest", "Always"],
  ["a:1", "IfNotPresent"],
  ["host:5000/a", "Always"],
  ["host:5000/a:1", "IfNotPresent"],
  ["Host/a", "Always"],
  [`a@${DIGEST}`, "IfNotPresent"],
  [`a:latest@${DIGEST}`, "Always"],
  ["", "IfNotPresent"],
  ["A", "IfNotPresent"],
  ["a:latest@sha256:0123", "IfNotPresent"],
  [DIGEST.slice(7), "IfNotPresent"],
])("the image %s is pulled %s", (image, policy) => {
  const [container] = objectsAt(specOf({ containers: [{ name: "c", image }] }), "containers");
  expect(container?.["imagePullPolicy"]).toBe(policy);
});

describe("the quality of service class", () => {
  const both = (cpu: string, memory: string) => ({ cpu, memory });
  const using = (...resources: JsonObject[]): JsonObject => ({
    containers: resources.map((item) => ({ resources: item })),
  });

  it.each<[string, JsonObject]>([
    ["BestEffort", using({}, {})],
    ["BestEffort", using({ requests: { "example.com/gpu": "1" } })],
    ["Guaranteed", using({ limits: both("1", "1Gi"), requests: both("1000m", "1024Mi") })],
    ["Burstable", using({ limits: both("1", "1Gi"), requests: both("500m", "1Gi") })],
    ["Burstable", using({ limits: both("1", "1Gi"), requests: both("1", "1Gi") }, {})],
    ["Burstable", using({ requests: { cpu: "1m" } })],
    ["Guaranteed", { resources: { limits: both("1", "1Gi"), requests: both("1", "1Gi") }, containers: [{}] }],
  ])("is %s for %j", (expected, spec) => {
    expect(qosClassOf(spec)).toBe(expected);
  });
});

describe("the row of a Pod", () => {
  const running = (name: string, more: JsonObject = {}): JsonObject => ({
    name,
    ready: true,
    restartCount: 0,
    state: { running: {} },
    ...more,
  });
  const ended = (terminated: JsonObject): JsonObject => ({
    name: "a",
    restartCount: 0,
    state: { terminated },
  });
  const TWO = { containers: [{ name: "a" }, { name: "b" }] };
  const INIT = { ...TWO, initContainers: [{ name: "i" }, { name: "j" }] };
  const SIDECAR = { ...TWO, initContainers: [{ name: "i", restartPolicy: "Always" }] };

  it.each<[string, JsonObject, JsonObject, Record<string, unknown>]>([
    ["is its phase", TWO, { phase: "Pending" }, { Ready: "0/2", Status: "Pending", Restarts: "0" }],
    ["is its reason", TWO, { phase: "Failed", reason: "Evicted" }, { Status: "Evicted" }],
    [
      "is the reason of a container that waits",
      TWO,
      {
        phase: "Running",
        containerStatuses: [
          running("a", { restartCount: 2 }),
          { name: "b", restartCount: 1, state: { waiting: { reason: "CrashLoopBackOff" } } },
        ],
      },
      { Ready: "1/2", Status: "CrashLoopBackOff", Restarts: "3" },
    ],
    [
      "tells when a container last ended",
      TWO,
      {
        phase: "Running",
        containerStatuses: [
          running("a", {
            restartCount: 1,
            lastState: { terminated: { finishedAt: "2030-01-01T00:00:00Z" } },
          }),
        ],
      },
      { Restarts: "1 (5m ago)" },
    ],
    [
      "is the reason of an end",
      TWO,
      { phase: "Running", containerStatuses: [ended({ reason: "OOMKilled" })] },
      { Status: "OOMKilled" },
    ],
    [
      "is the signal of an end",
      TWO,
      { phase: "Running", containerStatuses: [ended({ signal: 9 })] },
      { Status: "Signal:9" },
    ],
    [
      "is the code of an end",
      TWO,
      { phase: "Running", containerStatuses: [ended({ exitCode: 3 })] },
      { Status: "ExitCode:3" },
    ],
    [
      "is Running while one container runs and the pod is ready",
      TWO,
      {
        phase: "Running",
        conditions: [{ type: "Ready", status: "True" }],
        containerStatuses: [ended({ reason: "Completed" }), running("b")],
      },
      { Ready: "1/2", Status: "Running" },
    ],
    [
      "is NotReady while one container runs and the pod is not ready",
      TWO,
      { phase: "Running", containerStatuses: [ended({ reason: "Completed" }), running("b")] },
      { Status: "NotReady" },
    ],
    [
      "counts init containers",
      INIT,
      { phase: "Pending", initContainerStatuses: [{ name: "i", restartCount: 1, state: { running: {} } }] },
      { Ready: "0/2", Status: "Init:0/2", Restarts: "1" },
    ],
    [
      "passes over init containers that are done",
      INIT,
      {
        phase: "Pending",
        initContainerStatuses: [
          ended({ exitCode: 0 }),
          { name: "j", state: { waiting: { reason: "ImagePullBackOff" } } },
        ],
      },
      { Status: "Init:ImagePullBackOff" },
    ],
    [
      "tells how an init container failed",
      INIT,
      { phase: "Pending", initContainerStatuses: [ended({ exitCode: 1 })] },
      { Status: "Init:ExitCode:1" },
    ],
    [
      "counts sidecars among the containers",
      SIDECAR,
      {
        phase: "Running",
        initContainerStatuses: [running("i", { started: true, restartCount: 4 })],
        containerStatuses: [running("a"), running("b")],
      },
      { Ready: "3/3", Status: "Running", Restarts: "4" },
    ],
    [
      "shows address, node and gates",
      { ...TWO, nodeName: "n", readinessGates: [{ conditionType: "x/y" }, { conditionType: "x/z" }] },
      {
        phase: "Running",
        nominatedNodeName: "m",
        podIPs: [{ ip: "10.0.0.1" }],
        conditions: [{ type: "x/y", status: "True" }],
      },
      { IP: "10.0.0.1", Node: "n", "Nominated Node": "m", "Readiness Gates": "1/2" },
    ],
  ])("%s", (_name, spec, status, expected) => {
    expect(rowOf(PODS, { metadata: { name: "p" }, spec, status })).toMatchObject(expected);
  });

  it.each([
    [{ phase: "Running" }, "Terminating"],
    [{ phase: "Running", reason: "NodeLost" }, "Unknown"],
    [{ phase: "Succeeded" }, "Succeeded"],
  ])("of a pod that is deleted with %j is %s", (status, word) => {
    const metadata = { name: "p", deletionTimestamp: "2030-01-01T00:00:00Z" };
    expect(rowOf(PODS, { metadata, spec: TWO, status })["Status"]).toBe(word);
  });

  it.each([
    ["Succeeded", "The pod has completed successfully."],
    ["Failed", "The pod failed."],
  ])("says that a pod is done when it has %s", (phase, message) => {
    const row = PODS.printRow?.({ metadata: {}, spec: TWO, status: { phase } }, 0);
    expect(row?.conditions).toEqual([{ type: "Completed", status: "True", reason: phase, message }]);
  });
});
