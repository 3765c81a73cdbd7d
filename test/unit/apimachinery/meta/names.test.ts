import { describe, expect, test } from "vitest";
import { FINDINGS_CHARS_MAX, type FieldError } from "../../../../src/apimachinery/meta/field-error.ts";
import {
  finalizerWarnings,
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isLabelValue,
  isQualifiedName,
  nameIsDnsSubdomain,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../../../../src/apimachinery/meta/names.ts";
import type { ObjectMeta } from "../../../../src/apimachinery/meta/object-meta.ts";

const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const NAME_PART =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

const lines = (errors: readonly FieldError[]): string[] =>
  errors.map(({ field, message }) => `${field}: ${message}`);

describe("names", () => {
  test.each(["Upper", "a_b", "a-", "a/b", "a..b", ".", "é", ""])("%j is no subdomain", (name) => {
    expect(isDns1123Subdomain(name)).toEqual([SUBDOMAIN]);
  });

  test("a subdomain has at most 253 characters", () => {
    expect(isDns1123Subdomain("a".repeat(253))).toEqual([]);
    expect(isDns1123Subdomain("a".repeat(254))).toEqual(["must be no more than 253 characters"]);
  });

  test("a label has no dots and at most 63 characters", () => {
    expect(isDns1123Label("a.b")).toEqual(["must not contain dots"]);
    expect(isDns1123Label("a".repeat(64))).toEqual(["must be no more than 63 characters"]);
    expect(isDns1035Label("1a")[0]).toMatch(/^a DNS-1035 label must consist/);
  });

  test("a generateName may end with a dash", () => {
    expect(nameIsDnsSubdomain("gen-", true)).toEqual([]);
    expect(nameIsDnsSubdomain("gen-", false)).toEqual([SUBDOMAIN]);
  });
});

describe("label keys and values", () => {
  test.each<[string, string[]]>([
    ["example.com/K_1.x", []],
    ["", ["name part must be non-empty", `name part ${NAME_PART}`]],
    ["/a", ["prefix part must be non-empty"]],
    ["k".repeat(64), ["name part must be no more than 63 bytes"]],
    [
      "a/b/c",
      [
        `a valid label key ${NAME_PART} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
      ],
    ],
    ["UP.example/k", [`prefix part ${SUBDOMAIN}`]],
  ])("%j", (key, complaints) => {
    expect(isQualifiedName(key)).toEqual(complaints);
  });

  test("a value may be empty and has at most 63 bytes", () => {
    expect(isLabelValue("")).toEqual([]);
    expect(isLabelValue("v".repeat(64))).toEqual(["must be no more than 63 bytes"]);
    expect(isLabelValue("b~c")[0]).toMatch(/^a valid label must be an empty string or/);
  });
});

describe("metadata at creation", () => {
  const rules = { namespaceScoped: true };

  test("is found right when it is", () => {
    const meta = {
      name: "a.b-c.9",
      namespace: "ns",
      labels: { a: "" },
      annotations: { "Example.COM/K": "x\n" },
    };
    expect(validateObjectMeta(meta, rules)).toEqual([]);
  });

  test("complaints come in the order generateName, name, namespace, labels, annotations, owners, finalizers", () => {
    const meta = {
      name: "Gen_x",
      generateName: "Gen_",
      labels: { "bad key": "v" },
      annotations: { "bad key": "v" },
      ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "c", uid: "" }],
      finalizers: ["a b"],
      managedFields: [{ operation: "Wrong" }],
    };
    expect(lines(validateObjectMeta(meta, rules))).toEqual([
      `metadata.generateName: Invalid value: "Gen_": ${SUBDOMAIN}`,
      `metadata.name: Invalid value: "Gen_x": ${SUBDOMAIN}`,
      "metadata.namespace: Required value",
      `metadata.labels: Invalid value: "bad key": name part ${NAME_PART}`,
      `metadata.annotations: Invalid value: "bad key": name part ${NAME_PART}`,
      'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
      `metadata.finalizers: Invalid value: "a b": name part ${NAME_PART}`,
      'metadata.managedFields[0].operation: Invalid value: "Wrong": must be `Apply` or `Update`',
    ]);
  });

  test.each<[string, object, boolean, string]>([
    ["a name is required", {}, false, "metadata.name: Required value: name or generateName is required"],
    [
      "cluster-scoped kinds have no namespace",
      { name: "a", namespace: "n" },
      false,
      "metadata.namespace: Forbidden: not allowed on this type",
    ],
    [
      "annotations have at most 256 KiB",
      { name: "a", annotations: { k: "x".repeat(256 * 1024) } },
      false,
      "metadata.annotations: Too long: may not be more than 262144 bytes",
    ],
    [
      "one owner may be the controller",
      {
        name: "a",
        ownerReferences: [
          { uid: "u1", name: "c", kind: "K", apiVersion: "v1", controller: true },
          { uid: "u2", name: "d", kind: "K", apiVersion: "v1", controller: true },
        ],
      },
      false,
      'metadata.ownerReferences: Invalid value: [{"apiVersion":"v1","kind":"K","name":"c","uid":"u1","controller":true},{"apiVersion":"v1","kind":"K","name":"d","uid":"u2","controller":true}]: Only one reference can have Controller set to true. Found "true" in references for K/c and K/d',
    ],
    [
      "an Event owns nothing",
      { name: "a", ownerReferences: [{ apiVersion: "v1", kind: "Event", name: "c", uid: "u1" }] },
      false,
      'metadata.ownerReferences: Invalid value: {"apiVersion":"v1","kind":"Event","name":"c","uid":"u1"}: /v1, Kind=Event is disallowed from being an owner',
    ],
    [
      "an owner's apiVersion has one slash at most",
      { name: "a", ownerReferences: [{ apiVersion: "a/b/c", kind: "K", name: "c", uid: "u" }] },
      false,
      'metadata.ownerReferences.apiVersion: Invalid value: "a/b/c": version must not be empty',
    ],
    [
      "orphan and foregroundDeletion exclude each other",
      { name: "a", finalizers: ["orphan", "foregroundDeletion"] },
      false,
      'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
    ],
    [
      "a field manager is printable",
      { name: "a", managedFields: [{ operation: "Update", manager: "a\u0007" }] },
      false,
      'metadata.managedFields[0].manager: Invalid value: "a\\a": invalid character U+0007 (at position 1)',
    ],
  ])("%s", (_rule, meta, namespaceScoped, line) => {
    expect(lines(validateObjectMeta(meta, { namespaceScoped }))).toEqual([line]);
  });
});

describe("of many things that are wrong no more are found than are told", () => {
  const bad = Array.from({ length: 60_000 }, (_, index) => `-bad-${index}`);
  const byKey = Object.fromEntries(bad.map((key) => [key, "-"]));
  const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u", controller: true };

  test.each<[string, ObjectMeta]>([
    ["labels", { labels: byKey }],
    ["annotations", { annotations: byKey }],
    ["owners", { ownerReferences: bad.slice(0, 3000).map((uid) => ({ ...owner, uid })) }],
    ["finalizers", { finalizers: bad }],
  ])("%s", (_kind, meta) => {
    const errors = validateObjectMeta({ name: "n", namespace: "ns", ...meta }, { namespaceScoped: true });
    const chars = errors.map(({ field, message }) => field.length + message.length);
    const sum = chars.reduce((before, count) => before + count, 0);
    expect(sum).toBeGreaterThan(FINDINGS_CHARS_MAX);
    expect(sum).toBeLessThan(FINDINGS_CHARS_MAX + 2 * Math.max(...chars));
  });
});

describe("metadata at update", () => {
  const old = {
    name: "a",
    uid: "u1",
    resourceVersion: "5",
    generation: 2,
    creationTimestamp: "2026-01-01T00:00:00Z",
  };

  test("nothing changed, nothing to say", () => {
    expect(validateObjectMetaUpdate(old, old)).toEqual([]);
  });

  test("identity, times and generation do not change, and a revision is needed", () => {
    const meta = { ...old, uid: "u2", resourceVersion: "", generation: 1, deletionGracePeriodSeconds: 5 };
    expect(lines(validateObjectMetaUpdate(meta, old))).toEqual([
      'metadata.resourceVersion: Invalid value: "": must be specified for an update',
      "metadata.generation: Invalid value: 1: must not be decremented",
      'metadata.uid: Invalid value: "u2": field is immutable',
      "metadata.deletionGracePeriodSeconds: Invalid value: 5: field is immutable",
    ]);
  });

  test("finalizers may go but not come while the object is being deleted", () => {
    const deleting = { ...old, deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["x/a", "x/b"] };
    expect(validateObjectMetaUpdate({ ...deleting, finalizers: ["x/b"] }, deleting)).toEqual([]);
    expect(lines(validateObjectMetaUpdate({ ...deleting, finalizers: ["x/c"] }, deleting))).toEqual([
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"x/c"}',
    ]);
  });

  test("a plain finalizer that comes earns a warning", () => {
    expect(finalizerWarnings({ finalizers: ["plain", "x/y", "orphan", "kubernetes"] }, undefined)).toEqual([
      'metadata.finalizers: "plain": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers',
    ]);
    expect(finalizerWarnings({ finalizers: ["plain"] }, { finalizers: ["plain"] })).toEqual([]);
  });
});
