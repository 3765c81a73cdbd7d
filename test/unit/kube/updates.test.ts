import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/apimachinery/json/json.ts";
import { objectAt } from "../../../src/apimachinery/json/json.ts";
import type { KubeObject } from "../../../src/apimachinery/meta/object-meta.ts";
import { create, definitionOf, lines, type Outcome, update } from "./passage.ts";

type Members = Readonly<Record<string, unknown>>;

/** Creates an object with the first members, then replaces it by the second; both are whole objects. */
function replace(
  kind: string,
  first: Members,
  second: Members,
  subresource = "",
): Outcome & { before: KubeObject } {
  const definition = definitionOf(kind);
  const metadata = { name: "a" };
  const before = create(definition, { metadata, ...first }).object;
  return { before, ...update(definition, { before, body: { metadata, ...second } }, subresource) };
}

const specOf = (object: JsonObject): JsonObject => objectAt(object, "spec") ?? {};

describe("replacing a ConfigMap", () => {
  const rule = "Forbidden: field is immutable when `immutable` is set";

  it.each<[string, Members, string[]]>([
    ["labels only", { data: { a: "1" }, immutable: true }, []],
    ["data", { data: { a: "2" }, immutable: true }, [`data: ${rule}`]],
    ["the mark itself", { data: { a: "1" }, immutable: false }, [`immutable: ${rule}`]],
    [
      "the mark and the bytes",
      { data: { a: "1" }, binaryData: { b: "AA==" } },
      [`immutable: ${rule}`, `binaryData: ${rule}`],
    ],
  ])("that is immutable: %s", (_name, next, errors) => {
    expect(lines(replace("ConfigMap", { data: { a: "1" }, immutable: true }, next).errors)).toEqual(errors);
  });
});

describe("replacing a Secret", () => {
  it("cannot change its type", () => {
    const { errors } = replace("Secret", {}, { type: "example.com/own" });
    expect(lines(errors)).toEqual(['type: Invalid value: "example.com/own": field is immutable']);
  });

  it("merges stringData into what the request says, not into what was there", () => {
    const { object } = replace("Secret", { data: { a: "AAEC" } }, { stringData: { b: "x" } });
    expect(object["data"]).toEqual({ b: "eA==" });
  });
});

describe("replacing a Namespace", () => {
  it("changes neither spec nor status", () => {
    const { object } = replace(
      "Namespace",
      {},
      { spec: { finalizers: [] }, status: { phase: "Terminating" } },
    );
    expect(object).toMatchObject({ spec: { finalizers: ["kubernetes"] }, status: { phase: "Active" } });
  });

  it("takes the phase from the deletion, not from who writes the status", () => {
    const { object, errors } = replace(
      "Namespace",
      {},
      { spec: {}, status: { phase: "Terminating" } },
      "status",
    );
    expect(specOf(object)).toEqual({ finalizers: ["kubernetes"] });
    expect(lines(errors)).toEqual([
      "status.Phase: Invalid value: \"Terminating\": may only be 'Active' if `deletionTimestamp` is empty",
    ]);
  });

  it("stays while spec.finalizers holds it, and becomes Terminating", () => {
    const { strategy } = definitionOf("Namespace");
    const { object } = create(definitionOf("Namespace"), { metadata: { name: "a" } });
    expect(strategy.holdsDeletion?.(object)).toBe(true);
    object.metadata.deletionGracePeriodSeconds = 0;
    strategy.prepareForDelete?.(object, { clock: { now: () => 0 } } as never);
    expect(object["status"]).toEqual({ phase: "Terminating" });
    expect(object.metadata).not.toHaveProperty("deletionGracePeriodSeconds");
    expect(strategy.holdsDeletion?.({ ...object, spec: {} })).toBe(false);
  });
});

