// Ingresses, network policies and IP addresses of Services: defaults, updates, table rows.
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import { create, definitionOf, lines, rowOf, update } from "../passage.ts";

const of = (kind: string) => definitionOf(`networking.k8s.io/${kind}`);
const METADATA = { name: "a", creationTimestamp: "2030-01-01T00:00:00Z" };
const made = (kind: string, spec: JsonObject, more: JsonObject = {}) =>
  create(of(kind), { metadata: { name: "a" }, spec, ...more }).object;
const change = (
  kind: string,
  before: JsonObject,
  spec: JsonObject,
  subresource = "",
  more: JsonObject = {},
) =>
  update(
    of(kind),
    { before: made(kind, before), body: { metadata: { name: "a" }, spec, ...more } },
    subresource,
  );

const BACKEND = { service: { name: "web", port: { number: 80 } } };
const CLASS = { controller: "example.com/ingress" };

describe("an Ingress", () => {
  it("has an empty load balancer, and keeps it", () => {
    const before = { defaultBackend: BACKEND };
    expect(made("Ingress", before)["status"]).toEqual({ loadBalancer: {} });
    const status = { loadBalancer: { ingress: [{ ip: "1.2.3.4" }] } };
    expect(change("Ingress", before, before, "", { status }).object["status"]).toEqual({ loadBalancer: {} });
    expect(change("Ingress", before, {}, "status", { status }).object).toMatchObject({
      spec: before,
      status,
    });
  });

  it("has addresses and names in its status", () => {
    const ingress = [{ ip: "1.2.3" }, { hostname: "1.2.3.4" }, { hostname: "a_b" }];
    const { errors } = change("Ingress", { defaultBackend: BACKEND }, {}, "status", {
      status: { loadBalancer: { ingress } },
    });
    expect(errors.map(({ field }) => field)).toEqual([
      "status.loadBalancer.ingress[0].ip",
      "status.loadBalancer.ingress[1].hostname",
      "status.loadBalancer.ingress[2].hostname",
    ]);
  });

  it("warns of the older way to name its class, when it is made", () => {
    const metadata = { name: "a", annotations: { "kubernetes.io/ingress.class": "x" } };
    const object = made("Ingress", { defaultBackend: BACKEND }, { metadata });
    const { warnings } = of("Ingress").strategy;
    expect(warnings?.(object, undefined)).toEqual([
      `annotation "kubernetes.io/ingress.class" is deprecated, please use 'spec.ingressClassName' instead`,
    ]);
    expect(warnings?.(object, object)).toEqual([]);
  });

  const rule = (host: string) => ({ host, http: { paths: [{ backend: BACKEND }] } });
  it.each<[JsonObject, JsonObject, JsonObject]>([
    [{}, {}, { Class: "<none>", Hosts: "*", Address: "", Ports: "80" }],
    [
      { ingressClassName: "fast", tls: [{}], rules: [rule("a.b"), rule("c.d")] },
      { loadBalancer: { ingress: [{ ip: "1.1.1.1" }, { hostname: "x.y" }, { ip: "1.1.1.1" }] } },
      { Class: "fast", Hosts: "a.b,c.d", Address: "1.1.1.1,x.y", Ports: "80, 443" },
    ],
    [{ rules: ["a", "b", "c", "d", "e"].map(rule) }, {}, { Hosts: "a,b,c + 2 more..." }],
  ])("with %j and %j is shown", (spec, status, expected) => {
    expect(rowOf(of("Ingress"), { metadata: METADATA, spec, status })).toMatchObject(expected);
  });
});

describe("an IngressClass", () => {
  it("has parameters for the whole cluster, and its controller stays", () => {
    const parameters = { kind: "Settings", name: "x" };
    expect(made("IngressClass", { ...CLASS, parameters })["spec"]).toMatchObject({
      parameters: { scope: "Cluster" },
    });
    expect(lines(change("IngressClass", CLASS, { controller: "example.com/other" }).errors)).toEqual([
      'spec.controller: Invalid value: "example.com/other": field is immutable',
    ]);
  });

  it.each<[JsonObject, string]>([
    [{}, "<none>"],
    [{ parameters: { kind: "Settings", name: "x" } }, "Settings/x"],
    [{ parameters: { apiGroup: "example.com", kind: "Settings", name: "x" } }, "Settings.example.com/x"],
  ])("with %j is shown", (spec, parameters) => {
    expect(rowOf(of("IngressClass"), { metadata: METADATA, spec: { ...CLASS, ...spec } })).toEqual({
      Name: "a",
      Controller: CLASS.controller,
      Parameters: parameters,
      Age: "5m",
    });
  });
});

