// The handler chain of the API, with a store in memory: how its parts work together.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import {
  configMap,
  crdOf,
  MERGE_PATCH,
  namespace,
  TestApi,
  type TestWatch,
  THINGS,
  thing,
  versionWith,
} from "./support.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const SPEC = { type: "object", properties: { a: { type: "string" } } };

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.open();
});
afterEach(() => api[Symbol.asyncDispose]());

describe("failures", () => {
  test("are a Status, in the form that was asked for", async () => {
    const json = await api.get(`${CONFIG_MAPS}/none`);
    expect(json).toMatchObject({ status: 404, headers: { "content-type": "application/json" } });
    expect(json.body).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: 'configmaps "none" not found',
      reason: "NotFound",
      details: { name: "none", kind: "configmaps" },
      code: 404,
    });
    const yaml = await api.get(`${CONFIG_MAPS}/none`, { accept: "application/yaml" });
    expect(yaml.text).toMatch(/^apiVersion: v1\ncode: 404\n/);
    const table = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
    expect((await api.get(`${CONFIG_MAPS}/none`, table)).body).toEqual(json.body);
  });

  test("say when to come again", async () => {
    const { status, headers, body } = await api.get(`${CONFIG_MAPS}?resourceVersion=999999`);
    expect(status).toBe(504);
    expect(headers["retry-after"]).toBe("1");
    expect(body["details"]).toMatchObject({
      retryAfterSeconds: 1,
      causes: [{ reason: "ResourceVersionTooLarge" }],
    });
  });

  test("of our own are 500 and reported, and the next request is answered", async () => {
    Object.defineProperty(api.store, "get", {
      configurable: true,
      value: () => {
        throw new Error("broken");
      },
    });
    const { status, body } = await api.get(`${CONFIG_MAPS}/c`);
    expect({ status, reason: body["reason"] }).toEqual({ status: 500, reason: "InternalError" });
    expect(api.internalErrors).toHaveLength(1);
    Reflect.deleteProperty(api.store, "get");
    expect((await api.get(`${CONFIG_MAPS}/c`)).status).toBe(404);
  });

  test.each([
    ["/apis/none.example.com/v1/things", "404 page not found\n"],
    ["/nothing", "404 page not found\n"],
    ["/api/v1/nothings", "the server could not find the requested resource"],
  ])("of a path that is not there: %s", async (url, text) => {
    const answer = await api.get(url);
    expect(answer.status).toBe(404);
    expect(answer.text).toContain(text);
  });
});

describe("the query's timeout", () => {
  test.each(["5s", "0", "1m30s"])("%s is fine", async (timeout) => {
    expect((await api.get(`${CONFIG_MAPS}?timeout=${timeout}`)).status).toBe(200);
  });

  test("is refused when it is no duration", async () => {
    const { status, body } = await api.get(`${CONFIG_MAPS}?timeout=abc`);
    expect(status).toBe(400);
    expect(body["message"]).toBe(
      'invalid timeout specified in the request URL - time: invalid duration "abc"',
    );
  });

  test.each([
    ["10", 'time: missing unit in duration "10"'],
    ["10x", 'time: unknown unit "x" in duration "10x"'],
  ])("%s is refused in the words of Go: %s", async (timeout, why) => {
    const { body } = await api.get(`${CONFIG_MAPS}?timeout=${timeout}`);
    expect(body["message"]).toBe(`invalid timeout specified in the request URL - ${why}`);
  });

  test("is not looked at for watches, which outlast it", async () => {
    const watch = await api.watch(`${CONFIG_MAPS}?watch=1&timeout=abc`);
    expect(watch.status).toBe(200);
    await watch.close();
  });
});

