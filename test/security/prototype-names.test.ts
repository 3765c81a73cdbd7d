// Names of JavaScript's own prototypes as kinds, groups, names, labels, query keys, users and members of bodies. They are
// ordinary strings: never found unless stored, and without effect on other requests.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runs } from "../support/fuzz-runs.ts";
import { type BuiltServer, startBuiltServer } from "./built-server.ts";

const NAMES = [
  ...["__proto__", "constructor", "prototype", "toString", "valueOf", "hasOwnProperty"],
  ...["__defineGetter__", "isPrototypeOf", "then", "toJSON"],
];
const name = fc.constantFrom(...NAMES);
const MAPS = "/api/v1/namespaces/default/configmaps";
const MERGE = "application/merge-patch+json";

let server: BuiltServer;
beforeAll(async () => {
  server = await startBuiltServer();
});
afterAll(() => server?.[Symbol.asyncDispose]());

/** The server still works, and its objects have gained no members. */
async function expectWell(): Promise<void> {
  const { status, text } = await server.send("GET", "/api/v1/namespaces/default");
  expect(status).toBe(200);
  const { metadata, kind } = JSON.parse(text);
  expect(kind).toBe("Namespace");
  expect(Object.keys(metadata).sort()).toEqual([
    "creationTimestamp",
    "labels",
    "managedFields",
    "name",
    "resourceVersion",
    "uid",
  ]);
  expect((await server.send("GET", "/api/v1/secrets", undefined, { token: "low" })).status).toBe(403);
}

test("paths of such names lead to nothing", async () => {
  const path = fc.oneof(
    fc.tuple(name, name).map(([a, b]) => `/apis/${a}/${b}`),
    fc.tuple(name, name, name).map(([a, b, c]) => `/apis/${a}/${b}/${c}`),
    name.map((a) => `/api/${a}/pods`),
    name.map((a) => `/api/v1/${a}`),
    fc.tuple(name, name).map(([a, b]) => `/api/v1/namespaces/${a}/${b}`),
    fc.tuple(name, name).map(([a, b]) => `/api/v1/namespaces/default/pods/${a}/${b}`),
    fc.tuple(name, name).map(([a, b]) => `/apis/k8s.ovn.org/v1/watch/${a}/${b}`),
    fc.tuple(name, name).map(([a, b]) => `/apis/k8s.ovn.org/v1/egressips/${a}/${b}`),
    name.map((a) => `${MAPS}/${a}`),
    name.map((a) => `/openapi/v3/${a}`),
    name.map((a) => `/healthz/${a}`),
    name.map((a) => `/egret/v1/${a}`),
    name.map((a) => `/${a}`),
  );
  await fc.assert(
    fc.asyncProperty(path, fc.constantFrom("GET", "DELETE", "PUT"), async (asked, method) => {
      const { status, text } = await server.send(method, asked, method === "PUT" ? {} : undefined);
      expect([asked, [400, 404, 405].includes(status)]).toEqual([asked, true]);
      expect(text).not.toContain("[native code]");
    }),
    runs(120),
  );
  await expectWell();
});

