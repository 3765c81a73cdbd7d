// CRDs in etcd: their bytes as a kube-apiserver writes them, and old ones.
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import { createStorageLayout } from "../../../../src/apiserver/layout/storage-layout.ts";
import { StoredKinds } from "../../../../src/apiserver/layout/stored-kinds.ts";
import { encodeStored, parseWithoutRevision } from "../../../../src/apiserver/registry/codec/object-codec.ts";
import { BUILT_IN_RESOURCES } from "../../../../src/kube/index.ts";

const KEY = "/registry/apiextensions.k8s.io/customresourcedefinitions/things.example.com";
const layout = createStorageLayout({ builtIn: BUILT_IN_RESOURCES });
const order = new StoredKinds(BUILT_IN_RESOURCES).at(KEY)?.order;

const METADATA = {
  name: "things.example.com",
  uid: "u",
  generation: 1,
  creationTimestamp: "2030-01-01T00:00:00Z",
};
const NAMES = { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" };
const STATUS = { conditions: null, acceptedNames: { plural: "", kind: "" }, storedVersions: ["v1"] };
const SCHEMA = {
  openAPIV3Schema: { type: "object", description: "a <b>", properties: { spec: { type: "string" } } },
};
const COLUMN = { jsonPath: ".spec", name: "Spec", type: "string", priority: 1 };

const v1 = (spec: JsonObject) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: METADATA,
  spec: { group: "example.com", names: NAMES, scope: "Namespaced", ...spec },
  status: STATUS,
});

const written = (spec: JsonObject): string =>
  Buffer.from(layout.encode(KEY, encodeStored(v1(spec), order))).toString();

const read = (value: unknown): JsonObject => {
  const decoded = layout.decode(KEY, Buffer.from(JSON.stringify(value)));
  return parseWithoutRevision({ key: KEY, value: decoded.value });
};

const HEAD =
  '{"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1beta1","metadata":{"name":"things.example.com","uid":"u","generation":1,"creationTimestamp":"2030-01-01T00:00:00Z"},"spec":{"group":"example.com","version":"v1","names":{"plural":"things","singular":"thing","kind":"Thing","listKind":"ThingList"},"scope":"Namespaced"';
const TAIL =
  '},"status":{"conditions":null,"acceptedNames":{"plural":"","kind":""},"storedVersions":["v1"]}}\n';
const SCHEMA_TEXT =
  '{"openAPIV3Schema":{"description":"a \\u003cb\\u003e","type":"object","properties":{"spec":{"type":"string"}}}}';

