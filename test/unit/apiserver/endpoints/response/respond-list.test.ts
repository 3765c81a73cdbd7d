import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import {
  type Answer,
  configMap,
  crdOf,
  namespace,
  request,
  TestApi,
  THINGS,
  thing,
  versionWith,
} from "../support.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const ANY = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const BIG =
  '{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"big"},"spec":{"n":9007199254740993}}';
const accept = (kind: string) => ({ accept: `application/json;as=${kind};v=v1;g=meta.k8s.io` });

let api: TestApi;
beforeAll(async () => {
  api = await TestApi.open();
  const second = versionWith(ANY, { name: "v2", storage: false });
  await api.serve(crdOf([versionWith(ANY), second]));
  for (const name of ["a", "b"]) await api.post(CONFIG_MAPS, configMap(name, { data: { k: name } }));
  for (const name of ["a", "b"]) await api.post(THINGS, thing(name, { spec: { k: name } }));
  await api.post(THINGS, BIG);
});
afterAll(() => api[Symbol.asyncDispose]());

const items = ({ body }: Answer) => body["items"] as JsonObject[]; // of a list

describe("a list", () => {
  test("of a built-in kind has items without kind and apiVersion", async () => {
    const { body, headers } = await api.get(CONFIG_MAPS);
    expect(headers["content-type"]).toBe("application/json");
    expect(Object.keys(body)).toEqual(["kind", "apiVersion", "metadata", "items"]);
    expect(body).toMatchObject({ kind: "ConfigMapList", apiVersion: "v1" });
    for (const item of items({ body } as Answer)) {
      const one = await api.get(`${CONFIG_MAPS}/${(item["metadata"] as JsonObject)["name"]}`);
      expect({ kind: "ConfigMap", apiVersion: "v1", ...item }).toEqual(one.body);
    }
  });

  test("of a custom kind has whole items, sorted keys and always a token", async () => {
    const answer = await api.get(THINGS);
    expect(Object.keys(answer.body)).toEqual(["apiVersion", "items", "kind", "metadata"]);
    expect(answer.body["metadata"]).toMatchObject({ continue: "" });
    for (const name of ["a", "b", "big"]) {
      const one = await api.get(`${THINGS}/${name}`);
      expect(items(answer)).toContainEqual(one.body);
    }
  });

  test("without items has an empty list", async () => {
    expect(items(await api.get("/api/v1/namespaces/none/configmaps"))).toEqual([]);
    expect(items(await api.get("/apis/example.com/v1/namespaces/none/things"))).toEqual([]);
  });

  test("says what is left only where nothing is selected", async () => {
    const plain = await api.get(`${CONFIG_MAPS}?limit=1`);
    expect(plain.body["metadata"]).toMatchObject({
      continue: expect.stringMatching(/./),
      remainingItemCount: 1,
    });
    const selected = await api.get(`${CONFIG_MAPS}?limit=1&fieldSelector=metadata.name!=z`);
    expect(selected.body["metadata"]).not.toHaveProperty("remainingItemCount");
  });

  test("at another version shows its objects at that version", async () => {
    const answer = await api.get("/apis/example.com/v2/namespaces/default/things");
    expect(answer.body).toMatchObject({ kind: "ThingList", apiVersion: "example.com/v2" });
    expect(items(answer).map((item) => item["apiVersion"])).toEqual(Array(3).fill("example.com/v2"));
  });

  test("is a Table with a row for each object", async () => {
    const { body } = await api.get(CONFIG_MAPS, accept("Table"));
    expect(body).toMatchObject({ kind: "Table", metadata: { resourceVersion: expect.stringMatching(/\d/) } });
    expect((body["rows"] as JsonObject[]).map((row) => (row["cells"] as unknown[])[0])).toEqual(["a", "b"]);
  });

  test("of metadata alone has null for no items", async () => {
    const { body } = await api.get(CONFIG_MAPS, accept("PartialObjectMetadataList"));
    expect(items({ body } as Answer)).toMatchObject([
      { kind: "PartialObjectMetadata", metadata: { name: "a" } },
      {},
    ]);
    const none = await api.get("/api/v1/namespaces/none/configmaps", accept("PartialObjectMetadataList"));
    expect(none.body["items"]).toBeNull();
  });

  test.each([
    [CONFIG_MAPS, "*core.ConfigMapList"],
    [THINGS, "*unstructured.UnstructuredList"],
  ])("%s is no single object of metadata", async (url, type) => {
    const { status, body } = await api.get(url, accept("PartialObjectMetadata"));
    expect(status).toBe(406);
    expect(body["message"]).toBe(
      `you requested PartialObjectMetadata, but the requested object is a list (${type})`,
    );
  });

  test("keeps every digit of its integers", async () => {
    expect((await api.get(THINGS)).text).toContain('"n":9007199254740993');
  });

  test.each([
    ["indented", THINGS, { "user-agent": "curl/8" }],
    ["as YAML", THINGS, { accept: "application/yaml" }],
    ["at another version", "/apis/example.com/v2/namespaces/default/things", {}],
  ])("keeps every digit of its integers %s", async (_form, url, headers: Record<string, string>) => {
    expect((await api.get(url, headers)).text).toMatch(/n"?: ?9007199254740993/);
  });

  test("of a built-in kind begins with its kind when it is indented too", async () => {
    const { body } = await api.get(CONFIG_MAPS, { "user-agent": "curl/8" });
    expect(body).toEqual((await api.get(CONFIG_MAPS)).body);
  });

  test("goes on from a place in the keys, whatever is selected then", async () => {
    await api.post("/api/v1/namespaces", namespace("pages"));
    const url = "/api/v1/namespaces/pages/configmaps";
    for (const name of ["a", "b", "c"]) {
      const labels = { last: String(name === "c") };
      expect((await api.post(url, configMap(name, {}, { labels }))).status).toBe(201);
    }
    const { body } = await api.get(`${url}?limit=1`);
    const token = (body["metadata"] as { continue: string }).continue; // two more are there
    const rest = await api.get(`${url}?continue=${token}&labelSelector=last%3Dtrue`);
    expect(rest.body).toMatchObject({ items: [{ metadata: { name: "c" } }] });
    expect((await api.get(`${url}?continue=${token}&fieldSelector=metadata.name!%3Dc`)).body).toMatchObject({
      items: [{ metadata: { name: "b" } }],
    });
  });
});

describe("a long list", () => {
  /** Of a client that stays. */
  const STAYS = new AbortController().signal;
  const LONG = "/api/v1/namespaces/long/configmaps";
  const CONTENT = "x".repeat(60_000);

  beforeAll(async () => {
    await api.post("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "long" } });
    for (let index = 0; index < 20; index++) {
      await api.post(LONG, configMap(`c${index}`, { data: { content: CONTENT, index: String(index) } }));
    }
  });

  test("is sent in chunks with its length told before", async () => {
    const answer = await api.api.handle(request("GET", LONG, {}));
    const chunks: number[] = [];
    if (typeof answer.body !== "function") throw new Error("it is sent whole");
    await answer.body({ write: (chunk) => void chunks.push(chunk.length) as undefined }, STAYS);
    expect(chunks.length).toBeGreaterThan(3);
    expect(chunks.reduce((sum, length) => sum + length, 0)).toBe(Number(answer.headers["content-length"]));
  });

  test("waits for a client that reads slowly", async () => {
    const answer = await api.api.handle(request("GET", LONG, {}));
    if (typeof answer.body !== "function") throw new Error("it is sent whole");
    let unread = 0;
    let most = 0;
    const write = async () => {
      most = Math.max(most, ++unread);
      await new Promise<void>((resolve) => setImmediate(resolve));
      unread--;
    };
    await answer.body({ write }, STAYS);
    expect(most).toBe(1);
  });

  test("is the same list", async () => {
    const answer = await api.get(LONG);
    expect(items(answer)).toHaveLength(20);
    const ends = await Promise.all([0, 19].map((index) => api.get(`${LONG}/c${index}`)));
    for (const { body } of ends)
      expect(items(answer)).toContainEqual(expect.objectContaining({ metadata: body["metadata"] }));
  });
});

test("rows of flow schemas stand in the order in which these are tried", async () => {
  const path = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas";
  for (const [name, matchingPrecedence] of [
    ["a", 900],
    ["b", 20],
    ["c", 900],
  ] as const) {
    const spec = { matchingPrecedence, priorityLevelConfiguration: { name: "exempt" } };
    await api.post(path, {
      apiVersion: "flowcontrol.apiserver.k8s.io/v1",
      kind: "FlowSchema",
      metadata: { name },
      spec,
    });
  }
  const { body } = await api.get(path, accept("Table"));
  const names = (body["rows"] as { cells: unknown[] }[]).map(({ cells }) => cells[0]); // of a Table
  expect(names).toEqual(["b", "a", "c"]);
  const listed = items(await api.get(path)).map(({ metadata }) => (metadata as JsonObject)["name"]);
  expect(listed).toEqual(["a", "b", "c"]);
});
