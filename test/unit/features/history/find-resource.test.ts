import { describe, expect, test } from "vitest";
import { definitionFromCrd } from "../../../../src/apiserver/registry/custom-resource.ts";
import { ResourceRegistry } from "../../../../src/apiserver/registry/resource-registry.ts";
import { findResource } from "../../../../src/features/control-surface/kinds.ts";
import { BUILT_IN_RESOURCES } from "../../../../src/kube/index.ts";

const crd = (group: string, kind: string, plural: string, shortNames: string[] = []) =>
  definitionFromCrd({
    kind: "CustomResourceDefinition",
    metadata: {},
    spec: {
      group,
      scope: "Namespaced",
      names: { kind, plural, singular: kind.toLowerCase(), shortNames },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object" } },
        },
      ],
    },
  });

const registry = new ResourceRegistry();
registry.set(
  ...BUILT_IN_RESOURCES,
  crd("one.example", "Widget", "widgets", ["wd"]),
  crd("two.example", "Widget", "widgets"),
  crd("two.example", "Pod", "pods"),
);

describe("a resource", () => {
  test.each([
    ["configmaps", undefined, "", "configmaps"],
    ["cm", undefined, "", "configmaps"],
    ["ConfigMap", undefined, "", "configmaps"],
    ["events", undefined, "", "events"],
    ["pods", undefined, "", "pods"],
    ["pods.two.example", undefined, "two.example", "pods"],
    ["pods", "two.example", "two.example", "pods"],
    ["wd", undefined, "one.example", "widgets"],
    ["widget.two.example", undefined, "two.example", "widgets"],
    ["pods", "", "", "pods"],
  ])("%s of the group %j is found", (text, group, wantedGroup, resource) => {
    const { definition } = findResource(registry, text, group);
    expect([definition.group, definition.resource]).toEqual([wantedGroup, resource]);
  });

  test.each([
    ["widgets", '"widgets" can be widgets.one.example, widgets.two.example: name the group, too'],
    ["gadgets", 'no resource "gadgets" is served'],
    ["widgets.three.example", 'no resource "widgets.three.example" is served in the group "three.example"'],
    ["tokenreviews", 'no resource "tokenreviews" is served'],
  ])("%s is not", (text, message) => {
    expect(() => findResource(registry, text)).toThrow(expect.objectContaining({ code: 400, message }));
  });
});
