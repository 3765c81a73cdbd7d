import { expect, test } from "vitest";
import { validateEmbedded } from "../../../../src/apimachinery/schema/embedded.ts";
import { customNode, texts } from "./support.ts";

const resource = {
  type: "object",
  "x-kubernetes-embedded-resource": true,
  "x-kubernetes-preserve-unknown-fields": true,
};
const node = customNode({
  r: resource,
  list: { type: "array", items: resource },
  map: { type: "object", additionalProperties: resource },
  outer: { ...resource, properties: { inner: resource } },
});
const POD = { apiVersion: "v1", kind: "Pod" };

test.each<[string, unknown, string[]]>([
  [
    "apiVersion and kind must be there",
    { r: {} },
    ["spec.r.apiVersion: Required value", "spec.r.kind: Required value"],
  ],
  [
    "and must not be empty",
    { r: { apiVersion: "", kind: "" } },
    ["spec.r.apiVersion: Required value", "spec.r.kind: Required value"],
  ],
  [
    "an apiVersion has at most one slash",
    { r: { ...POD, apiVersion: "a/b/c" } },
    ['spec.r.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c'],
  ],
  [
    "a kind is a DNS label in any case",
    { r: { ...POD, kind: "pod_x" } },
    [
      `spec.r.kind: Invalid value: "pod_x": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`,
    ],
  ],
  [
    "metadata may be missing, a name too, and need not be a DNS name",
    { r: { ...POD, metadata: { name: "Bad_Name" } } },
    [],
  ],
  [
    "a name must fit into a path",
    { r: { ...POD, metadata: { name: "a/b" } } },
    [`spec.r.metadata.name: Invalid value: "a/b": may not contain '/'`],
  ],
  ["in lists, by index", { list: [POD, { kind: "K" }] }, ["spec.list[1].apiVersion: Required value"]],
  ["in maps, by key", { map: { a: { kind: "K" } } }, ["spec.map[a].apiVersion: Required value"]],
  [
    "an outer resource before the inner",
    { outer: { kind: "K", inner: { kind: "K" } } },
    ["spec.outer.apiVersion: Required value", "spec.outer.inner.apiVersion: Required value"],
  ],
])("%s", (_rule, spec, expected) => {
  expect(texts(validateEmbedded(node, { spec }))).toEqual(expected);
});

test("labels are checked as everywhere", () => {
  const [error] = validateEmbedded(node, { spec: { r: { ...POD, metadata: { labels: { a: "b c" } } } } });
  expect(error).toMatchObject({ field: "spec.r.metadata.labels", reason: "FieldValueInvalid" });
  expect(error?.message).toContain('Invalid value: "b c": a valid label must be an empty string');
});
