// The quick check of a stored CRD's names agrees with the validation of an API create.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { KubeObject } from "../../../../../src/apimachinery/meta/object-meta.ts";
import { unservableReason } from "../../../../../src/apiserver/apiextensions/validation/servable.ts";
import {
  crdNameComplaints,
  namesErrors,
  validateCrdStatus,
} from "../../../../../src/apiserver/apiextensions/validation/validate-crd.ts";

const word = fc.oneof(
  fc.constantFrom("things", "thing", "Thing", "ThingList", "v1", "a-b", "example.com", "a.b.c"),
  fc.constantFrom("", "..", "../v1", "v 1", "-a", "a-", "A", "a/b", "x".repeat(64), "é", "a.", "a..b", "1a"),
);
const names = fc.record({
  plural: word,
  singular: word,
  kind: word,
  listKind: word,
  shortNames: fc.array(word, { maxLength: 2 }),
  categories: fc.array(word, { maxLength: 2 }),
});
const sound = {
  plural: "things",
  singular: "thing",
  kind: "Thing",
  listKind: "ThingList",
};
const version = fc.record({ name: word, served: fc.boolean(), storage: fc.boolean() });

const definition = fc
  .record({
    group: fc.oneof(fc.constant("example.com"), word),
    names: fc.oneof(fc.constant(sound), names),
    accepted: fc.oneof(fc.constant(sound), fc.constant({ plural: "", kind: "" }), names),
    scope: fc.constantFrom("Namespaced", "Cluster", "Both", ""),
    versions: fc.oneof(
      fc.constant([{ name: "v1", served: true, storage: true }]),
      fc.array(version, { minLength: 1, maxLength: 2 }),
    ),
    other: fc.boolean(),
  })
  .map(
    ({ group, names, accepted, scope, versions, other }): KubeObject => ({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: other ? "other.example.com" : `${names.plural}.${group}` },
      spec: { group, names, scope, versions },
      status: { acceptedNames: accepted, conditions: [], storedVersions: ["v1"] },
    }),
  );

test("a definition is servable exactly where the rules of a create find nothing wrong with its names", () => {
  fc.assert(
    fc.property(definition, (crd) => {
      const found = [
        ...crdNameComplaints(crd.metadata.name ?? "", false, crd),
        ...namesErrors(crd),
        ...validateCrdStatus(crd),
      ];
      expect(unservableReason(crd) === undefined).toBe(found.length === 0);
    }),
    { numRuns: 500 },
  );
});

const storedCrd = (spec: object, more: object = {}): KubeObject => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "things.example.com" },
  spec: {
    ...{ group: "example.com", names: sound, scope: "Cluster" },
    versions: [{ name: "v1", served: true, storage: true }],
    ...spec,
  },
  ...more,
});

test("a name below accepted names without a plural is checked, too", () => {
  const acceptedNames = { plural: "", kind: "", listKind: "v 1" };
  const crd = storedCrd({}, { status: { acceptedNames, conditions: [], storedVersions: ["v1"] } });
  expect(unservableReason(crd)).toContain("status.acceptedNames.listKind");
});

test.each([
  ["a version", { versions: [{ name: "v 1", served: true, storage: true }] }, "spec.versions[0].name"],
  ["a group", { group: ".." }, "spec.group"],
])("%s that no path can have is the reason", (_what, spec, field) => {
  expect(unservableReason(storedCrd(spec))).toContain(field);
});
