import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/apimachinery/json/json.ts";
import { storageView } from "../../../src/apiserver/registry/definition/view.ts";
import { BUILT_IN_RESOURCES } from "../../../src/kube/index.ts";
import { definitionOf, rowOf, validBody } from "./passage.ts";

const METADATA = { name: "a", creationTimestamp: "2030-01-01T00:00:00Z" };

describe("rows", () => {
  it.each<[string, JsonObject, Record<string, unknown>]>([
    ["ConfigMap", { data: { a: "1", b: "2" }, binaryData: { c: "AA==" } }, { Name: "a", Data: 3, Age: "5m" }],
    ["ConfigMap", {}, { Name: "a", Data: 0, Age: "5m" }],
    ["Secret", { type: "Opaque", data: { a: "AA==" } }, { Name: "a", Type: "Opaque", Data: 1, Age: "5m" }],
    ["ServiceAccount", { secrets: [{ name: "x" }] }, { Name: "a", Age: "5m" }],
    ["Namespace", { status: { phase: "Active" } }, { Name: "a", Status: "Active", Age: "5m" }],
    ["coordination.k8s.io/Lease", { spec: { holderIdentity: "me" } }, { Name: "a", Holder: "me", Age: "5m" }],
    ["coordination.k8s.io/Lease", {}, { Name: "a", Holder: "", Age: "5m" }],
  ])("of %s %j", (kind, members, row) => {
    expect(rowOf(definitionOf(kind), { metadata: METADATA, ...members })).toEqual(row);
  });

  it.each<[string, JsonObject, Record<string, unknown>]>([
    [
      "headless, with several ports and labels",
      {
        type: "ClusterIP",
        clusterIPs: ["None"],
        ports: [
          { port: 80, protocol: "TCP" },
          { port: 53, protocol: "UDP" },
        ],
        selector: { tier: "x", app: "web" },
      },
      {
        Type: "ClusterIP",
        "Cluster-IP": "None",
        "External-IP": "<none>",
        "Port(s)": "80/TCP,53/UDP",
        Selector: "app=web,tier=x",
      },
    ],
    [
      "for an external name",
      { type: "ExternalName", externalName: "x.example.com" },
      { "Cluster-IP": "<none>", "External-IP": "x.example.com", "Port(s)": "<none>", Selector: "<none>" },
    ],
    [
      "with external addresses",
      { type: "NodePort", externalIPs: ["9.9.9.9", "9.9.9.8"] },
      { "External-IP": "9.9.9.9,9.9.9.8" },
    ],
    [
      "with node ports",
      { type: "NodePort", ports: [{ port: 80, protocol: "TCP", nodePort: 31000 }] },
      { "Port(s)": "80:31000/TCP" },
    ],
    ["whose load balancer is not there yet", { type: "LoadBalancer" }, { "External-IP": "<pending>" }],
  ])("of a Service %s", (_name, spec, expected) => {
    expect(rowOf(definitionOf("Service"), { metadata: METADATA, spec })).toMatchObject(expected);
  });

  it("of a Service show where its load balancer is entered, then its external addresses", () => {
    const ingress = [{ hostname: "lb.example.com" }, { ip: "5.6.7.8" }];
    const service = {
      metadata: METADATA,
      spec: { type: "LoadBalancer", externalIPs: ["1.1.1.1"] },
      status: { loadBalancer: { ingress } },
    };
    expect(rowOf(definitionOf("Service"), service)["External-IP"]).toBe("5.6.7.8,lb.example.com,1.1.1.1");
  });

  const four = ["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"];
  it.each<[JsonObject[] | undefined, string]>([
    [undefined, "<none>"],
    [[{ addresses: [{ ip: "10.0.0.1" }] }], "10.0.0.1"],
    [[{ addresses: [{ ip: "fd00::1" }], ports: [{ port: 80 }] }], "[fd00::1]:80"],
    [
      [{ addresses: four.map((ip) => ({ ip })), ports: [{ port: 80 }] }],
      "10.0.0.1:80,10.0.0.2:80,10.0.0.3:80 + 1 more...",
    ],
  ])("of Endpoints with %j", (subsets, cell) => {
    expect(rowOf(definitionOf("Endpoints"), { metadata: METADATA, subsets })["Endpoints"]).toBe(cell);
  });

  it.each<[JsonObject, string, string]>([
    [{}, "<unset>", "<unset>"],
    [{ ports: [{ port: 80 }, {}], endpoints: [{ addresses: ["10.0.0.1"] }] }, "80,*", "10.0.0.1"],
    [
      { endpoints: four.map((ip) => ({ addresses: [ip] })) },
      "<unset>",
      "10.0.0.1,10.0.0.2,10.0.0.3 + 1 more...",
    ],
  ])("of an EndpointSlice with %j", (members, ports, endpoints) => {
    const row = rowOf(definitionOf("discovery.k8s.io/EndpointSlice"), { metadata: METADATA, ...members });
    expect(row).toMatchObject({ Ports: ports, Endpoints: endpoints });
  });

  it("of a Node that has said nothing", () => {
    expect(rowOf(definitionOf("Node"), { metadata: METADATA, status: { nodeInfo: {} } })).toEqual({
      Name: "a",
      Status: "Unknown",
      Roles: "<none>",
      Age: "5m",
      Version: "",
      "Internal-IP": "<none>",
      "External-IP": "<none>",
      "OS-Image": "<unknown>",
      "Kernel-Version": "<unknown>",
      "Container-Runtime": "<unknown>",
    });
  });

  it("of a Node that is ready, cordoned and has roles", () => {
    const labels = {
      "node-role.kubernetes.io/worker": "",
      "node-role.kubernetes.io/control-plane": "",
      "kubernetes.io/role": "infra",
    };
    const node = {
      metadata: { ...METADATA, labels },
      spec: { unschedulable: true },
      status: {
        conditions: [{ type: "Ready", status: "True" }],
        addresses: [{ type: "InternalIP", address: "10.9.0.1" }],
        nodeInfo: { kernelVersion: "6.1", architecture: "amd64" },
      },
    };
    expect(rowOf(definitionOf("Node"), node)).toMatchObject({
      Status: "Ready,SchedulingDisabled",
      Roles: "control-plane,infra,worker",
      "Internal-IP": "10.9.0.1",
      "Kernel-Version": "6.1 (amd64)",
    });
  });

  it("of an Event are alike in both of its APIs", () => {
    const core = rowOf(definitionOf("Event"), validBody(definitionOf("Event")));
    expect(core).toEqual({
      "Last Seen": "4m",
      Type: "Normal",
      Reason: "Started",
      Object: "pod/web",
      Subobject: "",
      Source: "kubelet, worker-1",
      Message: "The container was started.",
      "First Seen": "5m",
      Count: 2,
      Name: "web.17",
    });
    const definition = definitionOf("events.k8s.io/Event");
    expect(rowOf(definition, validBody(definition))).toMatchObject({
      "Last Seen": "4m59s",
      Object: "pod/web",
      Source: "example.com/agent, agent-1",
      Message: "The container was started.",
      Count: 1,
    });
  });

  it("of an Event count its series", () => {
    const series = { count: 7, lastObservedTime: "2030-01-01T00:04:50.000000Z" };
    const row = rowOf(definitionOf("Event"), {
      metadata: METADATA,
      involvedObject: { kind: "Node" },
      series,
    });
    expect(row).toMatchObject({ "Last Seen": "10s", "First Seen": "<unknown>", Object: "node", Count: 7 });
  });

  it.each(
    BUILT_IN_RESOURCES.map((definition) => [`${definition.group}/${definition.kind}`, definition] as const),
  )("of %s have a cell for each column", (_name, definition) => {
    const { columns } = storageView(definition).version;
    // A real server has a cell for the age of an IPAddress, and no column.
    const besides = definition.kind === "IPAddress" ? 1 : 0;
    expect(definition.printRow?.({ metadata: METADATA }, 0).cells.length ?? 0).toBe(columns.length + besides);
  });
});

