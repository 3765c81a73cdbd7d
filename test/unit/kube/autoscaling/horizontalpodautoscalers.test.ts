// HorizontalPodAutoscaler: one kind in two versions whose schemas differ.
import { afterEach, beforeEach, describe, expect, it, test } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import { MERGE_PATCH, TestApi } from "../../apiserver/endpoints/support.ts";
import { create, definitionOf, lines, rowOf, update } from "../passage.ts";

const HPA = definitionOf("autoscaling/HorizontalPodAutoscaler");
const TARGET = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
const CPU = (averageUtilization: number) => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization } },
});
const created = (spec: JsonObject) =>
  create(HPA, { metadata: { name: "web" }, spec: { scaleTargetRef: TARGET, maxReplicas: 3, ...spec } })
    .object;

describe("a new one", () => {
  it("asks for at least one pod, and for eighty percent of the CPU", () => {
    expect(created({})["spec"]).toEqual({
      scaleTargetRef: TARGET,
      minReplicas: 1,
      maxReplicas: 3,
      metrics: [CPU(80)],
    });
  });

  it("has nothing to report", () => {
    expect(created({})["status"]).toEqual({ currentMetrics: null, desiredReplicas: 0 });
  });

  const up = {
    stabilizationWindowSeconds: 0,
    selectPolicy: "Max",
    policies: [
      { type: "Pods", value: 4, periodSeconds: 15 },
      { type: "Percent", value: 100, periodSeconds: 15 },
    ],
  };
  const down = { selectPolicy: "Max", policies: [{ type: "Percent", value: 100, periodSeconds: 15 }] };

  it.each<[string, JsonObject, JsonObject]>([
    ["nothing in it", {}, { scaleUp: up, scaleDown: down }],
    [
      "a window for the way down",
      { scaleDown: { stabilizationWindowSeconds: 60 } },
      { scaleUp: up, scaleDown: { ...down, stabilizationWindowSeconds: 60 } },
    ],
    [
      "a policy of its own",
      { scaleUp: { policies: [{ type: "Pods", value: 1, periodSeconds: 60 }], selectPolicy: "Min" } },
      {
        scaleUp: { ...up, selectPolicy: "Min", policies: [{ type: "Pods", value: 1, periodSeconds: 60 }] },
        scaleDown: down,
      },
    ],
  ])("completes a behavior with %s", (_name, behavior, expected) => {
    expect(created({ behavior })["spec"]).toMatchObject({ behavior: expected });
  });
});

describe("a changed one", () => {
  it("keeps its status; the status keeps its spec and is not less than nothing", () => {
    const before = created({});
    const body = { metadata: { name: "web" }, spec: { scaleTargetRef: TARGET, maxReplicas: 5 } };
    const spec = update(HPA, { before, body: { ...body, status: { desiredReplicas: 9 } } });
    expect(spec.object["status"]).toEqual(before["status"]);
    const status = update(HPA, { before, body: { ...body, status: { desiredReplicas: -1 } } }, "status");
    expect(status.object["spec"]).toEqual(before["spec"]);
    expect(lines(status.errors)).toEqual([
      "status.desiredReplicas: Invalid value: -1: must be greater than or equal to 0",
    ]);
  });

  it("may go on asking for nothing, but not begin to", () => {
    const external = {
      type: "External",
      external: { metric: { name: "q" }, target: { type: "Value", value: "1" } },
    };
    const spec = { scaleTargetRef: TARGET, maxReplicas: 3 };
    const before = created({});
    const none = { ...before, spec: { ...spec, minReplicas: 0, metrics: [external] } };
    const errors = (from: typeof before, body: JsonObject) =>
      lines(update(HPA, { before: from, body }).errors);
    expect(errors(before, none)).toEqual([
      "spec.minReplicas: Invalid value: 0: must be greater than or equal to 1",
    ]);
    expect(errors(none, none)).toEqual([]);
    expect(errors(none, { ...before, spec: { ...spec, minReplicas: 0 } })).toEqual([
      "spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas",
    ]);
  });
});

