import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import type { KubeObject } from "../../../../../src/apimachinery/meta/object-meta.ts";
import { selectorText } from "../../../../../src/apiserver/registry/scale.ts";
import { crdOf, JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH, TestApi } from "../../endpoints/support.ts";

const INTEGER = { type: "integer" };
const SCHEMA = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: { size: { type: "object", properties: { count: INTEGER } }, a: { type: "string" } },
    },
    status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  },
};
const VERSION = {
  name: "v1",
  served: true,
  storage: true,
  schema: { openAPIV3Schema: SCHEMA },
  subresources: {
    scale: {
      specReplicasPath: ".spec.size.count",
      statusReplicasPath: ".status.replicas",
      labelSelectorPath: ".status.selector",
    },
  },
};
const THINGS = "/apis/example.com/v1/namespaces/default/things";
const SCALE = `${THINGS}/a/scale`;

async function open(object: JsonObject): Promise<TestApi> {
  const api = await TestApi.open();
  await api.serve(crdOf([VERSION]));
  const made = await api.post(`${THINGS}?fieldManager=maker`, {
    apiVersion: "example.com/v1",
    kind: "Thing",
    metadata: { name: "a" },
    ...object,
  });
  expect(made.status).toBe(201);
  return api;
}

const scale = (more: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: "autoscaling/v1",
  kind: "Scale",
  metadata: { name: "a", ...metadata },
  ...more,
});

async function managersOf(api: TestApi): Promise<unknown[]> {
  const { metadata } = (await api.get(`${THINGS}/a`)).body as unknown as KubeObject; // it was made
  return (metadata.managedFields ?? []).map(({ manager }) => manager);
}