describe("replacing a Node", () => {
  const once = (member: string, shown: string) =>
    `spec.${member}: Forbidden: node updates may not change ${shown} except from "" to valid`;

  it.each<[string, Members, Members, string[]]>([
    ["networks may come", {}, { podCIDRs: ["10.0.0.0/24", "fd00::/64"] }, []],
    [
      "networks may not change",
      { podCIDR: "10.0.0.0/24" },
      { podCIDR: "10.0.1.0/24" },
      [once("podCIDRs", "podCIDR")],
    ],
    ["networks may not go", { podCIDR: "10.0.0.0/24" }, {}, [once("podCIDRs", "podCIDR")]],
    ["the provider's name may come", {}, { providerID: "a://1" }, []],
    [
      "the provider's name may not change",
      { providerID: "a://1" },
      { providerID: "a://2" },
      [once("providerID", "providerID")],
    ],
  ])("%s", (_name, first, second, errors) => {
    expect(lines(replace("Node", { spec: first }, { spec: second }).errors)).toEqual(errors);
  });

  it("leaves the status alone, and the status leaves the spec alone", () => {
    const kept = replace("Node", { status: { capacity: { cpu: "4" } } }, { spec: { unschedulable: true } });
    expect(kept.object["status"]).toEqual(kept.before["status"]);
    expect(specOf(kept.object)).toEqual({ unschedulable: true });
    const written = replace(
      "Node",
      {},
      { spec: { unschedulable: true }, status: { capacity: { cpu: "4" } } },
      "status",
    );
    expect(written.object["spec"]).toEqual(written.before["spec"]);
    expect(written.object["status"]).toMatchObject({ capacity: { cpu: "4" } });
  });

  it("refuses an address that stands twice in the status", () => {
    const address = { type: "InternalIP", address: "10.0.0.1" };
    const { errors } = replace("Node", {}, { status: { addresses: [address, address] } }, "status");
    expect(lines(errors)).toEqual([
      'status.addresses[1]: Duplicate value: {"Type":"InternalIP","Address":"10.0.0.1"}',
    ]);
  });
});

