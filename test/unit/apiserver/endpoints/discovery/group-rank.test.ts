import { expect, test } from "vitest";
import { createDiscovery } from "../../../../../src/apiserver/endpoints/discovery/discovery.ts";
import { builtIn } from "./definitions.ts";

test("resource.k8s.io has the rank of discovery.k8s.io, before flow control", () => {
  const named = (group: string) => builtIn(group, "things", "Thing", "x");
  const groups = ["flowcontrol.apiserver.k8s.io", "resource.k8s.io", "discovery.k8s.io", "node.k8s.io"];
  expect(
    createDiscovery()
      .groups(groups.map(named))
      .groups.map(({ name }) => name),
  ).toEqual(["node.k8s.io", "discovery.k8s.io", "resource.k8s.io", "flowcontrol.apiserver.k8s.io"]);
});
