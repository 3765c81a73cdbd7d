import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import { create, definitionOf, lines, rowOf, update } from "../passage.ts";

const SERVICE = definitionOf("apiregistration.k8s.io/APIService");
const SPEC = { group: "example.com", version: "v1", groupPriorityMinimum: 1000, versionPriority: 100 };
const REMOTE = { service: { namespace: "default", name: "api" } };
const body = (spec: JsonObject, more: JsonObject = {}) => ({
  metadata: { name: "v1.example.com" },
  spec: { ...SPEC, ...spec },
  ...more,
});
const LOCAL = {
  type: "Available",
  status: "True",
  lastTransitionTime: "2030-01-01T00:05:00Z",
  reason: "Local",
  message: "Local APIServices are always available",
};

describe("an APIService", () => {
  it("without a service is available at once", () => {
    expect(create(SERVICE, body({}, { status: {} })).object["status"]).toEqual({ conditions: [LOCAL] });
  });

  it("with a service is not, and its port is that of HTTPS", () => {
    expect(create(SERVICE, body(REMOTE)).object).toMatchObject({
      spec: { service: { port: 443 } },
      status: {},
    });
  });

  it("is called by version and group", () => {
    const { validateName } = SERVICE.strategy;
    const { object } = create(SERVICE, body({}));
    expect(validateName?.("v1.example.com", false, object)).toEqual([]);
    expect(validateName?.("v2.example.com", false, object)).toEqual([
      'must be `spec.version+"."+spec.group`: "v1.example.com"',
    ]);
  });

  it("keeps its status; the status keeps spec, labels and the like", () => {
    const before = create(SERVICE, body({})).object;
    const labels = { a: "b" };
    const changed = { ...body({ versionPriority: 7 }), metadata: { name: "v1.example.com", labels } };
    const whole = update(SERVICE, { before, body: { ...changed, status: {} } });
    expect(whole.object).toMatchObject({ spec: { versionPriority: 7 }, status: { conditions: [LOCAL] } });
    const status = { conditions: [{ type: "Available", status: "Maybe" }] };
    const only = update(SERVICE, { before, body: { ...changed, status } }, "status");
    expect(only.object).toMatchObject({ spec: SPEC, status });
    expect(only.object.metadata.labels).toBeUndefined();
    expect(lines(only.errors)).toEqual([
      'status.conditions[0].status: Unsupported value: "Maybe": supported values: "True", "False", "Unknown"',
    ]);
  });

  it.each<[JsonObject, JsonObject, string, string]>([
    [{}, { conditions: [LOCAL] }, "Local", "True"],
    [REMOTE, {}, "default/api", "Unknown"],
    [
      REMOTE,
      { conditions: [{ type: "Available", status: "False", reason: "ServiceNotFound" }] },
      "default/api",
      "False (ServiceNotFound)",
    ],
  ])("of %j with %j is shown", (spec, status, service, available) => {
    expect(rowOf(SERVICE, { ...body(spec), status })).toMatchObject({
      Service: service,
      Available: available,
    });
  });
});