describe("replacing a Service", () => {
  const PORTS = [{ port: 80 }];
  const FIXED = { clusterIP: "10.96.7.7", ports: PORTS };

  it.each<[string, Members, Members, Members]>([
    [
      "an address that is left out stays",
      FIXED,
      { ports: [{ port: 8080 }] },
      {
        clusterIP: "10.96.7.7",
        clusterIPs: ["10.96.7.7"],
        ports: [{ port: 8080, protocol: "TCP", targetPort: 8080 }],
      },
    ],
    [
      "an address that is cleared stays",
      FIXED,
      { ports: PORTS, clusterIPs: ["10.96.7.7"] },
      { clusterIP: "10.96.7.7", clusterIPs: ["10.96.7.7"] },
    ],
    [
      "a node port that is left out stays",
      { type: "NodePort", clusterIP: "10.96.7.7", ports: [{ port: 80, nodePort: 31000 }] },
      { type: "NodePort", ports: [{ port: 80, targetPort: 81 }] },
      { ports: [{ port: 80, protocol: "TCP", targetPort: 81, nodePort: 31000 }] },
    ],
    [
      "a health check port that is left out stays",
      {
        type: "LoadBalancer",
        clusterIP: "10.96.7.7",
        externalTrafficPolicy: "Local",
        healthCheckNodePort: 31001,
        ports: PORTS,
      },
      { type: "LoadBalancer", externalTrafficPolicy: "Local", ports: PORTS },
      { healthCheckNodePort: 31001 },
    ],
  ])("%s", (_name, first, second, expected) => {
    const { object, errors } = replace("Service", { spec: first }, { spec: second });
    expect(lines(errors)).toEqual([]);
    expect(specOf(object)).toMatchObject(expected);
  });

  it("gives up what the new type does not have", () => {
    const { before } = replace("Service", { spec: FIXED }, {});
    const definition = definitionOf("Service");
    const spec = { ...specOf(before), type: "ExternalName", externalName: "x.example.com", ports: undefined };
    const { object, errors } = update(definition, { before, body: { ...before, spec } });
    expect(lines(errors)).toEqual([]);
    for (const member of ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"]) {
      expect(specOf(object)).not.toHaveProperty(member);
    }
  });

  it("gives up node ports and outside traffic when it turns inward", () => {
    const ports = [{ port: 80, nodePort: 31000 }];
    const { before } = replace(
      "Service",
      { spec: { type: "LoadBalancer", clusterIP: "10.96.7.7", ports } },
      {},
    );
    const body = { ...before, spec: { ...specOf(before), type: "ClusterIP" } };
    const { object, errors } = update(definitionOf("Service"), { before, body });
    expect(lines(errors)).toEqual([]);
    expect(specOf(object)["ports"]).toEqual([{ port: 80, protocol: "TCP", targetPort: 80 }]);
    for (const member of ["allocateLoadBalancerNodePorts", "externalTrafficPolicy"]) {
      expect(specOf(object)).not.toHaveProperty(member);
    }
  });

  it.each<[string, Members]>([
    ["both spellings", { clusterIP: "10.96.7.8", clusterIPs: ["10.96.7.8"], ports: PORTS }],
    ["one spelling", { clusterIP: "10.96.7.8", clusterIPs: ["10.96.7.7"], ports: PORTS }],
  ])("cannot change its address: %s", (_name, spec) => {
    expect(lines(replace("Service", { spec: FIXED }, { spec }).errors)).toEqual([
      'spec.clusterIPs[0]: Invalid value: ["10.96.7.8"]: may not change once set',
    ]);
  });

  it("cannot change its health check port", () => {
    const local = (healthCheckNodePort: number) => ({
      spec: {
        type: "LoadBalancer",
        clusterIP: "10.96.7.7",
        externalTrafficPolicy: "Local",
        healthCheckNodePort,
        ports: PORTS,
      },
    });
    expect(lines(replace("Service", local(31001), local(31002)).errors)).toEqual([
      "spec.healthCheckNodePort: Forbidden: field is immutable",
    ]);
  });
});