describe("a create", () => {
  test("answers 201 with what only the server says", async () => {
    const { status, body } = await api.post(CONFIG_MAPS, configMap("c", { data: { a: "1" } }));
    expect(status).toBe(201);
    expect(body["metadata"]).toMatchObject({
      name: "c",
      namespace: "default",
      uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      resourceVersion: String(api.store.revision),
      creationTimestamp: "1970-01-01T00:00:00Z",
    });
  });

  test("takes nothing from the client that only the server says", async () => {
    const given = { uid: "mine", creationTimestamp: "2001-01-01T00:00:00Z", selfLink: "/x" };
    const { body } = await api.post(CONFIG_MAPS, configMap("c", {}, given));
    const metadata = body["metadata"] as JsonObject;
    expect(metadata["uid"]).not.toBe("mine");
    expect(metadata["creationTimestamp"]).toBe("1970-01-01T00:00:00Z");
    expect(metadata).not.toHaveProperty("selfLink");
  });

  test.each([
    ["the same name twice", { name: "c" }, 409, 'configmaps "c" already exists'],
    [
      "another namespace than the URL's",
      { name: "d", namespace: "other" },
      400,
      "the namespace of the provided object",
    ],
    [
      "a resourceVersion",
      { name: "d", resourceVersion: "1" },
      500,
      "resourceVersion should not be set on objects",
    ],
    [
      "no name",
      {},
      422,
      'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
    ],
  ])("refuses %s", async (_rule, metadata, code, message) => {
    await api.post(CONFIG_MAPS, configMap("c"));
    const { status, body } = await api.post(CONFIG_MAPS, { apiVersion: "v1", kind: "ConfigMap", metadata });
    expect(status).toBe(code);
    expect(body["message"]).toContain(message);
  });

  test("makes up a name, and another one where that is taken", async () => {
    const made = await api.post(CONFIG_MAPS, configMap("", {}, { generateName: "g-" }));
    expect((made.body["metadata"] as JsonObject)["name"]).toMatch(/^g-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });

  test("is refused where the namespace is not there", async () => {
    const { status, body } = await api.post("/api/v1/namespaces/none/configmaps", configMap("c"));
    expect({ status, message: body["message"] }).toEqual({
      status: 404,
      message: 'namespaces "none" not found',
    });
  });
});

describe("a replacement", () => {
  beforeEach(() => api.post(CONFIG_MAPS, configMap("c", { data: { a: "1" } })));

  test("answers 200 and raises the revision only when something changed", async () => {
    const before = await api.get(`${CONFIG_MAPS}/c`);
    expect((await api.put(`${CONFIG_MAPS}/c`, before.body)).text).toBe(before.text);
    const after = await api.put(`${CONFIG_MAPS}/c`, { ...before.body, data: { a: "2" } });
    expect(after).toMatchObject({ status: 200, body: { data: { a: "2" } } });
    expect(Number((after.body["metadata"] as JsonObject)["resourceVersion"])).toBe(api.store.revision);
  });

  test("of a built-in kind needs no resourceVersion, but an old one is refused", async () => {
    expect((await api.put(`${CONFIG_MAPS}/c`, configMap("c", { data: { a: "2" } }))).status).toBe(200);
    const { status, body } = await api.put(`${CONFIG_MAPS}/c`, configMap("c", {}, { resourceVersion: "1" }));
    expect(status).toBe(409);
    expect(body["message"]).toContain(
      "the object has been modified; please apply your changes to the latest version",
    );
  });

  test.each([
    [
      "another name than the URL's",
      configMap("d"),
      400,
      "the name of the object (d) does not match the name on the URL (c)",
    ],
    [
      "another uid",
      configMap("c", {}, { uid: "other" }),
      409,
      "Precondition failed: UID in precondition: other",
    ],
    [
      "another version",
      { ...configMap("c"), apiVersion: "v2" },
      400,
      'ConfigMap in version "v2" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered',
    ],
  ])("refuses %s", async (_rule, object, code, message) => {
    const { status, body } = await api.put(`${CONFIG_MAPS}/c`, object);
    expect(status).toBe(code);
    expect(body["message"]).toContain(message);
  });

  test("of what is not there makes nothing", async () => {
    expect((await api.put(`${CONFIG_MAPS}/none`, configMap("none"))).status).toBe(404);
  });
});

describe("a deletion", () => {
  beforeEach(() => api.post(CONFIG_MAPS, configMap("c", {}, { labels: { a: "1" } })));

  test("answers with a Status that names what is gone", async () => {
    const { body: before } = await api.get(`${CONFIG_MAPS}/c`);
    const { status, body } = await api.send("DELETE", `${CONFIG_MAPS}/c`);
    expect(status).toBe(200);
    expect(body).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Success",
      details: { name: "c", kind: "configmaps", uid: (before["metadata"] as JsonObject)["uid"] },
    });
    expect((await api.get(`${CONFIG_MAPS}/c`)).status).toBe(404);
  });

  test("that finalizers hold answers with the object, and the last one lets it go", async () => {
    await api.patch(MERGE_PATCH, `${CONFIG_MAPS}/c`, { metadata: { finalizers: ["example.com/hold"] } });
    const marked = await api.send("DELETE", `${CONFIG_MAPS}/c`);
    expect(marked.body["metadata"]).toMatchObject({
      deletionTimestamp: "1970-01-01T00:00:00Z",
      deletionGracePeriodSeconds: 0,
    });
    expect((await api.send("DELETE", `${CONFIG_MAPS}/c`)).text).toBe(marked.text);
    const last = await api.patch(MERGE_PATCH, `${CONFIG_MAPS}/c`, { metadata: { finalizers: null } });
    expect(last).toMatchObject({ status: 200, body: { kind: "ConfigMap" } });
    expect((await api.get(`${CONFIG_MAPS}/c`)).status).toBe(404);
  });

  test.each([
    ["another uid", { preconditions: { uid: "other" } }, 409],
    ["another resourceVersion", { preconditions: { resourceVersion: "1" } }, 409],
    ["two policies", { propagationPolicy: "Orphan", orphanDependents: true }, 422],
    ["a wrong type", { gracePeriodSeconds: "5" }, 400],
  ])("with options of %s is refused", async (_rule, options, code) => {
    const body = { kind: "DeleteOptions", apiVersion: "v1", ...options };
    expect((await api.send("DELETE", `${CONFIG_MAPS}/c`, { body })).status).toBe(code);
    expect((await api.get(`${CONFIG_MAPS}/c`)).status).toBe(200);
  });

  test("as a dry run answers as if", async () => {
    expect((await api.send("DELETE", `${CONFIG_MAPS}/c?dryRun=All`)).body).toMatchObject({
      status: "Success",
    });
    expect((await api.get(`${CONFIG_MAPS}/c`)).status).toBe(200);
  });

  test("of a collection takes what is selected, and answers with the list as it was", async () => {
    await api.post(CONFIG_MAPS, configMap("d", {}, { labels: { a: "2" } }));
    const { body } = await api.send("DELETE", `${CONFIG_MAPS}?labelSelector=a%3D1`);
    expect(body).toMatchObject({ kind: "ConfigMapList", items: [{ metadata: { name: "c" } }] });
    expect((await api.get(CONFIG_MAPS)).body["items"]).toMatchObject([{ metadata: { name: "d" } }]);
  });
});

