import { expect, test } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import { applySchemaDefaults } from "../../../../../src/apiserver/registry/strategy/schema-defaults.ts";

const filled = (type: string, value: JsonObject): JsonObject => {
  applySchemaDefaults(`io.k8s.api.core.v1.${type}`, value);
  return value;
};

test("what is left out is filled in, down to the structs in lists", () => {
  const probe = { httpGet: { port: 80 }, timeoutSeconds: 7 };
  expect(filled("PodSpec", { containers: [{ name: "a", readinessProbe: probe }] })).toMatchObject({
    dnsPolicy: "ClusterFirst",
    securityContext: {},
    containers: [
      {
        terminationMessagePolicy: "File",
        readinessProbe: { timeoutSeconds: 7, periodSeconds: 10, httpGet: { path: "/", scheme: "HTTP" } },
      },
    ],
  });
});

test("an empty text and 0 are nothing where the member is no pointer", () => {
  expect(filled("Probe", { timeoutSeconds: 0 })["timeoutSeconds"]).toBe(1);
  expect(filled("EndpointPort", { protocol: "" })["protocol"]).toBe("TCP");
  expect(filled("PodSpec", { terminationGracePeriodSeconds: 0 })["terminationGracePeriodSeconds"]).toBe(0);
});

test("structs that are not there are not made for their defaults", () => {
  expect(filled("Container", { name: "a" })).not.toHaveProperty("readinessProbe");
});

test("each value has a copy of its own", () => {
  const [one, other] = [filled("PodSpec", {}), filled("PodSpec", {})];
  expect(one["securityContext"]).not.toBe(other["securityContext"]);
});