describe("the Scale of a custom resource", () => {
  test("has what lies at its paths", async () => {
    await using api = await open({ spec: { size: { count: 3 } }, status: { replicas: 2, selector: "a=b" } });
    const { body } = await api.get(SCALE);
    expect(body).toEqual({
      kind: "Scale",
      apiVersion: "autoscaling/v1",
      metadata: {
        name: "a",
        namespace: "default",
        uid: expect.any(String),
        resourceVersion: expect.any(String),
        creationTimestamp: expect.any(String),
      },
      spec: { replicas: 3 },
      status: { replicas: 2, selector: "a=b" },
    });
  });

  test("is not there while its object has no replicas", async () => {
    await using api = await open({ spec: {} });
    const answer = await api.get(SCALE);
    expect([answer.status, answer.body["message"]]).toEqual([
      500,
      'Internal error occurred: the spec replicas field ".spec.size.count" does not exist',
    ]);
  });

  test("without replicas has an empty spec", async () => {
    await using api = await open({ spec: { size: { count: 0 } } });
    expect((await api.get(SCALE)).body).toMatchObject({ spec: {}, status: { replicas: 0 } });
  });

  test("is shown as a table", async () => {
    await using api = await open({ spec: { size: { count: 3 } } });
    const { body } = await api.get(SCALE, { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" });
    expect((body["columnDefinitions"] as JsonObject[]).map(({ name }) => name)).toEqual([
      "Name",
      "Desired",
      "Available",
      "Age",
    ]);
    expect(body["rows"]).toEqual([
      { cells: ["a", null, 0, "0s"], object: expect.objectContaining({ kind: "PartialObjectMetadata" }) },
    ]);
  });
});

describe("a write to the Scale", () => {
  test("changes the replicas only, and its writer owns them without a time", async () => {
    await using api = await open({ spec: { size: { count: 3 }, a: "x" } });
    const answer = await api.put(
      `${SCALE}?fieldManager=scaler`,
      scale({ spec: { replicas: 5 }, status: { replicas: 9 } }),
    );
    expect(answer.body).toMatchObject({ kind: "Scale", spec: { replicas: 5 }, status: { replicas: 0 } });
    const { body } = await api.get(`${THINGS}/a`);
    expect(body["spec"]).toEqual({ size: { count: 5 }, a: "x" });
    expect(body["metadata"]).toMatchObject({
      generation: 2,
      managedFields: [
        {
          apiVersion: "example.com/v1",
          manager: "scaler",
          operation: "Update",
          subresource: "scale",
          fieldsV1: { "f:spec": { "f:size": { "f:count": {} } } },
        },
        { manager: "maker", fieldsV1: { "f:spec": { ".": {}, "f:a": {}, "f:size": {} } } },
      ],
    });
  });

  test.each([
    ["the same replicas and no status", { replicas: 3 }, undefined],
    ["the same replicas and another status", { replicas: 3 }, { replicas: 9, selector: "x=y" }],
    ["no replicas", {}, undefined],
  ])("has no entry of a writer that sets no replicas: %s", async (_what, spec, status) => {
    await using api = await open({ spec: { size: { count: 3 }, a: "x" }, status: { replicas: 2 } });
    const written = await api.put(
      `${SCALE}?fieldManager=scaler`,
      scale({ spec, ...(status ? { status } : {}) }),
    );
    expect(written.status).toBe(200);
    expect(await managersOf(api)).not.toContain("scaler");
  });

  test("leaves one entry of a manager with the next write of the object", async () => {
    await using api = await open({ spec: { size: { count: 3 }, a: "x" } });
    await api.put(`${SCALE}?fieldManager=maker`, scale({ spec: { replicas: 3 } }));
    expect(await managersOf(api)).toEqual(["maker", "maker"]); // an entry of a Scale has another version
    await api.patch(MERGE_PATCH, `${THINGS}/a?fieldManager=other`, { spec: { a: "x" } });
    expect(await managersOf(api)).toEqual(["maker"]);
  });

  test("makes what is missing on the way to the replicas", async () => {
    await using api = await open({ spec: { a: "x" } });
    expect((await api.put(SCALE, scale({ spec: { replicas: 2 } }))).status).toBe(200);
    expect((await api.get(`${THINGS}/a`)).body["spec"]).toEqual({ a: "x", size: { count: 2 } });
  });

  test("that leaves missing replicas as they are is refused", async () => {
    await using api = await open({ spec: {} });
    const answer = await api.patch(MERGE_PATCH, SCALE, { metadata: { labels: { a: "b" } } });
    expect([answer.status, answer.body["message"]]).toEqual([
      400,
      'the spec replicas field ".spec.size.count" cannot be empty',
    ]);
  });

  test("is for the revision that it names, or for any", async () => {
    await using api = await open({ spec: { size: { count: 3 } } });
    const stale = await api.put(SCALE, scale({ spec: { replicas: 1 } }, { resourceVersion: "1" }));
    expect([stale.status, stale.body["reason"]]).toEqual([409, "Conflict"]);
    const other = await api.put(SCALE, scale({ spec: { replicas: 1 } }, { uid: "other" }));
    expect([other.status, other.body["reason"]]).toEqual([409, "Conflict"]);
  });

  test.each<[string, JsonObject, string | RegExp]>([
    [
      "of another kind",
      { ...scale(), kind: "Thing" },
      /^no kind is registered for the type v1\.Scale in scheme/,
    ],
    [
      "of an unknown version",
      { ...scale(), apiVersion: "autoscaling/v9" },
      /^no kind is registered for the type v1\.Scale in scheme/,
    ],
    [
      "of an older version",
      { ...scale(), apiVersion: "extensions/v1beta1" },
      "the API version in the data (extensions/v1beta1) does not match the expected API version (autoscaling/v1)",
    ],
    [
      "of another object",
      scale({}, { name: "b" }),
      "the name of the object (b) does not match the name on the URL (a)",
    ],
    ["with a text for a number", scale({ spec: { replicas: "1" } }), /^no kind is registered/],
  ])("%s is refused", async (_rule, body, message) => {
    await using api = await open({ spec: { size: { count: 3 } } });
    const answer = await api.put(SCALE, body);
    expect(answer.status).toBe(400);
    expect(answer.body["message"]).toEqual(
      typeof message === "string" ? message : expect.stringMatching(message),
    );
  });

  test("may be any patch but a strategic one", async () => {
    await using api = await open({ spec: { size: { count: 3 } } });
    const replace = [
      { op: "test", path: "/spec/replicas", value: 3 },
      { op: "replace", path: "/spec/replicas", value: 4 },
    ];
    expect((await api.patch(JSON_PATCH, SCALE, replace)).body["spec"]).toEqual({ replicas: 4 });
    expect((await api.patch(MERGE_PATCH, SCALE, { spec: { replicas: null } })).body["spec"]).toEqual({});
    expect((await api.patch(STRATEGIC_PATCH, SCALE, {})).status).toBe(415);
  });

  test("cannot be applied where that changes anything, as on a real server", async () => {
    await using api = await open({ spec: { size: { count: 3 } } });
    const applied = async (wanted: JsonObject, name = "a") => {
      const { status, body } = await api.apply("b", `${THINGS}/${name}/scale`, wanted, "&force=true");
      return [status, body["message"] ?? body["spec"]];
    };
    const failure = (what: string) =>
      `failed to convert ${what}; autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an invalid group/version: autoscaling/v1`;
    expect(await applied(scale({ spec: { replicas: 7 } }))).toEqual([500, failure("new object (/a")]);
    expect(await applied(scale({ spec: { replicas: 7 } }, { namespace: "default" }))).toEqual([
      500,
      failure("new object (default/a"),
    ]);
    expect(await applied(scale({ spec: { replicas: 3 } }))).toEqual([200, { replicas: 3 }]);
    await api.post(THINGS, { apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "none" } });
    expect(await applied(scale({ spec: { replicas: 7 } }, { name: "none" }), "none")).toEqual([
      500,
      `failed to create manager for existing fields: ${failure("live object (/")}`,
    ]);
  });

  test("to be applied is in conflict with the manager that has set the replicas", async () => {
    await using api = await open({ spec: { size: { count: 3 } } });
    const wanted = scale({ spec: { replicas: 7 } });
    const refused = await api.apply("b", SCALE, wanted);
    expect([refused.status, refused.body["message"]]).toEqual([
      409,
      'Apply failed with 1 conflict: conflict with "maker" using autoscaling/v1: .spec.replicas',
    ]);
  });

  test("is not stored by a dry run", async () => {
    await using api = await open({ spec: { size: { count: 3 } } });
    const dry = await api.put(`${SCALE}?dryRun=All`, scale({ spec: { replicas: 5 } }));
    expect(dry.body["spec"]).toEqual({ replicas: 5 });
    expect((await api.get(SCALE)).body["spec"]).toEqual({ replicas: 3 });
  });
});

describe("a selector as text", () => {
  test.each<[string, JsonObject, string]>([
    ["labels", { matchLabels: { b: "2", a: "1" } }, "a=1,b=2"],
    ["a plain map", { a: "1" }, "a=1"],
    [
      "expressions, sorted by key",
      {
        matchLabels: { m: "1" },
        matchExpressions: [
          { key: "z", operator: "Exists" },
          { key: "a", operator: "In", values: ["y", "x"] },
          { key: "n", operator: "NotIn", values: ["q"] },
          { key: "d", operator: "DoesNotExist" },
        ],
      },
      "a in (x,y),!d,m=1,n notin (q),z",
    ],
    ["nothing", {}, ""],
  ])("%s", (_form, selector, text) => {
    expect(selectorText(selector)).toBe(text);
  });
});
