// The field manager of each field, by managedFields as a server returns it, and the revision that wrote the field.
import { expect, test } from "vitest";
import { type Revision, writtenIn } from "../../../src/ui/object/blame.ts";
import { fieldsOf, lastOwner } from "../../../src/ui/object/fields.ts";

const SERVICE = {
  kind: "Service",
  metadata: { labels: { app: "web", "a.b/c": "1" }, finalizers: ["one", "two"], managedFields: [{}] },
  spec: { ports: [{ port: 80, name: "http" }, { port: 443 }], ips: ["1.2.3.4", "1.2.3.5"], selector: {} },
};
const MANAGED = [
  {
    ...{ manager: "kubectl", operation: "Apply", time: "2026-11-23T12:00:00Z" },
    fieldsV1: {
      "f:metadata": { "f:labels": { ".": {}, "f:app": {}, "f:a.b/c": {} } },
      "f:spec": { "f:ports": { 'k:{"port":80}': { ".": {}, "f:name": {} } }, "f:ips": {} },
    },
  },
  {
    ...{ manager: "controller", operation: "Update", subresource: "status", time: "2026-11-23T12:00:01Z" },
    fieldsV1: {
      "f:metadata": { "f:finalizers": { ".": {}, 'v:"two"': {} }, "f:labels": { "f:app": {} } },
      "f:spec": { "f:ports": { 'k:{"port":443}': {} } },
    },
  },
];

test("fields have their owners, alone or with all that is in them", () => {
  const rows = fieldsOf(SERVICE, MANAGED).map(({ name, value, owners }) => [
    name,
    value,
    owners.map(({ manager }) => manager).join(),
  ]);
  expect(rows).toEqual([
    ["kind", "Service", ""],
    ["metadata.labels.app", "web", "kubectl,controller"],
    ["metadata.labels['a.b/c']", "1", "kubectl"],
    ["metadata.finalizers[0]", "one", ""],
    ["metadata.finalizers[1]", "two", "controller"],
    ["spec.ports[0].port", 80, ""],
    ["spec.ports[0].name", "http", "kubectl"],
    ["spec.ports[1].port", 443, "controller"],
    ["spec.ips", ["1.2.3.4", "1.2.3.5"], "kubectl"],
    ["spec.selector", {}, ""],
  ]);
});

test("what a client has written into managedFields does no harm", () => {
  const odd = [{ fieldsV1: { "f:spec": { "f:ports": { 'k:{"odd': {}, "i:x": {} }, "f:ips": null } } }, {}];
  // The entry is kept unchanged: a server accepts any map.
  expect(() => fieldsOf(SERVICE, odd as unknown as typeof MANAGED)).not.toThrow();
});

test("the last owner is the one with the greatest time", () => {
  expect(lastOwner(MANAGED)?.manager).toBe("controller");
  expect(lastOwner([])).toBeUndefined();
});

const revision = (resourceVersion: string, type: Revision["type"], ...paths: string[]): Revision => ({
  ...{ resourceVersion, type },
  changes: paths.map((path) => ({ path, after: "x" })),
});
const blamed = (name: string, revisions: readonly Revision[]) => {
  const field = fieldsOf(SERVICE, MANAGED).find((one) => one.name === name);
  return field && writtenIn(field, revisions)?.resourceVersion;
};

test("the last revision that has changed a field, or what it is in, has written it", () => {
  const revisions = [
    revision("1", "ADDED", "metadata.labels", "spec"),
    revision("2", "MODIFIED", "spec.ports[port=80].name", "metadata.labels['a.b/c']"),
    revision("3", "MODIFIED", "spec.ports[port=443]", "spec.ips"),
    revision("4", "MODIFIED", "metadata.labels.apple"),
  ];
  expect(blamed("metadata.labels.app", revisions)).toBe("1");
  expect(blamed("metadata.labels['a.b/c']", revisions)).toBe("2");
  expect(blamed("spec.ports[0].name", revisions)).toBe("2");
  expect(blamed("spec.ports[0].port", revisions)).toBe("1");
  expect(blamed("spec.ports[1].port", revisions)).toBe("3");
  expect(blamed("spec.ips", revisions)).toBe("3");
  expect(blamed("kind", revisions)).toBe("1"); // what the server gives a new object
});

test("items without keys are known by their places", () => {
  expect(
    blamed("spec.ports[1].port", [revision("1", "ADDED"), revision("2", "MODIFIED", "spec.ports[1]")]),
  ).toBe("2");
  expect(
    blamed("spec.ports[0].port", [revision("1", "ADDED"), revision("2", "MODIFIED", "spec.ports[1]")]),
  ).toBe("1");
});

test("what has gone from a field leaves its mark on what is left", () => {
  const gone = { ...revision("2", "MODIFIED"), changes: [{ path: "spec.selector.app", before: "web" }] };
  const moved = { ...revision("3", "MODIFIED"), changes: [{ path: "spec.ips", before: "1.2.3.4" }] };
  expect(blamed("spec.selector", [revision("1", "ADDED", "spec"), gone])).toBe("2");
  expect(blamed("spec.ips", [revision("1", "ADDED", "spec"), moved])).toBe("1");
});

test("an object that was made anew begins anew", () => {
  const revisions = [
    revision("1", "ADDED", "spec"),
    revision("2", "DELETED"),
    revision("3", "ADDED", "spec.ips"),
  ];
  expect(blamed("spec.ports[0].port", revisions)).toBe("3");
  expect(blamed("spec.ips", [])).toBeUndefined();
});