describe("a NetworkPolicy", () => {
  it.each<[JsonObject, string[]]>([
    [{}, ["Ingress"]],
    [{ egress: [{}] }, ["Ingress", "Egress"]],
    [{ egress: [{}], policyTypes: ["Egress"] }, ["Egress"]],
  ])("%j is about %j", (spec, policyTypes) => {
    expect(made("NetworkPolicy", { podSelector: {}, ...spec })["spec"]).toMatchObject({ policyTypes });
  });

  it("is about TCP where it does not say", () => {
    const ingress = [{ ports: [{ port: 80 }, { port: 53, protocol: "UDP" }] }];
    expect(made("NetworkPolicy", { podSelector: {}, ingress })["spec"]).toMatchObject({
      ingress: [{ ports: [{ protocol: "TCP" }, { protocol: "UDP" }] }],
    });
  });

  it("is shown with the pods it is about", () => {
    const spec = { podSelector: { matchLabels: { b: "2", a: "1" } } };
    expect(rowOf(of("NetworkPolicy"), { metadata: METADATA, spec })).toEqual({
      Name: "a",
      "Pod-Selector": "a=1,b=2",
      Age: "5m",
    });
    expect(rowOf(of("NetworkPolicy"), { metadata: METADATA, spec: {} })["Pod-Selector"]).toBe("<none>");
  });
});

describe("a ServiceCIDR", () => {
  const ONE = { cidrs: ["10.97.0.0/16"] };
  it.each<[string, JsonObject, string[]]>([
    ["nothing", ONE, []],
    ["a second family", { cidrs: ["10.97.0.0/16", "fd00::/112"] }, []],
    ["another range", { cidrs: ["10.98.0.0/16"] }, ["spec.cidrs[0]"]],
    ["no range", {}, ["spec.cidrs"]],
    ["two others", { cidrs: ["10.98.0.0/16", "fd00::/112"] }, ["spec.cidrs[0]"]],
  ])("changes %s", (_name, spec, fields) => {
    expect(change("ServiceCIDR", ONE, spec).errors.map(({ field }) => field)).toEqual(fields);
  });

  it("has its ranges and its labels left alone by its status", () => {
    const metadata = { name: "a", labels: { a: "b" }, finalizers: ["x/y"] };
    const status = { conditions: [] };
    const { object } = change("ServiceCIDR", ONE, {}, "status", { metadata, status });
    expect(object).toMatchObject({ spec: ONE });
    expect(object.metadata).not.toHaveProperty("labels");
    expect(object.metadata).not.toHaveProperty("finalizers");
  });

  it("is shown with its ranges", () => {
    const spec = { cidrs: ["10.97.0.0/16", "fd00::/112"] };
    expect(rowOf(of("ServiceCIDR"), { metadata: METADATA, spec })["CIDRs"]).toBe("10.97.0.0/16,fd00::/112");
  });
});

describe("an IPAddress", () => {
  const PARENT = { parentRef: { resource: "services", namespace: "default", name: "web" } };

  it.each([
    ["10.96.0.10", 0],
    ["fd00::a", 0],
    ["10.96.0.010", 1],
    ["fd00:0::a", 1],
    ["web", 1],
  ])("may be called %s: %j complaints", (name, complaints) => {
    expect(of("IPAddress").strategy.validateName?.(name, false)).toHaveLength(complaints);
  });

  it("stays with its parent", () => {
    const other = { parentRef: { ...PARENT.parentRef, name: "other" } };
    expect(change("IPAddress", PARENT, other).errors.map(({ field }) => field)).toEqual(["spec.parentRef"]);
  });

  it.each<[JsonObject, string]>([
    [{}, "<none>"],
    [PARENT, "services/default/web"],
    [{ parentRef: { group: "example.com", resource: "Things", name: "x" } }, "things.example.com/x"],
  ])("of %j is shown", (spec, parent) => {
    expect(rowOf(of("IPAddress"), { metadata: METADATA, spec })["ParentRef"]).toBe(parent);
  });
});
