import { describe, expect, it } from "vitest";
import { type JsonObject, objectAt } from "../../../../../../src/apimachinery/json/json.ts";
import { specLines } from "../../../../../../src/kube/core/pod/update/show-change.ts";
import { create, definitionOf, lines, update } from "../../../passage.ts";

const PODS = definitionOf("Pod");
const pod = (spec: JsonObject) => ({
  metadata: { name: "p" },
  spec: { containers: [{ name: "one", image: "i:1" }], ...spec },
});
const made = (spec: JsonObject = {}) => create(PODS, pod(spec)).object;
const shown = (spec: JsonObject): JsonObject =>
  JSON.parse((specLines(objectAt(made(spec), "spec") ?? {}) ?? []).join("\n")) as JsonObject; // it is an object

describe("the lines of a spec", () => {
  it("have every member, set or not, and what is the host's in the security context", () => {
    const { SecurityContext, Containers, Volumes, NodeName } = shown({ hostNetwork: true });
    expect({ Volumes, NodeName }).toEqual({ Volumes: null, NodeName: "" });
    expect(SecurityContext).toMatchObject({ HostNetwork: true, HostPID: false, FSGroup: null });
    expect(Containers).toMatchObject([
      { Name: "one", Resources: { Limits: null, Requests: null, Claims: null }, TTY: false, Lifecycle: null },
    ]);
  });

  it("spell members as the structs do", () => {
    const probe = { httpGet: { port: "web", httpHeaders: [{ name: "a", value: "b" }] } };
    const { Containers, DNSConfig } = shown({
      dnsConfig: { nameservers: ["10.0.0.1"] },
      containers: [{ name: "one", image: "i:1", readinessProbe: probe }],
    });
    expect(DNSConfig).toEqual({ Nameservers: ["10.0.0.1"], Searches: null, Options: null });
    expect(Containers).toMatchObject([
      {
        ReadinessProbe: {
          HTTPGet: { Path: "/", Port: "web", Scheme: "HTTP", HTTPHeaders: [{ Name: "a", Value: "b" }] },
          GRPC: null,
          PeriodSeconds: 10,
        },
      },
    ]);
  });

  it("are as Go writes them, with some letters escaped", () => {
    const lines = specLines({ nodeSelector: { b: "<", a: "1" } }) ?? [];
    const at = lines.indexOf(' "NodeSelector": {');
    expect(lines.slice(at + 1, at + 3)).toEqual(['  "a": "1",', '  "b": "\\u003c"']);
  });

  it("cannot be made where a struct is not known", () => {
    expect(specLines({ volumes: [{ name: "v", ephemeral: {} }] })).toBeUndefined();
  });
});

describe("an update that changes what must stay", () => {
  const refusals = (spec: JsonObject, before: JsonObject = {}) =>
    lines(update(PODS, { before: made(before), body: pod(spec) }).errors);

  it("is refused with the lines that it would have changed", () => {
    const [text = ""] = refusals({ hostNetwork: true });
    expect(text).toContain("spec: Forbidden: pod updates may not change fields other than");
    expect(text.slice(text.indexOf("\n@@"))).toBe(`
@@ -44,7 +44,7 @@
  "AutomountServiceAccountToken": null,
  "NodeName": "",
  "SecurityContext": {
-  "HostNetwork": false,
+  "HostNetwork": true,
   "HostPID": false,
   "HostIPC": false,
   "ShareProcessNamespace": null,
`);
  });

  it("does not show changes that are allowed", () => {
    const spec = { hostname: "h", containers: [{ name: "one", image: "i:2" }], activeDeadlineSeconds: 5 };
    const [text = ""] = refusals(spec);
    expect(text).toContain('+ "Hostname": "h",\n');
    expect(text).not.toContain("i:2");
    expect(text).not.toContain("ActiveDeadlineSeconds");
  });

  it("is refused without them where they cannot be made", () => {
    const [text = ""] = refusals({
      hostname: "h",
      volumes: [{ name: "v", ephemeral: {} }],
    });
    expect(text).not.toContain("@@");
  });
});