describe("the apiVersion of what is scaled", () => {
  const GROUP = "apiVersion must specify API group";
  const target = (apiVersion: string, kind = "Deployment") => ({
    scaleTargetRef: { apiVersion, kind, name: "web" },
    maxReplicas: 1,
  });
  const errors = (spec: JsonObject) => lines(create(HPA, { metadata: { name: "a" }, spec }).errors);

  it.each<[string, string, string[]]>([
    ["apps/v1", "Deployment", []],
    ["v1", "Deployment", [`spec.scaleTargetRef.apiVersion: Invalid value: "v1": ${GROUP}`]],
    ["", "Deployment", [`spec.scaleTargetRef.apiVersion: Invalid value: "": ${GROUP}`]],
    ["v1", "ReplicationController", []],
    [
      "a/b/c",
      "ReplicationController",
      ['spec.scaleTargetRef.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c'],
    ],
  ])("%j of a %s", (apiVersion, kind, expected) => {
    expect(errors(target(apiVersion, kind))).toEqual(expected);
  });

  it("may stay as it was before there was this rule", () => {
    const before = create(HPA, { metadata: { name: "a" }, spec: target("v1") }).object;
    const next = (spec: JsonObject) =>
      lines(update(HPA, { before, body: { metadata: { name: "a" }, spec } }).errors);
    expect(next({ ...target("v1"), maxReplicas: 2 })).toEqual([]);
    expect(next(target("v1", "ReplicaSet"))).toHaveLength(1);
  });

  it("needs no group where an object is measured", () => {
    const metric = (apiVersion: string) => ({
      type: "Object",
      object: {
        describedObject: { apiVersion, kind: "Service", name: "web" },
        metric: { name: "hits" },
        target: { type: "Value", value: "1" },
      },
    });
    const spec = (apiVersion: string) => ({ ...target("apps/v1"), metrics: [metric(apiVersion)] });
    expect(errors(spec("v1"))).toEqual([]);
    expect(errors(spec("a/b/c"))).toHaveLength(1);
    const before = create(HPA, { metadata: { name: "a" }, spec: spec("a/b/c") }).object;
    expect(update(HPA, { before, body: { metadata: { name: "a" }, spec: spec("x/y/z") } }).errors).toEqual(
      [],
    );
  });
});

describe("a row", () => {
  const row = (metrics: JsonObject[], currentMetrics: JsonObject[] = []) => {
    const spec = { scaleTargetRef: TARGET, minReplicas: 2, maxReplicas: 5, metrics };
    return rowOf(HPA, { metadata: { name: "a" }, spec, status: { currentMetrics, currentReplicas: 3 } });
  };

  it("shows what is scaled and how far", () => {
    expect(row([])).toMatchObject({
      Name: "a",
      Reference: "Deployment/web",
      Targets: "<none>",
      MinPods: "2",
      MaxPods: 5,
      Replicas: 3,
    });
  });

  const of = (type: string, source: string, more: JsonObject) => ({ type, [source]: more });
  it.each<[string, JsonObject, JsonObject, string]>([
    ["cpu", CPU(80), {}, "cpu: <unknown>/80%"],
    ["cpu", CPU(80), { resource: { current: { averageUtilization: 20 } } }, "cpu: 20%/80%"],
    [
      "memory of a container",
      of("ContainerResource", "containerResource", { name: "memory", target: { averageValue: "1Gi" } }),
      { containerResource: { current: { averageValue: "1Mi" } } },
      "memory: 1Mi/1Gi",
    ],
    ["pods", of("Pods", "pods", { target: { averageValue: "10" } }), {}, "<unknown>/10"],
    [
      "an object",
      of("Object", "object", { target: { value: "10" } }),
      { object: { current: { value: "7" } } },
      "7/10",
    ],
    [
      "something outside, per pod",
      of("External", "external", { target: { averageValue: "10" } }),
      { external: { current: { averageValue: "3" } } },
      "3/10 (avg)",
    ],
    ["something else", { type: "Moon" }, {}, "<unknown type>"],
  ])("shows the metric of %s", (_name, metric, current, expected) => {
    expect(row([metric], [current])["Targets"]).toBe(expected);
  });

  it("is of texts for the clients, even where there are numbers", () => {
    const columns = HPA.versions.flatMap((version) => version.columns);
    expect(columns.filter(({ type }) => type !== "string")).toEqual([]);
  });

  it("shows two metrics, and how many more there are", () => {
    expect(row([CPU(1), CPU(2), CPU(3), CPU(4)])["Targets"]).toBe(
      "cpu: <unknown>/1%, cpu: <unknown>/2% + 2 more...",
    );
  });
});

