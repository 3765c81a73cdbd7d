import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import { serviceWarnings } from "../../../../../src/kube/core/service/validation.ts";
import { create, definitionOf, lines, update } from "../../passage.ts";

const SERVICES = definitionOf("Service");
const PORTS = [{ port: 80 }];
const body = (spec: JsonObject, annotations = {}) => ({ metadata: { name: "s", annotations }, spec });
const refusals = (spec: JsonObject, annotations = {}) =>
  lines(create(SERVICES, body({ ports: PORTS, ...spec }, annotations)).errors);
const warnings = (spec: JsonObject, annotations = {}) =>
  serviceWarnings(create(SERVICES, body({ ports: PORTS, ...spec }, annotations)).object);

const RANGES = "service.beta.kubernetes.io/load-balancer-source-ranges";
const ONLY_BALANCED = "Forbidden: may only be used when `type` is 'LoadBalancer'";

describe("a Service is refused", () => {
  it.each<[string, JsonObject, string[]]>([
    ["never for the agent's port at a balancer", { type: "LoadBalancer", ports: [{ port: 10250 }] }, []],
    [
      "with source ranges at no balancer",
      { loadBalancerSourceRanges: ["10.0.0.0/8"] },
      [`spec.LoadBalancerSourceRanges: ${ONLY_BALANCED}`],
    ],
    [
      "with source ranges that are none",
      { type: "LoadBalancer", loadBalancerSourceRanges: [" 10.0.0.0/8 ", "all"] },
      [
        'spec.LoadBalancerSourceRanges[1]: Invalid value: "all": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
      ],
    ],
    [
      "with a class and no balancer",
      { loadBalancerClass: "a/b" },
      [`spec.loadBalancerClass: ${ONLY_BALANCED}`],
    ],
    [
      "with a policy of families that is empty",
      { ipFamilyPolicy: "" },
      [
        'spec.ipFamilyPolicy: Unsupported value: "": supported values: "PreferDualStack", "RequireDualStack", "SingleStack"',
      ],
    ],
    [
      "with one at the name of somebody else",
      { type: "ExternalName", externalName: "a.example.com", ipFamilyPolicy: "" },
      ["spec.ipFamilyPolicy: Forbidden: may not be set for ExternalName services"],
    ],
    [
      "with a port that stands twice",
      {
        type: "NodePort",
        ports: [
          { name: "a", port: 80, nodePort: 30080 },
          { name: "b", port: 80, nodePort: 30080 },
        ],
      },
      [
        "spec.ports[1].nodePort: Duplicate value: 30080",
        'spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80,"TargetPort":0,"NodePort":0}',
      ],
    ],
  ])("%s", (_name, spec, expected) => {
    expect(refusals(spec)).toEqual(expected);
  });

  it("with source ranges in an annotation that are none, or at no balancer", () => {
    expect(refusals({}, { [RANGES]: "10.0.0.0/8" })).toEqual([
      `metadata.annotations[${RANGES}]: ${ONLY_BALANCED}`,
    ]);
    expect(refusals({ type: "LoadBalancer" }, { [RANGES]: "10.0.0.0/8, all" })).toHaveLength(1);
    expect(refusals({ type: "LoadBalancer" }, { [RANGES]: " " })).toEqual([]);
  });

  it("with two annotations that differ about its topology, which is told first", () => {
    const [mode, hints] = ["topology-mode", "topology-aware-hints"].map(
      (key) => `service.kubernetes.io/${key}`,
    );
    const both = (one: string, other: string) => ({ [String(mode)]: one, [String(hints)]: other });
    expect(refusals({ ports: [] }, both("Auto", "Disabled"))).toEqual([
      `metadata.annotations[${mode}]: Invalid value: "Auto": must match annotations[${hints}] when both are specified`,
      "spec.ports: Required value",
    ]);
    expect(refusals({}, both("Auto", "Auto"))).toEqual([]);
    expect(refusals({}, { [String(mode)]: "Auto" })).toEqual([]);
  });

  it("when a balancer changes its class", () => {
    const spec = { type: "LoadBalancer", ports: PORTS };
    const before = create(SERVICES, body({ ...spec, loadBalancerClass: "a/b" })).object;
    const { errors } = update(SERVICES, { before, body: body({ ...spec, loadBalancerClass: "a/c" }) });
    expect(lines(errors)).toEqual(['spec.loadBalancerClass: Invalid value: "a/c": may not change once set']);
  });
});

describe("a Service is taken with a warning", () => {
  it.each<[string, JsonObject, string[]]>([
    ["for nothing", {}, []],
    [
      "for a name that is not used",
      { externalName: "x.example.com" },
      ['spec.externalName is ignored when spec.type is not "ExternalName"'],
    ],
    [
      "for addresses that a name does not use",
      { type: "ExternalName", externalName: "x.example.com", externalIPs: ["1.2.3.4"] },
      ['spec.externalIPs is ignored when spec.type is "ExternalName"'],
    ],
    [
      "for what a headless Service does not use",
      { clusterIP: "None", sessionAffinity: "ClientIP", loadBalancerIP: "1.2.3.4" },
      [
        "spec.loadBalancerIP is ignored for headless services",
        "spec.SessionAffinity is ignored for headless services",
      ],
    ],
    [
      "for an address that is written oddly",
      { externalIPs: ["2001:DB8::1"], loadBalancerIP: "010.0.0.1" },
      [
        'spec.externalIPs[0]: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")',
        "spec.externalIPs is deprecated and may no longer be implemented in some clusters",
        'spec.loadBalancerIP: non-standard IP address "010.0.0.1" will be considered invalid in a future Kubernetes release: use "10.0.0.1"',
      ],
    ],
    [
      "for a distribution of the old name",
      { trafficDistribution: "PreferClose" },
      ['spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"'],
    ],
  ])("%s", (_name, spec, expected) => {
    expect(warnings(spec)).toEqual(expected);
  });
});
