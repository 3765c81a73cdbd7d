import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import type { KubeObject } from "../../../../src/apimachinery/meta/object-meta.ts";
import { createDefaultIngressClass } from "../../../../src/kube/admission/default-ingress-class.ts";
import { TestApi } from "../endpoints/support.ts";
import { asked } from "./support.ts";

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.open();
});
afterEach(() => api[Symbol.asyncDispose]());

const makeClass = (name: string, mark?: string) =>
  api.post("/apis/networking.k8s.io/v1/ingressclasses", {
    apiVersion: "networking.k8s.io/v1",
    kind: "IngressClass",
    metadata: {
      name,
      ...(mark === undefined ? {} : { annotations: { "ingressclass.kubernetes.io/is-default-class": mark } }),
    },
    spec: { controller: "example.com/ingress" },
  });

/** The spec that comes out. */
function admit(spec: JsonObject, annotations = {}, more = {}): unknown {
  const object: KubeObject = { metadata: { name: "a", annotations }, spec };
  const write = asked("ingresses", { namespace: "default", object, ...more });
  createDefaultIngressClass({ store: api.store }).admit(write);
  return object["spec"];
}

describe("a new Ingress", () => {
  test("has no class where none is the default", async () => {
    await makeClass("usual");
    await makeClass("other", "yes");
    expect(admit({})).toEqual({});
  });

  test("gets the default class, unless it names one in either way", async () => {
    await makeClass("usual", "true");
    expect(admit({})).toEqual({ ingressClassName: "usual" });
    expect(admit({ ingressClassName: "own" })).toEqual({ ingressClassName: "own" });
    expect(admit({ ingressClassName: "" })).toEqual({ ingressClassName: "" });
    expect(admit({}, { "kubernetes.io/ingress.class": "" })).toEqual({});
  });

  test("gets the newest of several defaults, of equally old ones the first by name", async () => {
    await makeClass("c", "true");
    await makeClass("b", "true");
    expect(admit({})).toEqual({ ingressClassName: "b" });
    api.clock.advance(1000);
    await makeClass("d", "true");
    expect(admit({})).toEqual({ ingressClassName: "d" });
  });

  test("is looked at only once, and its status not at all", async () => {
    await makeClass("usual", "true");
    expect(admit({}, {}, { operation: "UPDATE" })).toEqual({});
    expect(admit({}, {}, { subresource: "status" })).toEqual({});
  });
});
