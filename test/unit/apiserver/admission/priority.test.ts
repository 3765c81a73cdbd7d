import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import type { KubeObject } from "../../../../src/apimachinery/meta/object-meta.ts";
import type { AdmissionAttributes } from "../../../../src/apiserver/registry/admission.ts";
import { createPriority } from "../../../../src/kube/admission/priority.ts";
import { TestApi } from "../endpoints/support.ts";
import { refusal } from "../registry/support.ts";
import { asked } from "./support.ts";

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.open();
});
afterEach(() => api[Symbol.asyncDispose]());

const makeClass = (name: string, members: JsonObject) =>
  api.post("/apis/scheduling.k8s.io/v1/priorityclasses", {
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    metadata: { name },
    ...members,
  });

function admit(
  operation: AdmissionAttributes["operation"],
  resource: string,
  object: KubeObject | undefined,
  name = "a",
) {
  const plugin = createPriority({ store: api.store });
  const attributes = asked(resource, { operation, name, object });
  return refusal(() => {
    plugin.admit(attributes);
    plugin.validate(attributes);
  });
}

describe("a new Pod", () => {
  const pod = (spec: JsonObject) => ({ metadata: { name: "a" }, spec });

  test.each<[string, JsonObject, JsonObject]>([
    ["without a class has none", {}, { priority: 0, preemptionPolicy: "PreemptLowerPriority" }],
    [
      "with a class has its priority",
      { priorityClassName: "high" },
      { priorityClassName: "high", priority: 70, preemptionPolicy: "Never" },
    ],
    [
      "may say what its class says",
      { priorityClassName: "high", priority: 70, preemptionPolicy: "Never" },
      { priorityClassName: "high", priority: 70, preemptionPolicy: "Never" },
    ],
  ])("%s", async (_name, given, expected) => {
    await makeClass("high", { value: 70, preemptionPolicy: "Never" });
    const object = pod(given);
    expect(admit("CREATE", "pods", object)).toBeUndefined();
    expect(object.spec).toEqual(expected);
  });

  test.each<[string, KubeObject["metadata"], string]>([
    ["by what its name will begin with", { generateName: "x-" }, "x-"],
    ["as unknown without a name", {}, "Unknown"],
  ])("is refused %s", (_rule, metadata, shown) => {
    expect(admit("CREATE", "pods", { metadata, spec: { priorityClassName: "none" } }, "")).toBe(
      `403 pods "${shown}" is forbidden: no PriorityClass with name none was found`,
    );
  });

  test("gets the default class", async () => {
    await makeClass("usual", { value: 9, globalDefault: true });
    const object = pod({});
    admit("CREATE", "pods", object);
    expect(object.spec).toMatchObject({ priorityClassName: "usual", priority: 9 });
  });

  const RULE = "must not be provided in pod spec; priority admission controller computed";
  test.each<[string, JsonObject, string]>([
    ["a class that is not there", { priorityClassName: "x" }, "no PriorityClass with name x was found"],
    [
      "another priority",
      { priorityClassName: "high", priority: 1 },
      `the integer value of priority (1) ${RULE} 70 from the given PriorityClass name`,
    ],
    [
      "another policy",
      { preemptionPolicy: "Never" },
      `the string value of PreemptionPolicy (Never) ${RULE} PreemptLowerPriority from the given PriorityClass name`,
    ],
  ])("with %s is refused", async (_name, given, why) => {
    await makeClass("high", { value: 70 });
    expect(admit("CREATE", "pods", pod(given))).toBe(`403 pods "a" is forbidden: ${why}`);
  });

  test("keeps what it has when an update leaves it out", () => {
    const oldObject = pod({ priority: 7, preemptionPolicy: "Never" });
    const object = pod({});
    const write = asked("pods", { operation: "UPDATE", object, oldObject });
    createPriority({ store: api.store }).admit(write);
    expect(object.spec).toEqual({ priority: 7, preemptionPolicy: "Never" });
  });

  test("is looked at only once", () => {
    const object = pod({ priorityClassName: "x" });
    expect(admit("UPDATE", "pods", object)).toBeUndefined();
    expect(object.spec).toEqual({ priorityClassName: "x" });
  });
});

describe("a PriorityClass", () => {
  const isDefault = { metadata: {}, globalDefault: true };
  const PREFIX = '403 priorityclasses.scheduling.k8s.io "a" is forbidden:';

  test("is the default while there is no other", async () => {
    expect(admit("CREATE", "priorityclasses", isDefault)).toBeUndefined();
    await makeClass("usual", { value: 9, globalDefault: true });
    const why = `${PREFIX} PriorityClass usual is already marked as default. Only one default can exist`;
    expect(admit("CREATE", "priorityclasses", isDefault)).toBe(why);
    expect(admit("UPDATE", "priorityclasses", isDefault)).toBe(why);
    expect(admit("UPDATE", "priorityclasses", isDefault, "usual")).toBeUndefined();
    expect(admit("CREATE", "priorityclasses", { metadata: {} })).toBeUndefined();
  });

  test("of the system stays", () => {
    expect(admit("DELETE", "priorityclasses", undefined)).toBeUndefined();
    expect(admit("DELETE", "priorityclasses", undefined, "system-node-critical")).toBe(
      '403 priorityclasses.scheduling.k8s.io "system-node-critical" is forbidden: this is a system priority class and cannot be deleted',
    );
  });
});
