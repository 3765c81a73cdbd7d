// Field ownership of built-in kinds, as a kube-apiserver tracks it.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { freezeJson, type JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import type { KubeObject } from "../../../../../src/apimachinery/meta/object-meta.ts";
import { applyPatch } from "../../../../../src/apimachinery/patch/apply/apply-patch.ts";
import { trackUpdate } from "../../../../../src/apimachinery/patch/apply/track-update.ts";
import { coreNode } from "../support.ts";

interface Created {
  readonly object: KubeObject;
  readonly fieldsV1: JsonObject;
}

const fixture = new URL("../fixtures/created-objects.json", import.meta.url);
const created = JSON.parse(readFileSync(fixture, "utf8")) as Created[]; // our own file

const writer = (kind: string) => ({
  node: coreNode(kind),
  apiVersion: "v1",
  manager: "ann",
  nowText: "2024-01-01T00:00:00Z",
  resetFields: [["status"]],
});

test.each(created.map((fixed) => [fixed.object.kind ?? "", fixed] as const))("%s, created", (kind, fixed) => {
  const { metadata } = trackUpdate({ ...writer(kind), live: undefined, next: freezeJson(fixed.object) });
  const [entry] = metadata.managedFields ?? [];
  expect(entry?.fieldsV1).toEqual(fixed.fieldsV1);
  expect(JSON.stringify(entry?.fieldsV1)).toBe(JSON.stringify(fixed.fieldsV1));
});

describe("Service", () => {
  const service = (ports: JsonObject[]): KubeObject => ({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "s" },
    spec: { clusterIP: "None", ports },
  });
  const applied = (live: KubeObject | undefined, ports: JsonObject[], force = false) =>
    applyPatch({
      ...writer("Service"),
      live: live && freezeJson(live),
      applied: freezeJson(service(ports)),
      kind: "Service",
      force,
    });

  test("ports are told apart by number and protocol, which is TCP when left out", () => {
    const { metadata } = applied(undefined, [{ name: "a", port: 80 }]);
    expect(metadata.managedFields?.[0]?.fieldsV1).toEqual({
      "f:spec": {
        "f:clusterIP": {},
        "f:ports": { 'k:{"port":80,"protocol":"TCP"}': { ".": {}, "f:name": {}, "f:port": {} } },
      },
    });
  });

  test("one number may come with two protocols", () => {
    const both = [
      { name: "a", port: 53 },
      { name: "b", port: 53, protocol: "UDP" },
    ];
    expect(applied(applied(undefined, both), both.slice(1))["spec"]).toEqual({
      clusterIP: "None",
      ports: both.slice(1),
    });
  });

  test("selectors are owned as a whole", () => {
    const selecting = (selector: JsonObject): KubeObject => ({ ...service([]), spec: { selector } });
    const live = applyPatch({
      ...writer("Service"),
      live: undefined,
      applied: selecting({ a: "1" }),
      kind: "Service",
      force: false,
    });
    const over = () =>
      applyPatch({
        ...writer("Service"),
        manager: "bob",
        live,
        applied: selecting({ b: "2" }),
        kind: "Service",
        force: false,
      });
    expect(over).toThrow('Apply failed with 1 conflict: conflict with "ann": .spec.selector');
  });
});
