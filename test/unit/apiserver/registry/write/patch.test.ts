import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import { type PatchType, readPatchValue } from "../../../../../src/apiserver/registry/write/patch.ts";
import { checkNameMatches } from "../../../../../src/apiserver/registry/write/prepare.ts";
import { configMap, TestApi, THINGS, thing } from "../../endpoints/support.ts";
import { builtInView, contextFor, customView, object, refusal, refusalOf } from "../support.ts";

const things = customView({
  type: "object",
  properties: { a: { type: "string" }, n: { type: "integer", default: 5 } },
});
const configMaps = builtInView("configmaps");

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.open();
  api.registry.set(things.definition);
  await api.post(THINGS, thing("t", { spec: { a: "1" } }));
  await api.post("/api/v1/namespaces/default/configmaps", configMap("t", { data: { a: "1" } }));
});
afterEach(() => api[Symbol.asyncDispose]());

function patch(
  type: PatchType,
  value: unknown,
  more: { custom?: boolean; fieldValidation?: "Strict" | "Ignore" } = {},
) {
  const view = more.custom === false ? configMaps : things;
  const context = contextFor({ fieldValidation: more.fieldValidation ?? "Warn" });
  const result = api.resources.patch({
    address: { view, namespace: "default", name: "t" },
    subresource: "",
    document: readPatchValue(view, type, value),
    context,
  });
  return { result, warnings: context.warnings };
}
const spec = async () => (await api.get(`${THINGS}/t`)).body["spec"];

describe("a patch", () => {
  test("changes the live object", async () => {
    await patch("merge", { spec: { a: "2" } }).result;
    expect(await spec()).toEqual({ a: "2", n: 5 });
    await patch("json", [{ op: "remove", path: "/spec/a" }]).result;
    expect(await spec()).toEqual({ n: 5 });
  });

  test("cannot take a default away", async () => {
    await patch("merge", { spec: { n: null } }).result;
    expect(await spec()).toEqual({ a: "1", n: 5 });
  });

  test("of what is not there makes nothing", async () => {
    await api.send("DELETE", `${THINGS}/t`);
    expect(await refusalOf(patch("merge", {}).result)).toBe('404 things.example.com "t" not found');
  });

  test("is applied to the fresh object when somebody else was faster", async () => {
    const patches = Array.from(
      { length: 8 },
      (_, index) => patch("merge", { metadata: { labels: { [`l${index}`]: "1" } } }).result,
    );
    await Promise.all(patches);
    const { metadata } = (await api.get(`${THINGS}/t`)).body;
    expect(Object.keys((metadata as JsonObject)["labels"] as object)).toHaveLength(8);
  });

  test("gives its manager the fields that it changes", async () => {
    await patch("merge", { spec: { a: "2" } }).result;
    const { metadata } = (await api.get(`${THINGS}/t`)).body;
    expect((metadata as JsonObject)["managedFields"]).toMatchObject([
      { manager: "test", operation: "Update", fieldsV1: { "f:spec": { "f:a": {} } } },
      { manager: "unknown", fieldsV1: { "f:spec": { ".": {}, "f:n": {} } } },
    ]);
  });
});

describe("unknown fields", () => {
  test("go, and are warned about", async () => {
    const { result, warnings } = patch("merge", { spec: { odd: 1 } });
    await result;
    expect(warnings).toEqual(['unknown field "spec.odd"']);
    expect(await spec()).toEqual({ a: "1", n: 5 });
  });

  test("go in silence on request", async () => {
    const { result, warnings } = patch("merge", { spec: { odd: 1 } }, { fieldValidation: "Ignore" });
    await result;
    expect(warnings).toEqual([]);
  });

  test("are refused on request", async () => {
    const { result } = patch("merge", { spec: { odd: 1 } }, { fieldValidation: "Strict" });
    expect(await refusalOf(result)).toMatch(/^422 .*strict decoding error: unknown field "spec\.odd"/s);
  });
});

