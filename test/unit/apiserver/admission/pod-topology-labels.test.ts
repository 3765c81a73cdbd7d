import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { KubeObject } from "../../../../src/apimachinery/meta/object-meta.ts";
import { createPodTopologyLabels } from "../../../../src/kube/admission/pod-topology-labels.ts";
import { TestApi } from "../endpoints/support.ts";
import { asked } from "./support.ts";

const ZONE = "topology.kubernetes.io/zone";
const REGION = "topology.kubernetes.io/region";

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.open();
  await api.post("/api/v1/nodes", {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "n", labels: { [ZONE]: "z", [REGION]: "r", other: "o" } },
  });
});
afterEach(() => api[Symbol.asyncDispose]());

function labelsOf(spec: object, operation: "CREATE" | "UPDATE" = "CREATE", labels = {}) {
  const object: KubeObject = { metadata: { name: "p", labels }, spec };
  const write = asked("pods", { operation, namespace: "default", object });
  createPodTopologyLabels({ store: api.store }).admit(write);
  return object.metadata.labels;
}

describe("a pod", () => {
  test("gets the zone and the region of its node, in place of its own", () => {
    expect(labelsOf({ nodeName: "n" }, "CREATE", { [ZONE]: "mine", a: "b" })).toEqual({
      [ZONE]: "z",
      [REGION]: "r",
      a: "b",
    });
  });

  test.each([
    ["without a node", {}],
    ["with a node that is not there", { nodeName: "m" }],
  ])("keeps its labels: %s", (_name, spec) => {
    expect(labelsOf(spec, "CREATE", { a: "b" })).toEqual({ a: "b" });
  });

  test("keeps its labels when it is changed", () => {
    expect(labelsOf({ nodeName: "n" }, "UPDATE", { a: "b" })).toEqual({ a: "b" });
  });

  test("gets them from its Binding, which has those of the node", () => {
    const object: KubeObject = { metadata: { name: "p" }, target: { kind: "Node", name: "n" } };
    const write = {
      ...asked("pods", { operation: "CREATE", namespace: "default", object }),
      subresource: "binding",
    };
    createPodTopologyLabels({ store: api.store }).admit(write);
    expect(object.metadata.labels).toEqual({ [ZONE]: "z", [REGION]: "r" });
  });
});
