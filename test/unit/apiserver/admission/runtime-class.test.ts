import { afterAll, beforeAll, expect, test } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import type { KubeObject } from "../../../../src/apimachinery/meta/object-meta.ts";
import { createRuntimeClass } from "../../../../src/kube/admission/runtime-class.ts";
import { TestApi } from "../endpoints/support.ts";
import { asked } from "./support.ts";

const CLASSES: Readonly<Record<string, JsonObject>> = {
  plain: {},
  costly: { overhead: { podFixed: { cpu: "250m" } } },
  placed: {
    scheduling: {
      nodeSelector: { runtime: "sandbox" },
      tolerations: [{ key: "runtime", operator: "Exists" }],
    },
  },
};

let api: TestApi;
beforeAll(async () => {
  api = await TestApi.open();
  for (const [name, members] of Object.entries(CLASSES))
    await api.post("/apis/node.k8s.io/v1/runtimeclasses", {
      ...{ apiVersion: "node.k8s.io/v1", kind: "RuntimeClass", metadata: { name }, handler: "h" },
      ...members,
    });
});
afterAll(() => api[Symbol.asyncDispose]());

function admitted(spec: JsonObject, how: "admit" | "validate" = "admit") {
  const object: KubeObject = { metadata: { name: "a" }, spec };
  createRuntimeClass({ store: api.store })[how](asked("pods", { object }));
  return object["spec"];
}

test.each<[string, JsonObject, JsonObject]>([
  ["no class", {}, {}],
  ["a class without conditions", { runtimeClassName: "plain" }, { runtimeClassName: "plain" }],
  [
    "a class that costs something",
    { runtimeClassName: "costly" },
    { runtimeClassName: "costly", overhead: { cpu: "250m" } },
  ],
  [
    "a class with nodes of its own",
    {
      runtimeClassName: "placed",
      nodeSelector: { a: "b" },
      tolerations: [{ key: "runtime", operator: "Equal", value: "x" }, { key: "k" }],
    },
    {
      runtimeClassName: "placed",
      nodeSelector: { a: "b", runtime: "sandbox" },
      tolerations: [{ key: "k" }, { key: "runtime", operator: "Exists" }],
    },
  ],
])("a pod with %s", (_name, spec, expected) => {
  expect(admitted(spec)).toEqual(expected);
  expect(() => admitted(expected, "validate")).not.toThrow();
});

test.each<[string, "admit" | "validate", JsonObject, string]>([
  ["a class that is not there", "admit", { runtimeClassName: "none" }, 'RuntimeClass "none" not found'],
  [
    "another cost than the class's",
    "admit",
    { runtimeClassName: "costly", overhead: { cpu: "1" } },
    "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
  ],
  [
    "the cost taken away",
    "validate",
    { runtimeClassName: "costly" },
    "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
  ],
  [
    "a cost without a class",
    "validate",
    { overhead: { cpu: "1" } },
    "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
  ],
  [
    "other nodes than the class's",
    "admit",
    { runtimeClassName: "placed", nodeSelector: { runtime: "host" } },
    "conflict: runtimeClass.scheduling.nodeSelector[runtime] = sandbox; pod.spec.nodeSelector[runtime] = host",
  ],
])("no pod with %s", (_name, how, spec, expected) => {
  expect(() => admitted(spec, how)).toThrow(expected);
});