describe("what a patch may not do", () => {
  test.each<[string, PatchType, unknown, boolean, RegExp]>([
    [
      "change the name",
      "merge",
      { metadata: { name: "u" } },
      true,
      /^400 the name of the object \(u\) does not match the name on the URL \(t\)/,
    ],
    [
      "remove the name",
      "merge",
      { metadata: { name: null } },
      true,
      /^400 the name of the object \(t based on URL\) was undeterminable: name must be provided/,
    ],
    [
      "change the kind of a custom resource",
      "merge",
      { kind: "Other" },
      true,
      /^422 .*kind: Invalid value: "Other": must be Thing/,
    ],
    [
      "remove the apiVersion of a custom resource",
      "merge",
      { apiVersion: null },
      true,
      /^500 .*Object 'apiVersion' is missing/,
    ],
    [
      "change the kind of a built-in one",
      "merge",
      { kind: "Secret" },
      false,
      /^422 .*no kind "Secret" is registered for version "v1"/s,
    ],
    [
      "put a wrong type in a built-in kind",
      "merge",
      { data: { a: 1 } },
      false,
      /^422 .*cannot unmarshal number into Go struct field ConfigMap\.data of type string/s,
    ],
    [
      "put a wrong type in a custom resource",
      "merge",
      { spec: { n: "x" } },
      true,
      /^422 .*spec\.n in body must be of type integer: "string"/,
    ],
  ])("%s", async (_rule, type, value, custom, why) => {
    expect(await refusalOf(patch(type, value, { custom }).result)).toMatch(why);
  });

  test.each<[string, unknown]>([
    ["kind taken away", [{ op: "remove", path: "/kind" }]],
    ["kind emptied", [{ op: "replace", path: "/kind", value: "" }]],
    ["kind null", [{ op: "copy", path: "/kind", from: "/nothing" }]],
  ])("a built-in object with its %s is still one of its kind", async (_rule, operations) => {
    const { result } = patch("json", operations, { custom: false });
    expect(await refusalOf(result)).toBeUndefined();
  });

  test("without its version a built-in object has no known member, and no name", async () => {
    const { result, warnings } = patch("json", [{ op: "remove", path: "/apiVersion" }], { custom: false });
    expect(await refusalOf(result)).toMatch(
      /^400 the name of the object \(t based on URL\) was undeterminable/,
    );
    expect(warnings).toEqual(['unknown field "data"', 'unknown field "metadata"']);
  });

  test("a kind that is no text cannot be read", async () => {
    const { result } = patch("json", [{ op: "replace", path: "/kind", value: 1 }], { custom: false });
    expect(await refusalOf(result)).toMatch(
      /json: cannot unmarshal number into Go struct field \.kind of type string/,
    );
  });

  test("what a patch does not go into is shown in the order of its struct, and nothing that HTML knows", async () => {
    const operations = [{ op: "add", path: "/data", value: "<&>" }];
    const { result } = patch("json", operations, { custom: false });
    const message = await refusalOf(result);
    expect(message).toContain(
      String.raw`\"data\":\"\\u003c\\u0026\\u003e\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"t\",\"namespace\":\"default\",\"uid\"`,
    );
  });

  test("a refused patch that names inherited members leaves them alone", async () => {
    const operations = [
      { op: "add", path: "/__proto__", value: { polluted: {} } },
      { op: "add", path: "/__proto__/polluted/x", value: 1 },
      { op: "add", path: "/data", value: "no map" },
    ];
    const { result } = patch("json", operations, { custom: false });
    expect(await refusalOf(result)).toMatch(/^422 .*cannot unmarshal string/s);
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });

  test("a strategic patch cannot change the kind either: there it means nothing", async () => {
    const { result } = patch("strategic", { kind: "Secret", apiVersion: "v9" }, { custom: false });
    expect(await refusalOf(result)).toBeUndefined();
  });
});

test.each([
  ["t", undefined],
  ["u", "400 the name of the object (u) does not match the name on the URL (t)"],
  ["", "400 the name of the object (t based on URL) was undeterminable: name must be provided"],
])("the name %j under the URL of t: %s", (name, why) => {
  expect(refusal(() => checkNameMatches(object(name), "t"))).toBe(why);
});