describe("a watch", () => {
  const url = `${CONFIG_MAPS}?watch=1`;

  test("begins with what there is, and goes on", async () => {
    await api.post(CONFIG_MAPS, configMap("c"));
    const watch = await api.watch(url);
    await api.post(CONFIG_MAPS, configMap("d"));
    await api.send("DELETE", `${CONFIG_MAPS}/c`);
    expect(await watch.names()).toEqual(["ADDED c", "ADDED d", "DELETED c"]);
    await watch.close();
  });

  test("ends at its time", async () => {
    const watch = await api.watch(`${url}&timeoutSeconds=30`);
    api.clock.advance(29_000);
    await watch.settled();
    expect(watch.isOpen).toBe(true);
    api.clock.advance(1000);
    await watch.ended;
    await api.post(CONFIG_MAPS, configMap("c"));
    expect(await watch.names()).toEqual([]);
  });

  test("lasts half an hour unless said, with a bookmark shortly before its end", async () => {
    const watch = await api.watch(`${url}&allowWatchBookmarks=1`);
    api.clock.advance(30 * 60_000 - 2000);
    expect((await watch.names()).at(-1)).toBe("BOOKMARK");
    expect(watch.isOpen).toBe(true);
    api.clock.advance(2000);
    await watch.ended;
  });

  test("leaves no timers behind", async () => {
    const before = api.clock.timers;
    const watch = await api.watch(`${url}&allowWatchBookmarks=1`);
    expect(api.clock.timers).toBeGreaterThan(before);
    await watch.close();
    expect(api.clock.timers).toBe(before);
  });

  test("from a revision that is gone has one event: 410", async () => {
    const { revision } = api.store;
    await api.post(CONFIG_MAPS, configMap("c"));
    await api.store.compact(api.store.revision);
    const watch = await api.watch(`${url}&resourceVersion=${revision - 1}`);
    await watch.ended;
    expect(watch.take()).toMatchObject([
      { type: "ERROR", object: { kind: "Status", code: 410, reason: "Expired" } },
    ]);
  });

  describe("that falls too far behind", () => {
    const behind = async (act: (watch: TestWatch) => Promise<void>) => {
      await using small = await TestApi.open({ watchUnreadChangesMax: 3 });
      const watch = await small.watch(url);
      await Promise.all([..."abcdefgh"].map((name) => small.post(CONFIG_MAPS, configMap(name))));
      await watch.ended;
      await act(watch);
    };

    test("is cut off", () => behind(async (watch) => expect(watch.isOpen).toBe(false)));

    // Its last revision is still there: the client need only watch again from it, and 410 makes it list anew.
    test("is not told that its revision is gone", () =>
      behind(async (watch) => expect(watch.take().filter(({ type }) => type === "ERROR")).toEqual([])));
  });

  test("cannot be YAML", async () => {
    const watch = await api.watch(url, { accept: "application/yaml" });
    expect(watch.status).toBe(406);
  });
});