describe("replacing a Pod", () => {
  const CONTAINER = { name: "c", image: "i:1" };
  const pod = (spec: Members) => ({ spec: { containers: [CONTAINER], ...spec } });
  const fields = (first: Members, second: Members) =>
    replace("Pod", pod(first), pod(second)).errors.map(({ field }) => field);

  it.each<[string, Members, Members, string[]]>([
    ["an image", {}, { containers: [{ name: "c", image: "i:2" }] }, []],
    ["an earlier deadline", { activeDeadlineSeconds: 9 }, { activeDeadlineSeconds: 8 }, []],
    [
      "a later deadline",
      { activeDeadlineSeconds: 9 },
      { activeDeadlineSeconds: 10 },
      ["spec.activeDeadlineSeconds"],
    ],
    ["no deadline", { activeDeadlineSeconds: 9 }, {}, ["spec.activeDeadlineSeconds"]],
    ["one more toleration", {}, { tolerations: [{ key: "k", operator: "Exists" }] }, []],
    ["one toleration less", { tolerations: [{ key: "k", operator: "Exists" }] }, {}, ["spec.tolerations"]],
    ["a scheduling gate less", { schedulingGates: [{ name: "a/b" }] }, {}, []],
    ["a scheduling gate more", {}, { schedulingGates: [{ name: "a/b" }] }, ["spec.schedulingGates[0].name"]],
    ["the network", {}, { hostNetwork: true }, ["spec"]],
    ["another container", {}, { containers: [CONTAINER, { name: "d", image: "i" }] }, ["spec.containers"]],
  ])("changes %s", (_name, first, second, expected) => {
    expect(fields(first, second)).toEqual(expected);
  });

  it("keeps its status; the status keeps spec and owners, and tells its address twice", () => {
    const kept = replace("Pod", pod({}), { ...pod({}), status: { phase: "Failed" } });
    expect(kept.object["status"]).toEqual({ phase: "Pending", qosClass: "BestEffort" });
    const written = replace(
      "Pod",
      pod({}),
      { ...pod({ hostname: "h" }), status: { phase: "Running", podIP: "10.1.1.1" } },
      "status",
    );
    expect(written.object["spec"]).toEqual(written.before["spec"]);
    expect(written.object["status"]).toEqual({
      phase: "Running",
      podIP: "10.1.1.1",
      podIPs: [{ ip: "10.1.1.1" }],
      qosClass: "BestEffort",
    });
  });

  it.each([
    [
      [{ ip: "bad" }],
      'status.podIPs[0]: Invalid value: "bad": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    ],
    [
      [{ ip: "10.0.0.5" }, { ip: "10.0.0.6" }],
      'status.podIPs: Invalid value: [{"IP":"10.0.0.5"},{"IP":"10.0.0.6"}]: may specify no more than one IP for each IP family',
    ],
  ])("refuses the addresses %j", (podIPs, line) => {
    expect(lines(replace("Pod", pod({}), { status: { podIPs } }, "status").errors)).toEqual([line]);
  });
});

describe("replacing an EndpointSlice", () => {
  it("cannot change the kind of its addresses", () => {
    const { errors } = replace(
      "discovery.k8s.io/EndpointSlice",
      { addressType: "IPv4" },
      { addressType: "IPv6" },
    );
    expect(lines(errors)).toEqual(['addressType: Invalid value: "IPv6": field is immutable']);
  });
});

describe("replacing a CustomResourceDefinition", () => {
  const crd = (...versions: Members[]) => ({
    spec: { group: "g.io", names: { plural: "as", kind: "A" }, scope: "Cluster", versions },
  });
  const V1 = { name: "v1", served: true, storage: true };
  const kind = "apiextensions.k8s.io/CustomResourceDefinition";

  it("remembers every version that objects were ever stored in", () => {
    const { object } = replace(kind, crd(V1), {
      ...crd({ ...V1, storage: false }, { ...V1, name: "v2" }),
      status: {},
    });
    expect(object["status"]).toMatchObject({ storedVersions: ["v1", "v2"] });
  });

  it("writes the status through its own endpoint only, which changes nothing else", () => {
    const { object, before } = replace(
      kind,
      crd(V1),
      { ...crd(), status: { storedVersions: ["v9"] } },
      "status",
    );
    expect(object["spec"]).toEqual(before["spec"]);
    expect(object["status"]).toMatchObject({ storedVersions: ["v9"] });
  });
});

describe("members that a real server drops", () => {
  it("of a Lease: those of elections", () => {
    const elected = { holderIdentity: "a", strategy: "OldestEmulationVersion", preferredHolder: "b" };
    const { before, object } = replace("coordination.k8s.io/Lease", { spec: elected }, { spec: elected });
    expect(before["spec"]).toEqual({ holderIdentity: "a" });
    expect(object["spec"]).toEqual({ holderIdentity: "a" });
  });

  it("of a ServiceAccount: all of its secrets but the names", () => {
    const secrets = [{ name: "a", namespace: "b", kind: "Secret" }, { kind: "Secret" }];
    const { before, object } = replace("ServiceAccount", { secrets }, { secrets });
    expect(before["secrets"]).toEqual([{ name: "a" }, {}]);
    expect(object["secrets"]).toEqual([{ name: "a" }, {}]);
  });

  it("of an EndpointSlice: the topology of older versions", () => {
    const endpoint = { addresses: ["10.0.0.1"], deprecatedTopology: { a: "b" } };
    const slice = { addressType: "IPv4", endpoints: [endpoint] };
    const { before, object } = replace("discovery.k8s.io/EndpointSlice", slice, slice);
    for (const { endpoints } of [before, object]) {
      expect(endpoints).toEqual([{ addresses: ["10.0.0.1"], conditions: {} }]);
    }
  });
});