describe("objects", () => {
  test("labels, annotations and data of such names are kept, or refused as names", async () => {
    await fc.assert(
      fc.asyncProperty(name, name, async (key, value) => {
        const members = `{${JSON.stringify(key)}:${JSON.stringify(value)}}`;
        const body = `{"metadata":{"generateName":"p-","labels":${members},"annotations":${members}},"data":${members}}`;
        const made = await server.send("POST", MAPS, body);
        const isKey = /^[a-zA-Z0-9].*[a-zA-Z0-9]$/.test(key);
        const isValue = /^[a-zA-Z0-9].*[a-zA-Z0-9]$/.test(value);
        expect([key, value, made.status]).toEqual([key, value, isKey && isValue ? 201 : 422]);
        if (made.status !== 201) return;
        const { metadata, data } = JSON.parse(made.text);
        for (const kept of [metadata.labels, metadata.annotations, data])
          expect(kept).toEqual({ [key]: value });
        const selector = encodeURIComponent(`${key}=${value}`);
        const { text } = await server.send("GET", `${MAPS}?labelSelector=${selector}`);
        expect(JSON.parse(text).items.length).toBeGreaterThan(0);
        const none = await server.send("GET", `/api/v1/namespaces?labelSelector=${encodeURIComponent(key)}`);
        expect(JSON.parse(none.text).items).toEqual([]);
      }),
      runs(40),
    );
    await expectWell();
  });

  test.each(NAMES)("a member %s is unknown on each level, and pruned", async (key) => {
    const odd = `{${JSON.stringify(key)}:{"polluted":"yes"}`;
    const body = `${odd},"apiVersion":"k8s.ovn.org/v1","kind":"EgressIP","metadata":${odd},"generateName":"p-"},"spec":${odd},"egressIPs":["10.0.0.1"],"namespaceSelector":{}}}`;
    const strict = await server.send("POST", "/apis/k8s.ovn.org/v1/egressips?fieldValidation=Strict", body);
    expect(strict.status).toBe(400);
    const made = await server.send("POST", "/apis/k8s.ovn.org/v1/egressips?fieldValidation=Ignore", body);
    expect([made.status, made.text.includes("polluted")]).toEqual([201, false]);
    await expectWell();
  });

  test.each(NAMES)("patches that name %s change no prototype", async (key) => {
    await server.send("POST", MAPS, { metadata: { name: "patched" } });
    const one = `${MAPS}/patched`;
    const merge = `{${JSON.stringify(key)}:{"polluted":"yes"},"metadata":{${JSON.stringify(key)}:{"polluted":"yes"}}}`;
    const patches = [
      [merge, MERGE],
      [merge, "application/strategic-merge-patch+json"],
      [`{"apiVersion":"v1","kind":"ConfigMap",${merge.slice(1)}`, "application/apply-patch+yaml"],
      [`[{"op":"add","path":"/${key}/polluted","value":"yes"}]`, "application/json-patch+json"],
      [`[{"op":"copy","from":"/${key}","path":"/data"}]`, "application/json-patch+json"],
      [`[{"op":"test","path":"/${key}/name","value":"Object"}]`, "application/json-patch+json"],
    ] as const;
    for (const [body, type] of patches) {
      const { status, text } = await server.send("PATCH", `${one}?fieldManager=m`, body, { type });
      expect([type, [200, 400, 422, 500].includes(status)]).toEqual([type, true]);
      if (status === 200) expect(JSON.parse(text)["polluted"]).toBeUndefined();
    }
    const { text } = await server.send("GET", one);
    expect(text).not.toContain("polluted");
    await expectWell();
  });
});

test("query keys, headers, tokens and impersonated users of such names are texts", async () => {
  await fc.assert(
    fc.asyncProperty(name, name, async (a, b) => {
      const query = `${a}=${b}&fieldManager=${a}&${b}`;
      expect((await server.send("GET", `${MAPS}?${query}`)).status).toBe(200);
      const field = await server.send("GET", `${MAPS}?fieldSelector=${a}%3D${b}`);
      expect(field.status).toBe(400);
      const headers = { [a.replaceAll("_", "-")]: b, "impersonate-user": a, "impersonate-group": b };
      const { status, text } = await server.send("GET", MAPS, undefined, { headers });
      expect([status, JSON.parse(text).message]).toEqual([403, expect.stringContaining(`User "${a}"`)]);
      const extra = { "impersonate-user": a, [`impersonate-extra-${a}`]: b };
      expect((await server.send("GET", MAPS, undefined, { headers: extra })).status).toBe(403);
      const wrong = await server.send("GET", MAPS, undefined, {
        ...{ token: "", headers: { authorization: `Bearer ${a}` } },
      });
      expect(wrong.status).toBe(401);
      const type = await server.send("POST", MAPS, "{}", { type: `application/${a}` });
      expect(type.status).toBe(415);
      const accept = await server.send("GET", MAPS, undefined, { accept: `application/json;as=${a};g=${b}` });
      expect(accept.status).toBe(406);
    }),
    runs(30),
  );
  await expectWell();
});

test.each(NAMES)("a body of the kind %s is refused", async (kind) => {
  for (const body of [
    { apiVersion: "v1", kind },
    { apiVersion: kind, kind: "ConfigMap" },
    { apiVersion: `${kind}/v1`, kind },
  ])
    expect((await server.send("POST", MAPS, { ...body, metadata: { name: "x" } })).status).toBe(400);
  await expectWell();
});
