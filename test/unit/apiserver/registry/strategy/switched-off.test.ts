import { expect, test } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import { dropSwitchedOff } from "../../../../../src/apiserver/registry/strategy/switched-off.ts";

const dropped = (spec: JsonObject, old?: JsonObject): JsonObject => {
  dropSwitchedOff("io.k8s.api.core.v1.PodSpec", spec, old);
  return spec;
};
const signalling = (lifecycle: JsonObject): JsonObject => ({
  containers: [{ name: "a", lifecycle: { stopSignal: "SIGINT", ...lifecycle } }],
});

test("what is switched off is dropped wherever it stands", () => {
  const projected = { sources: [{ clusterTrustBundle: { path: "a" } }, { secret: { name: "s" } }] };
  const spec = { schedulingGroup: {}, nodeName: "n", volumes: [{ name: "v", projected }] };
  expect(dropped(spec)).toEqual({
    nodeName: "n",
    volumes: [{ name: "v", projected: { sources: [{}, { secret: { name: "s" } }] } }],
  });
});

test("a struct that had nothing else goes as well", () => {
  expect(dropped(signalling({}))).toEqual({ containers: [{ name: "a" }] });
  expect(dropped(signalling({ preStop: {} }))).toEqual({
    containers: [{ name: "a", lifecycle: { preStop: {} } }],
  });
});

test("what the object had already it may have", () => {
  const old = signalling({});
  const spec = { ...signalling({}), schedulingGroup: {} };
  expect(dropped(spec, old)).toEqual(old);
});
