// Who owns which field, by managedFields as a server has them.
import { expect, test } from "vitest";
import { ownedFields } from "../../../src/ui/object/owners.ts";

test("fields by path, with all of their owners", () => {
  const rows = ownedFields([
    {
      manager: "kubectl",
      operation: "Apply",
      time: "2026-11-23T12:00:00Z",
      fieldsV1: {
        "f:metadata": { "f:labels": { ".": {}, "f:app": {}, "f:a.b/c": {} } },
        "f:spec": {
          "f:ports": { 'k:{"port":80,"protocol":"TCP"}': { ".": {}, "f:name": {} } },
          "f:ips": { 'v:"1.2.3.4"': {} },
        },
      },
    },
    {
      manager: "status",
      operation: "Update",
      subresource: "status",
      fieldsV1: { "f:spec": { "f:ips": { 'v:"1.2.3.4"': {} } } },
    },
  ]);
  expect(rows.map(({ path, owners }) => [path, owners.map(({ manager }) => manager).join()])).toEqual([
    [".metadata.labels.app", "kubectl"],
    [".metadata.labels[a.b/c]", "kubectl"],
    ['.spec.ips["1.2.3.4"]', "kubectl,status"],
    [".spec.ports[port=80,protocol=TCP].name", "kubectl"],
  ]);
  expect(rows[2]?.owners[1]).toEqual({
    manager: "status",
    operation: "Update",
    subresource: "status",
    time: "",
  });
});

test("an item without members is owned itself, and nobody is no row", () => {
  expect(
    ownedFields([{ fieldsV1: { "f:spec": { "f:finalizers": { 'k:"odd': {} } } } }, {}]).map(
      ({ path }) => path,
    ),
  ).toEqual(['.spec.finalizers["odd]']);
});