describe("is written as v1beta1", () => {
  test("with what its one version says at the top", () => {
    const spec = {
      versions: [
        {
          ...{ name: "v1", served: true, storage: true, schema: SCHEMA, subresources: { status: {} } },
          additionalPrinterColumns: [COLUMN],
          selectableFields: [{ jsonPath: ".spec" }],
        },
      ],
      conversion: { strategy: "None" },
    };
    expect(written(spec)).toBe(
      `${HEAD},"validation":${SCHEMA_TEXT},"subresources":{"status":{}},"versions":[{"name":"v1","served":true,"storage":true}],"additionalPrinterColumns":[{"name":"Spec","type":"string","priority":1,"JSONPath":".spec"}],"selectableFields":[{"jsonPath":".spec"}],"conversion":{"strategy":"None"},"preserveUnknownFields":false${TAIL}`,
    );
  });

  test("with what its versions say alike at the top, and the rest in each of them", () => {
    const spec = {
      versions: [
        { name: "v1", served: true, storage: true, schema: SCHEMA, additionalPrinterColumns: [COLUMN] },
        { name: "v2", served: false, storage: false, deprecated: true, schema: SCHEMA },
      ],
      conversion: {
        strategy: "Webhook",
        webhook: {
          conversionReviewVersions: ["v1"],
          clientConfig: { caBundle: "YQ==", service: { namespace: "a", name: "b", port: 443 } },
        },
      },
      preserveUnknownFields: true,
    };
    expect(written(spec)).toBe(
      `${HEAD},"validation":${SCHEMA_TEXT},"versions":[{"name":"v1","served":true,"storage":true,"additionalPrinterColumns":[{"name":"Spec","type":"string","priority":1,"JSONPath":".spec"}]},{"name":"v2","served":false,"storage":false,"deprecated":true}],"conversion":{"strategy":"Webhook","webhookClientConfig":{"service":{"namespace":"a","name":"b","port":443},"caBundle":"YQ=="},"conversionReviewVersions":["v1"]},"preserveUnknownFields":true${TAIL}`,
    );
  });

  test("fields to select stay with schemas that differ", () => {
    const version = { served: true, selectableFields: [{ jsonPath: ".spec" }] };
    const spec = {
      versions: [
        { ...version, name: "v1", storage: true, schema: SCHEMA },
        { ...version, name: "v2", storage: false, schema: { openAPIV3Schema: { type: "object" } } },
      ],
      conversion: { strategy: "None" },
    };
    expect(written(spec)).toBe(
      `${HEAD},"versions":[{"name":"v1","served":true,"storage":true,"schema":${SCHEMA_TEXT},"selectableFields":[{"jsonPath":".spec"}]},{"name":"v2","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object"}},"selectableFields":[{"jsonPath":".spec"}]}],"conversion":{"strategy":"None"},"preserveUnknownFields":false${TAIL}`,
    );
  });
});

describe("is read", () => {
  const old = (spec: JsonObject): JsonObject => ({
    ...v1({}),
    apiVersion: "apiextensions.k8s.io/v1beta1",
    spec: { group: "example.com", names: NAMES, scope: "Namespaced", ...spec },
  });

  test("from one without a list of versions", () => {
    const { spec } = read(
      old({ version: "v1", validation: SCHEMA, additionalPrinterColumns: [{ ...COLUMN, JSONPath: ".a" }] }),
    );
    expect(spec).toMatchObject({
      versions: [{ name: "v1", served: true, storage: true, schema: SCHEMA }],
      conversion: { strategy: "None" },
    });
  });

  test("with what stands at the top in every version", () => {
    const versions = [
      { name: "v2", served: true, storage: true },
      { name: "v1", served: true, storage: false },
    ];
    const { spec } = read(old({ version: "v2", versions, validation: SCHEMA, subresources: { status: {} } }));
    const shared = { schema: SCHEMA, subresources: { status: {} } };
    expect(spec).toMatchObject({ versions: versions.map((version) => ({ ...version, ...shared })) });
  });

  test("as unpruned where nothing else is said, as at its time", () => {
    const spec = { version: "v1", validation: SCHEMA };
    expect(read(old(spec))["spec"]).toMatchObject({ preserveUnknownFields: true });
    expect(read(old({ ...spec, preserveUnknownFields: false }))["spec"]).not.toHaveProperty(
      "preserveUnknownFields",
    );
  });

  test("with versions of a review that its webhook is asked with", () => {
    const conversion = { strategy: "Webhook", webhookClientConfig: { url: "https://a" } };
    expect(read(old({ version: "v1", validation: SCHEMA, conversion }))["spec"]).toMatchObject({
      conversion: {
        strategy: "Webhook",
        webhook: { clientConfig: { url: "https://a" }, conversionReviewVersions: ["v1beta1"] },
      },
    });
  });

  test("when it was written as v1, and is to be written anew", () => {
    const crd = v1({ versions: [{ name: "v1", served: true, storage: true, schema: SCHEMA }] });
    const { isStale } = layout.decode(KEY, Buffer.from(JSON.stringify(crd)));
    expect(isStale).toBe(true);
    expect(read(crd)["apiVersion"]).toBe("apiextensions.k8s.io/v1");
  });
});