describe("selectable fields", () => {
  it.each<[string, JsonObject, Record<string, string>]>([
    [
      "Pod",
      {
        spec: { nodeName: "n", restartPolicy: "Never", serviceAccountName: "sa", hostNetwork: true },
        status: { phase: "Running", podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.1" }] },
      },
      {
        "spec.nodeName": "n",
        "spec.host": "n",
        "spec.restartPolicy": "Never",
        "spec.schedulerName": "",
        "spec.serviceAccountName": "sa",
        "spec.hostNetwork": "true",
        "status.phase": "Running",
        "status.podIP": "10.0.0.1",
        "status.podIPs": "",
        "status.nominatedNodeName": "",
      },
    ],
    ["Pod", {}, { "spec.hostNetwork": "false", "spec.nodeName": "" }],
    ["Node", { spec: { unschedulable: true } }, { "spec.unschedulable": "true" }],
    ["Node", {}, { "spec.unschedulable": "false" }],
    [
      "Event",
      {
        involvedObject: { kind: "Pod", name: "p", fieldPath: "f" },
        reason: "r",
        type: "Normal",
        source: { component: "c" },
        reportingComponent: "",
      },
      {
        "involvedObject.kind": "Pod",
        "involvedObject.name": "p",
        "involvedObject.fieldPath": "f",
        "involvedObject.uid": "",
        reason: "r",
        type: "Normal",
        source: "c",
        reportingComponent: "",
      },
    ],
    ["Event", { reportingComponent: "rc" }, { source: "rc", reportingComponent: "rc" }],
    [
      "events.k8s.io/Event",
      { regarding: { kind: "Pod" }, reportingController: "rc", type: "Normal" },
      { "regarding.kind": "Pod", "regarding.name": "", reportingController: "rc", type: "Normal" },
    ],
    ["events.k8s.io/Event", { involvedObject: { kind: "Pod" } }, { "regarding.kind": "Pod" }],
  ])("of a %s %j", (kind, members, expected) => {
    const definition = definitionOf(kind);
    const { selectableFields } = storageView(definition).version;
    for (const [field, value] of Object.entries(expected)) {
      expect(selectableFields).toContain(field);
      expect(definition.fieldValue?.({ metadata: METADATA, ...members }, field), field).toBe(value);
    }
  });

  it("of the other kinds are read at their paths", () => {
    const plain = ["Namespace", "Secret", "Service"].map(
      (kind) => storageView(definitionOf(kind)).version.selectableFields,
    );
    expect(plain).toEqual([["status.phase"], ["type"], ["spec.clusterIP", "spec.type"]]);
  });
});