describe("a deprecated version", () => {
  test("says so with each answer, refusals included", async () => {
    const old = versionWith(SPEC, { deprecated: true });
    const next = versionWith(SPEC, { name: "v2", storage: false });
    await api.serve(crdOf([old, next]));
    const text = "example.com/v1 Thing is deprecated; use example.com/v2 Thing";
    expect((await api.get(THINGS)).warnings).toEqual([text]);
    expect(await api.post(THINGS, thing("a"))).toMatchObject({ status: 201, warnings: [text] });
    expect(await api.post(THINGS, thing("a"))).toMatchObject({ status: 409, warnings: [text] });
    expect((await api.get("/apis/example.com/v2/namespaces/default/things")).warnings).toEqual([]);
  });
});

describe("a namespace that goes", () => {
  test("takes nothing new", async () => {
    await api.post("/api/v1/namespaces", namespace("going"));
    await api.send("DELETE", "/api/v1/namespaces/going");
    const { status, body } = await api.post("/api/v1/namespaces/going/configmaps", configMap("c"));
    expect(status).toBe(403);
    expect(body["message"]).toBe(
      'configmaps "c" is forbidden: unable to create new content in namespace going because it is being terminated',
    );
  });
});

// What is thrown while aliases are resolved is not caught where the body is read.
test.each(["a: *x", "a: &a [*a]", "<<: 3"])(
  "a YAML body that cannot be resolved is a client's mistake: %j",
  async (text) => {
    const { status } = await api.post(CONFIG_MAPS, text, { "content-type": "application/yaml" });
    expect(status).toBe(400);
    expect(api.internalErrors).toEqual([]);
  },
);

// A strict decoder quotes the field names in its warnings, so that they fit into a header.
test("an unknown field with a control character in its name is named with an escape", async () => {
  const object = { ...configMap("c"), "a\u0007b": 1 };
  expect((await api.post(CONFIG_MAPS, object)).warnings).toEqual(['unknown field "a\\ab"']);
});
