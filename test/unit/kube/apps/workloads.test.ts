// The kinds with a pod template: defaults, allowed updates, table columns.
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import { objectAt } from "../../../../src/apimachinery/json/json.ts";
import { create, definitionOf, lines, type Outcome, rowOf, update, validBody } from "../passage.ts";

const KINDS = ["Deployment", "ReplicaSet", "DaemonSet", "StatefulSet"];
const of = (kind: string) => definitionOf(`apps/${kind}`);
const specOf = (object: JsonObject): JsonObject => objectAt(object, "spec") ?? {};

/** The valid fixture with other members in its spec. */
const bodyOf = (kind: string, spec: JsonObject = {}, more: JsonObject = {}): JsonObject => {
  const body = validBody(of(kind));
  return { ...body, ...more, spec: { ...objectAt(body, "spec"), ...spec } };
};
const created = (kind: string, spec: JsonObject = {}, more: JsonObject = {}) =>
  create(of(kind), bodyOf(kind, spec, more)).object;
const changed = (kind: string, spec: JsonObject, more: JsonObject = {}, subresource = ""): Outcome =>
  update(of(kind), { before: created(kind), body: bodyOf(kind, spec, more) }, subresource);

describe("a new", () => {
  it.each<[string, JsonObject]>([
    [
      "Deployment",
      {
        replicas: 1,
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
        strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "25%", maxSurge: "25%" } },
      },
    ],
    ["ReplicaSet", { replicas: 1 }],
    [
      "DaemonSet",
      {
        revisionHistoryLimit: 10,
        updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
      },
    ],
    [
      "StatefulSet",
      {
        replicas: 1,
        revisionHistoryLimit: 10,
        podManagementPolicy: "OrderedReady",
        updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
        persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Retain" },
        serviceName: "",
      },
    ],
  ])("%s has the defaults of a real server, its pods theirs", (kind, expected) => {
    const { selector, template, ...spec } = specOf(created(kind));
    expect(spec).toEqual(expected);
    expect(template).toMatchObject({
      spec: {
        restartPolicy: "Always",
        dnsPolicy: "ClusterFirst",
        schedulerName: "default-scheduler",
        terminationGracePeriodSeconds: 30,
        containers: [{ imagePullPolicy: "IfNotPresent", terminationMessagePath: "/dev/termination-log" }],
      },
    });
  });

  it.each<[string, JsonObject]>([
    ["Deployment", {}],
    ["ReplicaSet", { replicas: 0 }],
    [
      "DaemonSet",
      { currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0 },
    ],
    ["StatefulSet", { availableReplicas: 0, replicas: 0 }],
  ])("%s has a status of its own, whatever it was given", (kind, status) => {
    expect(created(kind, {}, { status: { observedGeneration: 7 } })["status"]).toEqual(status);
  });

  it("DaemonSet counts its templates in an annotation, from 1", () => {
    const name = "deprecated.daemonset.template.generation";
    expect(created("DaemonSet").metadata.annotations).toEqual({ [name]: "1" });
    const template = {
      ...objectAt(specOf(bodyOf("DaemonSet")), "template"),
      metadata: { labels: { app: "web", v: "2" } },
    };
    expect(changed("DaemonSet", { template }).object.metadata.annotations).toEqual({ [name]: "2" });
    expect(changed("DaemonSet", { minReadySeconds: 3 }).object.metadata.annotations).toEqual({ [name]: "1" });
  });

  it("StatefulSet completes its claims", () => {
    const claims = [{ metadata: { name: "data" }, spec: { accessModes: ["ReadWriteOnce"] } }];
    expect(
      specOf(created("StatefulSet", { volumeClaimTemplates: claims }))["volumeClaimTemplates"],
    ).toMatchObject([
      {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        spec: { volumeMode: "Filesystem" },
        status: { phase: "Pending" },
      },
    ]);
  });
});

