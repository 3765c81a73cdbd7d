import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import { TestApi, THINGS, thing } from "../../endpoints/support.ts";
import { builtInView, contextFor, customView, objectOf, refusalOf } from "../support.ts";

const view = customView(
  { type: "object", properties: { a: { type: "string" }, b: { type: "string" }, n: { type: "integer" } } },
  { subresources: { status: {} } },
);

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.open();
  api.registry.set(view.definition);
});
afterEach(() => api[Symbol.asyncDispose]());

interface Asked {
  readonly manager?: string;
  readonly force?: boolean;
  readonly subresource?: string;
  readonly dryRun?: boolean;
}

const apply = async (
  applied: JsonObject,
  { manager = "ann", force = false, subresource = "", dryRun = false }: Asked = {},
) =>
  api.resources.apply({
    address: { view, namespace: "default", name: "t" },
    subresource,
    applied,
    force,
    context: contextFor({ fieldManager: manager, dryRun }),
  });
const specOf = async () => (await api.get(`${THINGS}/t`)).body["spec"];

describe("an applied configuration", () => {
  test("makes what is not there, with its manager as owner", async () => {
    const result = await apply(thing("t", { spec: { a: "1" } }));
    expect(result.created).toBe(true);
    expect(objectOf(result)).toMatchObject({
      spec: { a: "1" },
      metadata: {
        managedFields: [{ manager: "ann", operation: "Apply", fieldsV1: { "f:spec": { "f:a": {} } } }],
      },
    });
  });

  test("changes what is there, and takes back what it no longer names", async () => {
    await apply(thing("t", { spec: { a: "1", b: "1" } }));
    const result = await apply(thing("t", { spec: { a: "2" } }));
    expect(result.created).toBeUndefined();
    expect(await specOf()).toEqual({ a: "2" });
  });

  test("is not changed by being applied", async () => {
    const applied = thing("t", { spec: { a: "1" } });
    const before = structuredClone(applied);
    await apply(applied);
    expect(applied).toEqual(before);
  });

  test("leaves what others own", async () => {
    await apply(thing("t", { spec: { a: "1" } }));
    await apply(thing("t", { spec: { b: "2" } }), { manager: "bob" });
    await apply(thing("t"));
    expect(await specOf()).toEqual({ b: "2" });
  });

  test("as a dry run changes nothing", async () => {
    await apply(thing("t", { spec: { a: "1" } }), { dryRun: true });
    expect((await api.get(`${THINGS}/t`)).status).toBe(404);
  });
});

describe("a conflict", () => {
  beforeEach(() => apply(thing("t", { spec: { a: "1" } })));

  test("is refused with the manager and the field", async () => {
    const refused = apply(thing("t", { spec: { a: "2" } }), { manager: "bob" });
    await expect(refused).rejects.toMatchObject({
      status: {
        code: 409,
        reason: "Conflict",
        message: 'Apply failed with 1 conflict: conflict with "ann": .spec.a',
        details: {
          causes: [{ reason: "FieldManagerConflict", message: 'conflict with "ann"', field: ".spec.a" }],
        },
      },
    });
    expect(await specOf()).toEqual({ a: "1" });
  });

  test("is won by force, and the other one loses the field", async () => {
    const result = await apply(thing("t", { spec: { a: "2" } }), { manager: "bob", force: true });
    expect(objectOf(result)).toMatchObject({
      spec: { a: "2" },
      metadata: { managedFields: [{ manager: "bob" }] },
    });
  });

  test("is none where both want the same", async () => {
    const result = await apply(thing("t", { spec: { a: "1" } }), { manager: "bob" });
    expect(
      objectOf(result)
        .metadata.managedFields?.map(({ manager }) => manager)
        .sort(),
    ).toEqual(["ann", "bob"]);
  });
});

describe("what is refused", () => {
  test.each<[string, JsonObject, Asked, RegExp]>([
    ["no kind", { apiVersion: "example.com/v1" }, {}, /^400 invalid object type: example\.com\/v1, Kind=$/],
    ["nothing", {}, {}, /^400 invalid object type: \/, Kind=$/],
    [
      "another kind",
      { ...thing("t"), kind: "Other" },
      {},
      /^400 invalid object type: example\.com\/v1, Kind=Other$/,
    ],
    [
      "a core version",
      { ...thing("t"), apiVersion: "v1" },
      {},
      /^400 invalid object type: \/v1, Kind=Thing$/,
    ],
    [
      "another name",
      thing("u"),
      {},
      /^400 the name of the object \(u\) does not match the name on the URL \(t\)/,
    ],
    [
      "a uid of what is not there",
      thing("t", {}, { uid: "u" }),
      {},
      /^409 .*uid mismatch: the provided object specified uid u, and no existing object was found$/,
    ],
    [
      "managedFields",
      thing("t", {}, { managedFields: [{ manager: "x" }] }),
      {},
      /^400 metadata\.managedFields must be nil/,
    ],
    [
      "an unknown field",
      thing("t", { spec: { odd: 1 } }),
      {},
      /^500 .*\.spec\.odd: field not declared in schema/,
    ],
    ["a wrong type", thing("t", { spec: { n: "x" } }), {}, /^500 .*\.spec\.n: expected numeric/],
    [
      "the status of what is not there",
      thing("t", { status: {} }),
      { subresource: "status" },
      /^404 things\.example\.com "t" not found/,
    ],
  ])("%s", async (_rule, applied, asked, why) => {
    expect(await refusalOf(apply(applied, asked))).toMatch(why);
  });
});

describe("the status subresource", () => {
  beforeEach(() => apply(thing("t", { spec: { a: "1" } })));

  test("takes the status alone, under an entry of its own", async () => {
    const applied = thing("t", { spec: { a: "9" }, status: { ready: true } });
    const result = await apply(applied, { subresource: "status", force: true });
    expect(objectOf(result)).toMatchObject({ spec: { a: "1" }, status: { ready: true } });
    expect(objectOf(result).metadata.managedFields).toMatchObject([
      { manager: "ann", fieldsV1: { "f:spec": { "f:a": {} } } },
      { manager: "ann", subresource: "status", fieldsV1: { "f:status": { "f:ready": {} } } },
    ]);
  });

  test("of the object itself is not taken", async () => {
    const result = await apply(thing("t", { spec: { a: "1" }, status: { ready: true } }));
    expect(objectOf(result)).not.toHaveProperty("status");
  });
});

describe("a configuration of a built-in kind that cannot be read", () => {
  test.each([
    [
      "configmaps",
      { binaryData: { a: "x" } },
      "error decoding from json: illegal base64 data at input byte 0",
    ],
    [
      "limitranges",
      { spec: { limits: [{ type: "Pod", max: { cpu: "" } }] } },
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    ["services", { spec: { healthCheckNodePort: 1.5 } }, "cannot convert float64 to int32"],
  ])("%s", async (resource, members, why) => {
    const builtIn = builtInView(resource);
    const { kind } = builtIn.definition;
    const type = `/v1, Kind=${kind}`;
    const result = api.resources.apply({
      address: { view: builtIn, namespace: "default", name: "t" },
      subresource: "",
      applied: { apiVersion: "v1", kind, metadata: { name: "t" }, ...members },
      force: false,
      context: contextFor({ fieldManager: "ann" }),
    });
    expect(await refusalOf(result)).toBe(
      `500 failed to convert new object (/t; ${type}) to proper version: unable to convert unstructured object to ${type}: ${why}`,
    );
  });
});
