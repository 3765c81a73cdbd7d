import { expect, test } from "vitest";
import { parseKindReference } from "../../../../src/features/control-surface/kinds.ts";

test.each([
  ["v1/ConfigMap", "v1", "ConfigMap"],
  ["k8s.ovn.org/v1/EgressIP", "k8s.ovn.org/v1", "EgressIP"],
])("%s is a kind of an API version", (text, apiVersion, kind) => {
  expect(parseKindReference(text)).toEqual({ apiVersion, kind });
});

test.each(["", "ConfigMap", "/ConfigMap", "v1/"])("%j names no kind", (text) => {
  expect(() => parseKindReference(text)).toThrow("names no kind");
});