describe("a changed", () => {
  const OTHER = { matchLabels: { app: "web", tier: "front" } };
  const TEMPLATE = {
    metadata: { labels: OTHER.matchLabels },
    spec: { containers: [{ name: "c", image: "i:1" }] },
  };

  it.each(["Deployment", "ReplicaSet", "DaemonSet"])("%s keeps its selector", (kind) => {
    const { errors } = changed(kind, { selector: OTHER, template: TEMPLATE });
    expect(lines(errors)).toEqual([
      `spec.selector: Invalid value: ${JSON.stringify(OTHER)}: field is immutable`,
    ]);
  });

  it("StatefulSet keeps all but a few members", () => {
    const few = { replicas: 3, minReadySeconds: 1, ordinals: { start: 1 }, revisionHistoryLimit: 2 };
    expect(changed("StatefulSet", few).errors).toEqual([]);
    expect(lines(changed("StatefulSet", { podManagementPolicy: "Parallel" }).errors)).toEqual([
      "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    ]);
  });

  it.each(KINDS)("%s keeps its status, and by way of the status its spec", (kind) => {
    const spec = changed(kind, { minReadySeconds: 5 }, { status: { observedGeneration: 7 } });
    expect(spec.object["status"]).toEqual(created(kind)["status"]);
    const status = changed(kind, { minReadySeconds: 5 }, { status: { observedGeneration: 7 } }, "status");
    expect(status.object["spec"]).toEqual(created(kind)["spec"]);
    expect(status.object["status"]).toMatchObject({ observedGeneration: 7 });
  });

  it.each<[string, JsonObject, string[]]>([
    [
      "Deployment",
      { replicas: 1, readyReplicas: 2, availableReplicas: 3, observedGeneration: -1 },
      [
        "status.observedGeneration",
        "status.readyReplicas",
        "status.availableReplicas",
        "status.availableReplicas",
      ],
    ],
    [
      "ReplicaSet",
      { replicas: 1, fullyLabeledReplicas: 2, readyReplicas: -1 },
      ["status.readyReplicas", "status.fullyLabeledReplicas", "status.availableReplicas"],
    ],
    ["DaemonSet", { numberReady: -1, collisionCount: -1 }, ["status.numberReady", "status.collisionCount"]],
    [
      "StatefulSet",
      { replicas: 1, currentReplicas: 2, updatedReplicas: 3 },
      ["status.currentReplicas", "status.updatedReplicas"],
    ],
  ])("%s refuses a status of %j", (kind, status, fields) => {
    expect(changed(kind, {}, { status }, "status").errors.map(({ field }) => field)).toEqual(fields);
  });

  it("Deployment counts a generation for its annotations, too", () => {
    const metadata = { name: "web", annotations: { a: "b" } };
    expect(changed("Deployment", {}, { metadata }).object.metadata.generation).toBe(1);
    expect(changed("Deployment", {}).object.metadata.generation).toBeUndefined();
  });

  it("ControllerRevision keeps its data", () => {
    const revision = of("ControllerRevision");
    const before = create(revision, validBody(revision)).object;
    const next = (members: JsonObject) =>
      lines(update(revision, { before, body: { ...validBody(revision), ...members } }).errors);
    expect(next({ revision: 2 })).toEqual([]);
    expect(next({ data: { x: 1 }, revision: -1 })).toEqual([
      "revision: Invalid value: -1: must be greater than or equal to 0",
      'data: Invalid value: {"x":1}: field is immutable',
    ]);
  });
});

describe("the row of a", () => {
  const METADATA = { name: "web", creationTimestamp: "2030-01-01T00:00:00Z" };
  const row = (kind: string, spec: JsonObject, status: JsonObject, more: JsonObject = {}) =>
    rowOf(of(kind), { metadata: METADATA, spec: specOf(bodyOf(kind, spec)), status, ...more });
  const PODS = { Age: "5m", Name: "web", Containers: "c", Images: "i:1" };

  it("Deployment", () => {
    const status = { readyReplicas: 2, updatedReplicas: 1, availableReplicas: 1 };
    expect(row("Deployment", { replicas: 3 }, status)).toEqual({
      ...PODS,
      Ready: "2/3",
      "Up-to-date": 1,
      Available: 1,
      Selector: "app=web",
    });
  });

  it("ReplicaSet", () => {
    expect(row("ReplicaSet", { replicas: 3 }, { replicas: 2, readyReplicas: 1 })).toEqual({
      ...PODS,
      Desired: 3,
      Current: 2,
      Ready: 1,
      Selector: "app=web",
    });
  });

  it("DaemonSet", () => {
    const status = {
      desiredNumberScheduled: 3,
      currentNumberScheduled: 2,
      numberReady: 1,
      numberAvailable: 1,
    };
    expect(row("DaemonSet", {}, status)).toEqual({
      ...PODS,
      Desired: 3,
      Current: 2,
      Ready: 1,
      "Up-to-date": 0,
      Available: 1,
      "Node Selector": "<none>",
      Selector: "app=web",
    });
  });

  it("StatefulSet", () => {
    expect(row("StatefulSet", { replicas: 3 }, { readyReplicas: 1 })).toEqual({ ...PODS, Ready: "1/3" });
  });

  it.each<[JsonObject[], string]>([
    [[], "<none>"],
    [[{ apiVersion: "apps/v1", kind: "DaemonSet", name: "web", controller: true }], "daemonset.apps/web"],
    [[{ apiVersion: "v1", kind: "Pod", name: "web" }], "<none>"],
  ])("ControllerRevision with the owners %j", (ownerReferences, controller) => {
    const object = { metadata: { ...METADATA, ownerReferences }, revision: 4 };
    expect(rowOf(of("ControllerRevision"), object)).toEqual({
      Name: "web",
      Controller: controller,
      Revision: 4,
      Age: "5m",
    });
  });
});

describe("a workload whose pods are not among those it selects", () => {
  it.each(KINDS)("%s: labels that were given empty are told from none", (kind) => {
    const { template, ...spec } = specOf(bodyOf(kind));
    const withMetadata = (metadata: JsonObject) => ({
      ...spec,
      template: { ...(template as JsonObject), metadata },
    });
    const said = (metadata: JsonObject) =>
      lines(create(of(kind), bodyOf(kind, withMetadata(metadata))).errors);
    const wrong = (shown: string) =>
      `spec.template.metadata.labels: Invalid value: ${shown}: \`selector\` does not match template \`labels\``;
    expect(said({ labels: {} })).toEqual([wrong("{}")]);
    expect(said({})).toEqual([wrong("null")]);
  });

  it.each(["Deployment", "ReplicaSet"])(
    "%s: what is not understood is shown as its struct, and its template is not looked at",
    (kind) => {
      const matchExpressions = [{ operator: "x", key: "a" }];
      const selector = { matchExpressions, matchLabels: { app: "a" } };
      const { errors } = create(of(kind), bodyOf(kind, { selector, template: { spec: { containers: [] } } }));
      expect(lines(errors)).toEqual([
        'spec.selector.matchExpressions[0].operator: Invalid value: "x": not a valid selector operator',
        'spec.selector: Invalid value: {"matchLabels":{"app":"a"},"matchExpressions":[{"key":"a","operator":"x"}]}: invalid label selector',
      ]);
    },
  );

  it("a StatefulSet's pods get the volumes that are claimed for them", () => {
    const volumeClaimTemplates = [{ metadata: { name: "v" } }, { metadata: {} }];
    const mounted = { name: "c", image: "i", volumeMounts: [{ name: "v", mountPath: "/v" }] };
    const { template } = specOf(bodyOf("StatefulSet")) as { template: JsonObject };
    const spec = { volumeClaimTemplates, template: { ...template, spec: { containers: [mounted] } } };
    expect(lines(create(of("StatefulSet"), bodyOf("StatefulSet", spec)).errors)).toEqual([
      "spec.volumeClaimTemplates[0].spec.accessModes: Required value: at least 1 access mode is required",
      "spec.volumeClaimTemplates[0].spec.resources[storage]: Required value",
      "spec.volumeClaimTemplates[1].spec.accessModes: Required value: at least 1 access mode is required",
      "spec.volumeClaimTemplates[1].spec.resources[storage]: Required value",
      "spec.template.spec.volumes[1].persistentVolumeClaim.claimName: Required value",
      "spec.template.spec.volumes[1].name: Required value",
    ]);
  });
});
