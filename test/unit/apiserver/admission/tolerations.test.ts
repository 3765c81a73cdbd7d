import { expect, test } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import type { AdmissionAttributes } from "../../../../src/apiserver/registry/admission.ts";
import {
  createDefaultTolerationSeconds,
  createTaintNodesByCondition,
} from "../../../../src/kube/admission/tolerations.ts";
import { asked } from "./support.ts";

const attributesOf = (resource: string, spec: JsonObject, more: Partial<AdmissionAttributes> = {}) =>
  asked(resource, { ...more, object: { metadata: { name: "a" }, spec } });

const within = (key: string, tolerationSeconds = 300) => ({
  key,
  operator: "Exists",
  effect: "NoExecute",
  tolerationSeconds,
});
const NOT_READY = "node.kubernetes.io/not-ready";
const UNREACHABLE = "node.kubernetes.io/unreachable";

test.each<[string, object[] | undefined, object[]]>([
  ["says nothing", undefined, [within(NOT_READY), within(UNREACHABLE)]],
  ["says for how long", [within(NOT_READY, 5)], [within(NOT_READY, 5), within(UNREACHABLE)]],
  ["tolerates everything", [{ operator: "Exists" }], [{ operator: "Exists" }]],
  [
    "tolerates any effect of one taint",
    [{ key: UNREACHABLE, operator: "Exists" }],
    [{ key: UNREACHABLE, operator: "Exists" }, within(NOT_READY)],
  ],
  [
    "tolerates another effect",
    [{ operator: "Exists", effect: "NoSchedule" }],
    [{ operator: "Exists", effect: "NoSchedule" }, within(NOT_READY), within(UNREACHABLE)],
  ],
])("a Pod that %s", (_rule, given, expected) => {
  for (const operation of ["CREATE", "UPDATE"] as const) {
    const write = attributesOf("pods", given ? { tolerations: given } : {}, { operation });
    createDefaultTolerationSeconds().admit(write);
    expect(write.object.spec).toEqual({ tolerations: expected });
  }
});

test("a Pod that says nothing stays as long as the options say", () => {
  const write = attributesOf("pods", {});
  createDefaultTolerationSeconds({ tolerationSeconds: { notReady: 17, unreachable: -5 } }).admit(write);
  expect(write.object.spec).toEqual({ tolerations: [within(NOT_READY, 17), within(UNREACHABLE, -5)] });
});

test("a write of a Pod's status changes no tolerations", () => {
  const write = attributesOf("pods", {}, { operation: "UPDATE", subresource: "status" });
  createDefaultTolerationSeconds().admit(write);
  expect(write.object.spec).toEqual({});
});

test.each<[string, object[] | undefined, object[]]>([
  ["takes no Pods yet", undefined, [{ key: NOT_READY, effect: "NoSchedule" }]],
  [
    "has said so itself",
    [{ key: NOT_READY, effect: "NoSchedule" }],
    [{ key: NOT_READY, effect: "NoSchedule" }],
  ],
  [
    "keeps its other taints",
    [{ key: NOT_READY, effect: "NoExecute" }],
    [
      { key: NOT_READY, effect: "NoExecute" },
      { key: NOT_READY, effect: "NoSchedule" },
    ],
  ],
])("a new Node %s", (_rule, given, expected) => {
  const write = attributesOf("nodes", given ? { taints: given } : {});
  createTaintNodesByCondition().admit(write);
  expect(write.object.spec).toEqual({ taints: expected });
});

test("a Node that is there already keeps its taints", () => {
  const write = attributesOf("nodes", {}, { operation: "UPDATE" });
  createTaintNodesByCondition().admit(write);
  expect(write.object.spec).toEqual({});
});
