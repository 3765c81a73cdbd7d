import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isIndented } from "../../../../../src/apiserver/endpoints/response/respond.ts";
import { toYaml } from "../../../../../src/apiserver/endpoints/response/to-yaml.ts";
import { configMap, request, TestApi } from "../support.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const accept = (kind: string, version = "v1") => `application/json;as=${kind};v=${version};g=meta.k8s.io`;

let api: TestApi;
beforeAll(async () => {
  api = await TestApi.open();
  await api.post(CONFIG_MAPS, configMap("c", { data: { b: "2", a: "1" } }));
});
afterAll(() => api[Symbol.asyncDispose]());

describe("one object", () => {
  const get = (headers: Record<string, string>, query = "") => api.get(`${CONFIG_MAPS}/c${query}`, headers);

  test("is JSON on one line", async () => {
    const { text, headers } = await get({});
    expect(headers["content-type"]).toBe("application/json");
    expect(text).toMatch(/^\{"kind":"ConfigMap",[^\n]*\}\n$/);
  });

  test("is indented for people, and is the same", async () => {
    const { text, body } = await get({ "user-agent": "curl/8.0" });
    expect(text).toMatch(/^\{\n {2}"kind": "ConfigMap",\n/);
    expect(body).toEqual((await get({})).body);
  });

  test("is YAML with sorted keys", async () => {
    const { text, headers } = await get({ accept: "application/yaml" });
    expect(headers["content-type"]).toBe("application/yaml");
    expect(text).toMatch(/^apiVersion: v1\ndata:\n {2}a: "1"\n {2}b: "2"\nkind: ConfigMap\nmetadata:\n/);
  });

  test("is its metadata alone", async () => {
    const { body } = await get({ accept: accept("PartialObjectMetadata") });
    expect(Object.keys(body).sort()).toEqual(["apiVersion", "kind", "metadata"]);
    expect(body).toMatchObject({
      kind: "PartialObjectMetadata",
      apiVersion: "meta.k8s.io/v1",
      metadata: { name: "c" },
    });
  });

  test("is a Table of one row", async () => {
    const { body } = await get({ accept: accept("Table", "v1beta1") });
    expect(body).toMatchObject({
      kind: "Table",
      apiVersion: "meta.k8s.io/v1beta1",
      rows: [{ cells: ["c", 2, expect.anything()] }],
    });
  });

  test("is no list of metadata", async () => {
    expect(await get({ accept: accept("PartialObjectMetadataList") })).toMatchObject({ status: 500 });
  });

  test.each([
    ["", "PartialObjectMetadata"],
    ["Metadata", "PartialObjectMetadata"],
    ["Object", "ConfigMap"],
    ["None", undefined],
  ])("in a Table comes with includeObject=%s as %s", async (include, kind) => {
    const { body } = await get({ accept: accept("Table") }, `?includeObject=${include}`);
    const [row] = body["rows"] as { object?: { kind: string } }[]; // of a Table
    expect(row?.object?.kind).toBe(kind);
  });

  test("is not made a Table with something else", async () => {
    const { status, body } = await get({ accept: accept("Table") }, "?includeObject=All");
    expect(status).toBe(400);
    expect(body["message"]).toBe(
      `Unable to convert to Table as requested: includeObject: Invalid value: "All": must be 'Metadata', 'Object', 'None', or empty`,
    );
  });
});

describe("indenting", () => {
  const wants = (query: string, agent: string) =>
    isIndented(
      { mediaType: "application/json" },
      request("GET", `/x?${query}`, { headers: { "user-agent": agent } }),
    );

  test.each([
    ["pretty=true", "kubectl/1", true],
    ["pretty=1", "kubectl/1", true],
    ["pretty=false", "curl/8", false],
    ["pretty=0", "curl/8", false],
    ["", "curl/8", true],
    ["", "Wget/1", true],
    ["", "Mozilla/5.0 (X11)", true],
    ["", "Mozilla/4.0", false],
    ["", "kubectl/1", false],
    ["", "", false],
  ])("?%s by %s: %s", (query, agent, indent) => {
    expect(wants(query, agent)).toBe(indent);
  });

  // Read with strconv.ParseBool; an empty value is as none.
  test.each([
    ["pretty=yes", "kubectl/1", false],
    ["pretty=", "kubectl/1", false],
    ["pretty", "kubectl/1", false],
    ["pretty=no", "curl/8", false],
  ])("?%s by %s: %s", (query, agent, indent) => {
    expect(wants(query, agent)).toBe(indent);
  });

  test("is asked for in Accept too", async () => {
    const { text } = await api.get(`${CONFIG_MAPS}/c`, { accept: "application/json;pretty=1" });
    expect(text).toMatch(/^\{\n {2}"kind"/);
  });

  test("of a refusal is asked for in Accept too", async () => {
    const { status, text } = await api.get(`${CONFIG_MAPS}/none`, { accept: "application/json;pretty=1" });
    expect(status).toBe(404);
    expect(text).toMatch(/^\{\n {2}"kind": "Status"/);
  });
});

describe("YAML", () => {
  test.each([
    ["keys are sorted, lists are not indented", { b: ["x"], a: { c: 1 } }, "a:\n  c: 1\nb:\n- x\n"],
    ["what is empty is shown so", { a: {}, b: [], c: "" }, 'a: {}\nb: []\nc: ""\n'],
    [
      "texts that JSON would read otherwise are quoted",
      { a: "1", b: "true", c: "null", d: "1.5" },
      'a: "1"\nb: "true"\nc: "null"\nd: "1.5"\n',
    ],
    ["several lines are a block", { a: "x\ny\n", b: "x\ny" }, "a: |\n  x\n  y\nb: |-\n  x\n  y\n"],
  ])("%s", (_rule, value, text) => {
    expect(toYaml(JSON.stringify(value))).toBe(text);
  });

  test("integers keep every digit", () => {
    expect(toYaml('{"a":9007199254740993}')).toBe("a: 9007199254740993\n");
  });

  // go-yaml quotes whatever YAML 1.1 would take for something else than text; unquoted, a Go client reads a boolean.
  test.each([
    "yes",
    "No",
    "on",
    "off",
    "y",
    "N",
    "1_000",
    "0b11",
    "12:30:45",
    "2001-01-01",
    "2001-01-01T00:00:00Z",
  ])("the text %s is quoted", (text) => {
    expect(toYaml(JSON.stringify({ a: text }))).toBe(`a: "${text}"\n`);
  });

  test.each(["x: y", "#c", " x", "- a", "@x", "%x", "x #c", "x:", "-", "---", "{x"])(
    "the text %j is in single quotes",
    (text) => {
      expect(toYaml(JSON.stringify({ a: text }))).toBe(`a: '${text}'\n`);
    },
  );
});
