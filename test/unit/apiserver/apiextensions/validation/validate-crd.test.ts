import { describe, expect, test } from "vitest";
import { cloneJson, type JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import { describeFieldError } from "../../../../../src/apimachinery/meta/field-error.ts";
import type { KubeObject } from "../../../../../src/apimachinery/meta/object-meta.ts";
import { formatWarnings } from "../../../../../src/apiserver/apiextensions/validation/format-warnings.ts";
import {
  crdNameComplaints,
  validateCrd,
  validateCrdStatus,
} from "../../../../../src/apiserver/apiextensions/validation/validate-crd.ts";
import { Warnings } from "../../../../../src/apiserver/endpoints/response/warnings.ts";
import { readShippedDefinitions } from "../../../../../src/server/manifests.ts";
import { ANYTHING, crdWith, found, version } from "./support.ts";

const LABEL =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

test("every CRD that is shipped is valid, and has no format that is not checked", async () => {
  for (const manifest of await readShippedDefinitions()) {
    const crd: KubeObject = cloneJson(manifest);
    const spec = crd["spec"] as { names: JsonObject; versions: { name: string; storage: boolean }[] }; // a shipped CRD
    spec.names["listKind"] ??= `${String(spec.names["kind"])}List`;
    const stored = spec.versions.filter(({ storage }) => storage).map(({ name }) => name);
    const whole = { ...crd, status: { storedVersions: stored } };
    expect([crd.metadata.name, found(whole), formatWarnings(crd, undefined)]).toEqual([
      crd.metadata.name,
      [],
      [],
    ]);
    expect(crdNameComplaints(crd.metadata.name ?? "", false, crd)).toEqual([]);
  }
});

describe("the name of a CRD", () => {
  test("is its plural and its group", () => {
    expect(crdNameComplaints("others.example.com", false, crdWith({}))).toEqual([
      'must be spec.names.plural+"."+spec.group',
    ]);
  });

  test("is checked as a subdomain alone once it is stored", () => {
    expect(crdNameComplaints("others.example.com", false)).toEqual([]);
  });
});

describe("a new CRD", () => {
  const path = "spec.validation.openAPIV3Schema";
  test.each<[string, JsonObject, string[]]>([
    ["needs a group", { group: "" }, ["spec.group: Required value"]],
    [
      "needs a group with a dot",
      { group: "x" },
      ['spec.group: Invalid value: "x": should be a domain with at least one dot'],
    ],
    ["needs a scope", { scope: "" }, ["spec.scope: Required value"]],
    [
      "has one of two scopes",
      { scope: "All" },
      ['spec.scope: Unsupported value: "All": supported values: "Cluster", "Namespaced"'],
    ],
    [
      "needs a schema in every version",
      { versions: [version({ schema: {} })] },
      ["spec.versions[0].schema.openAPIV3Schema: Required value"],
    ],
    [
      "needs names of versions that are labels, and says so twice of the first",
      { versions: [version({ name: "V" })] },
      [
        `spec.versions[0].name: Invalid value: "V": ${LABEL}`,
        `spec.version: Invalid value: "V": ${LABEL}`,
        'status.storedVersions: Invalid value: ["v1"]: must have the storage version V',
        'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v1 and removes v1 from status.storedVersions',
      ],
    ],
    [
      "cannot warn about a version that is not deprecated",
      { versions: [version({ deprecationWarning: "" })] },
      ['spec.versions[0].deprecationWarning: Invalid value: "": can only be set for deprecated versions'],
    ],
    [
      "warns in printable text",
      { versions: [version({ deprecated: true, deprecationWarning: "ä\u0007" })] },
      [
        'spec.versions[0].deprecationWarning: Invalid value: "ä\\a": must only contain printable UTF-8 characters; non-printable character found at index 2',
      ],
    ],
    [
      "has a structural schema",
      { versions: [version({}, {})] },
      [`${path}.type: Required value: must not be empty at the root`],
    ],
    [
      "has rules that compile, if its schema is sound",
      { versions: [version({}, { ...ANYTHING, "x-kubernetes-validations": [{ rule: "" }] })] },
      [`${path}.x-kubernetes-validations[0].rule: Required value: rule is not specified`],
    ],
    [
      "has defaults that fulfil the rules of their place",
      {
        versions: [
          version(
            {},
            {
              type: "object",
              properties: {
                spec: {
                  type: "object",
                  default: { n: 1 },
                  properties: { n: { type: "integer" } },
                  "x-kubernetes-validations": [{ rule: "self.n > 1" }],
                },
              },
            },
          ),
        ],
      },
      [`${path}.properties[spec].default: Invalid value: failed rule: self.n > 1`],
    ],
    [
      "does not preserve unknown fields everywhere",
      { preserveUnknownFields: true },
      [
        "spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
      ],
    ],
    [
      "has two different kinds for objects and lists",
      { names: { plural: "things", singular: "thing", kind: "Thing", listKind: "Thing" } },
      ['spec.names.listKind: Invalid value: "Thing": kind and listKind may not be the same'],
    ],
    [
      "has short names and categories that are labels",
      {
        names: {
          plural: "things",
          singular: "thing",
          kind: "Thing",
          listKind: "ThingList",
          shortNames: ["ok", "A"],
          categories: ["B"],
        },
      },
      [
        `spec.names.shortNames[1]: Invalid value: "A": ${LABEL}`,
        `spec.names.categories[0]: Invalid value: "B": ${LABEL}`,
      ],
    ],
    [
      "scales along paths",
      { versions: [version({ subresources: { scale: {} } })] },
      [
        "spec.subresources.scale.specReplicasPath: Required value",
        "spec.subresources.scale.statusReplicasPath: Required value",
      ],
    ],
    [
      "has columns of known types",
      { versions: [version({ additionalPrinterColumns: [{ name: "a", type: "x", jsonPath: "b" }] })] },
      [
        'spec.additionalPrinterColumns[0].type: Invalid value: "x": must be one of boolean,date,integer,number,string',
        'spec.additionalPrinterColumns[0].JSONPath: Invalid value: "b": must be a simple json path starting with .',
      ],
    ],
  ])("%s", (_rule, spec, expected) => {
    expect(found(crdWith(spec))).toEqual(expected);
  });

  test("is told what differs between versions at the version, and what they share at the top", () => {
    const bad = { type: "string" };
    const both = [version({}, bad), version({ name: "v2", storage: false }, bad)];
    const one = [version({}, ANYTHING), version({ name: "v2", storage: false }, bad)];
    expect(found(crdWith({ versions: both }))[0]).toMatch(/^spec\.validation\.openAPIV3Schema\.type: /);
    expect(found(crdWith({ versions: one }))).toEqual([
      'spec.versions[1].schema.openAPIV3Schema.type: Invalid value: "string": must be object at the root',
    ]);
  });

  test("has one storage version, and no name twice", () => {
    const none = found(crdWith({ versions: [] }, { storedVersions: null }));
    expect(none).toEqual([
      "spec.versions: Invalid value: []: must have exactly one version marked as storage version",
      "status.storedVersions: Invalid value: null: must have at least one stored version",
    ]);
    const [twice] = found(crdWith({ versions: [version(), version({ storage: false })] }));
    expect(twice).toMatch(
      /^spec\.versions: Invalid value: \[\{"Name":"v1","Served":true,"Storage":true,.*\]: must contain unique version names$/,
    );
  });
});

describe("a changed CRD", () => {
  const established = { storedVersions: ["v1"], conditions: [{ type: "Established", status: "True" }] };
  const changed = (spec: JsonObject, before: JsonObject = established): string[] =>
    validateCrd(crdWith(spec, before), crdWith({}, before)).map(describeFieldError);

  test("keeps its scope and kind from the moment it is served", () => {
    const spec = {
      scope: "Cluster",
      names: { plural: "things", singular: "x", kind: "X", listKind: "XList" },
    };
    expect(changed(spec)).toEqual([
      'spec.scope: Invalid value: "Cluster": field is immutable',
      'spec.names.kind: Invalid value: "X": field is immutable',
    ]);
    expect(changed(spec, { storedVersions: ["v1"] })).toEqual([]);
  });

  test("keeps its group and plural in any case", () => {
    const spec = {
      group: "example.org",
      names: { plural: "others", singular: "thing", kind: "Thing", listKind: "ThingList" },
    };
    expect(changed(spec, { storedVersions: ["v1"] })).toEqual([
      'spec.group: Invalid value: "example.org": field is immutable',
      'spec.names.plural: Invalid value: "others": field is immutable',
    ]);
  });

  test("may keep a schema that would be refused today", () => {
    const versions = [version({}, { type: "string" })];
    expect(validateCrd(crdWith({ versions }), crdWith({ versions }))).toEqual([]);
  });

  test("has certificates that can be read once it is served, unless it had none before", () => {
    const conversion = (caBundle: string) => ({
      conversion: {
        strategy: "Webhook",
        webhook: { clientConfig: { url: "https://h", caBundle }, conversionReviewVersions: ["v1"] },
      },
    });
    const error =
      'spec.conversion.webhookClientConfig.caBundle: Invalid value: "eA==": unable to load root certificates: data does not contain any valid RSA or ECDSA certificates';
    expect(changed(conversion("eA=="))).toEqual([error]);
    const same = crdWith(conversion("eA=="), established);
    expect(validateCrd(same, same)).toEqual([]);
    expect(found(crdWith(conversion("eA==")))).toEqual([]);
  });

  test("of its status only the names are checked", () => {
    const crd = crdWith({}, { acceptedNames: { plural: "X" }, storedVersions: [] });
    expect(validateCrdStatus(crd).map(({ field }) => field)).toEqual(["status.acceptedNames.plural"]);
  });
});

test("formats that are not checked are warned about when they come", () => {
  const schema = {
    type: "object",
    properties: {
      a: { type: "string", format: "ip" },
      b: { type: "integer", format: "int32" },
      c: { type: "number", format: "int32" },
    },
  };
  const crd = crdWith({ versions: [version({}, schema)] });
  expect(formatWarnings(crd, undefined)).toEqual(['unrecognized format "ip"', 'unrecognized format "int32"']);
  expect(formatWarnings(crd, crd)).toEqual([]);
});

describe("warnings about many formats", () => {
  const NAMES = Array.from({ length: 1000 }, (_, index) => `f${index}`);
  const crdOf = (formats: readonly string[]) =>
    crdWith({
      versions: [
        version(
          {},
          {
            type: "object",
            properties: Object.fromEntries(
              formats.map((format, index) => [`p${(index * 7919) % 1000}`, { type: "string", format }]),
            ),
          },
        ),
      ],
    });
  const headersOf = (texts: readonly string[]) => {
    const warnings = new Warnings();
    for (const text of texts) warnings.add(text);
    return warnings.headers();
  };
  const inOrder = NAMES.map((format, index) => [`p${(index * 7919) % 1000}`, format] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, format]) => `unrecognized format "${format}"`);

  test("are as many as an answer has room for, in the order of the properties", () => {
    const texts = formatWarnings(crdOf(NAMES), undefined);
    expect(texts).toEqual(inOrder.slice(0, texts.length));
    expect(texts.length).toBeLessThan(inOrder.length);
    expect(headersOf(texts)).toEqual(headersOf(inOrder));
  });

  test("leave out those that were there before", () => {
    const before = NAMES.filter((name) => !name.endsWith("77"));
    const texts = formatWarnings(crdOf(NAMES), crdOf(before));
    expect(texts).toEqual(inOrder.filter((text) => text.endsWith('77"')));
  });

  test("come once for each format", () => {
    expect(formatWarnings(crdOf(NAMES.map(() => "x")), undefined)).toEqual(['unrecognized format "x"']);
  });
});