describe("over both versions", () => {
  let api: TestApi;
  beforeEach(async () => {
    api = await TestApi.open();
  });
  afterEach(() => api[Symbol.asyncDispose]());

  const path = (version: string) =>
    `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers`;
  const v1 = (spec: JsonObject, annotations: JsonObject = {}) => ({
    apiVersion: "autoscaling/v1",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "web", annotations },
    spec: { scaleTargetRef: TARGET, maxReplicas: 3, ...spec },
  });

  test("what is made in v1 is stored as v2", async () => {
    const made = await api.post(path("v1"), v1({ targetCPUUtilizationPercentage: 50 }));
    expect(made).toMatchObject({
      status: 201,
      body: {
        apiVersion: "autoscaling/v1",
        spec: { minReplicas: 1, targetCPUUtilizationPercentage: 50 },
        status: { currentReplicas: 0, desiredReplicas: 0 },
      },
    });
    const stored = (await api.send("GET", `${path("v2")}/web`)).body;
    expect(stored).toMatchObject({ apiVersion: "autoscaling/v2", spec: { metrics: [CPU(50)] } });
    expect(stored["status"]).toEqual({ currentMetrics: null, desiredReplicas: 0 });
    const list = (await api.send("GET", path("v1"))).body;
    expect(list).toMatchObject({
      kind: "HorizontalPodAutoscalerList",
      apiVersion: "autoscaling/v1",
      items: [{ spec: { targetCPUUtilizationPercentage: 50 } }],
    });
  });

  test("v1 shows the default of v2", async () => {
    const made = await api.post(path("v1"), v1({}));
    expect(made.body["spec"]).toMatchObject({ targetCPUUtilizationPercentage: 80 });
  });

  test("what v1 has no member for comes and goes in annotations", async () => {
    const memory = {
      type: "Resource",
      resource: { name: "memory", target: { type: "AverageValue", averageValue: "1Gi" } },
    };
    const body = { ...v1({ metrics: [memory, CPU(40)], behavior: {} }), apiVersion: "autoscaling/v2" };
    const { spec } = (await api.post(path("v2"), body)).body;
    const shown = (await api.send("GET", `${path("v1")}/web`)).body;
    expect(shown).toMatchObject({
      metadata: {
        annotations: {
          "autoscaling.alpha.kubernetes.io/metrics":
            '[{"type":"Resource","resource":{"name":"memory","targetAverageValue":"1Gi"}}]',
          "autoscaling.alpha.kubernetes.io/behavior":
            '{"ScaleUp":{"StabilizationWindowSeconds":0,"SelectPolicy":"Max","Policies":[{"Type":"Pods","Value":4,"PeriodSeconds":15},{"Type":"Percent","Value":100,"PeriodSeconds":15}],"Tolerance":null},"ScaleDown":{"StabilizationWindowSeconds":null,"SelectPolicy":"Max","Policies":[{"Type":"Percent","Value":100,"PeriodSeconds":15}],"Tolerance":null}}',
        },
      },
      spec: { targetCPUUtilizationPercentage: 40 },
    });
    expect(shown["spec"]).not.toHaveProperty("metrics");
    const replaced = await api.send("PUT", `${path("v1")}/web`, { body: shown });
    expect(replaced.status).toBe(200);
    const after = (await api.send("GET", `${path("v2")}/web`)).body;
    expect(after["spec"]).toEqual(spec);
    expect(after["metadata"]).not.toHaveProperty("annotations");
  });

  test("so do the metrics that were seen, and conditions", async () => {
    await api.post(path("v1"), v1({}));
    const currentMetrics = [
      {
        type: "Resource",
        resource: { name: "cpu", current: { averageUtilization: 7, averageValue: "70m" } },
      },
      { type: "Pods", pods: { metric: { name: "hits" }, current: { averageValue: "3" } } },
    ];
    const conditions = [{ type: "AbleToScale", status: "True", lastTransitionTime: "2030-01-01T00:00:00Z" }];
    const status = { desiredReplicas: 2, currentReplicas: 1, currentMetrics, conditions };
    const patched = await api.send("PATCH", `${path("v2")}/web/status`, {
      headers: { "content-type": MERGE_PATCH },
      body: { status },
    });
    expect(patched.body["status"]).toEqual(status);
    const shown = (await api.send("GET", `${path("v1")}/web`)).body;
    expect(shown).toMatchObject({
      metadata: {
        annotations: {
          "autoscaling.alpha.kubernetes.io/current-metrics":
            '[{"type":"Resource","resource":{"name":"cpu","currentAverageUtilization":7,"currentAverageValue":"70m"}},{"type":"Pods","pods":{"metricName":"hits","currentAverageValue":"3"}}]',
        },
      },
      status: { currentCPUUtilizationPercentage: 7, currentReplicas: 1, desiredReplicas: 2 },
    });
    await api.send("PUT", `${path("v1")}/web/status`, { body: shown });
    expect((await api.send("GET", `${path("v2")}/web`)).body["status"]).toEqual(status);
  });

  test.each(["", "no JSON", "{}", "null", "7"])(
    "an annotation %j that says nothing is dropped",
    async (text) => {
      const annotations = { "autoscaling.alpha.kubernetes.io/metrics": text, mine: "x" };
      expect((await api.post(path("v1"), v1({}, annotations))).status).toBe(201);
      const stored = (await api.send("GET", `${path("v2")}/web`)).body;
      expect(stored).toMatchObject({
        metadata: { annotations: { mine: "x" } },
        spec: { metrics: [CPU(80)] },
      });
      expect(Object.keys((stored["metadata"] as { annotations: object }).annotations)).toEqual(["mine"]);
    },
  );

  test("an annotation with values of other types gives those that can be used", async () => {
    const annotations = {
      "autoscaling.alpha.kubernetes.io/metrics":
        '[7,{"type":"Pods","pods":{"metricName":"hits","targetAverageValue":"3","selector":7,"__proto__":{}}}]',
      "autoscaling.alpha.kubernetes.io/behavior": '{"ScaleUp":7,"scaleDown":{"SelectPolicy":7,"Policies":7}}',
      "autoscaling.alpha.kubernetes.io/conditions": '{"a":1}',
    };
    expect((await api.post(path("v1"), v1({}, annotations))).body["message"]).toBe(
      'HorizontalPodAutoscaler.autoscaling "web" is invalid: spec.behavior.scaleDown.policies: Required value: must specify at least one Policy',
    );
    const { "autoscaling.alpha.kubernetes.io/behavior": _, ...others } = annotations;
    await api.post(path("v1"), v1({}, others));
    expect((await api.send("GET", `${path("v2")}/web`)).body["spec"]).toMatchObject({
      metrics: [
        {
          type: "Pods",
          pods: { metric: { name: "hits" }, target: { type: "AverageValue", averageValue: "3" } },
        },
      ],
    });
  });

  test("what is wrong is told in the form of v2", async () => {
    const refused = await api.post(path("v1"), v1({ targetCPUUtilizationPercentage: -1, maxReplicas: 0 }));
    expect(refused).toMatchObject({
      status: 422,
      body: {
        details: {
          causes: [
            { field: "spec.maxReplicas" },
            { field: "spec.maxReplicas" },
            { field: "spec.metrics[0].resource.target.averageUtilization" },
          ],
        },
      },
    });
  });

  test("a table of v1 shows the metrics of v2", async () => {
    await api.post(path("v1"), v1({ targetCPUUtilizationPercentage: 50 }));
    const accept = "application/json;as=Table;g=meta.k8s.io;v=v1";
    const { body } = await api.send("GET", path("v1"), { headers: { accept } });
    expect(body).toMatchObject({
      kind: "Table",
      rows: [{ cells: ["web", "Deployment/web", "cpu: <unknown>/50%", "1", 3, 0, expect.any(String)] }],
    });
  });
});
