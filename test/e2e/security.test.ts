// What somebody may try who wants to get more than he has, or to bring the server down: each try gets its answer, and the
// server stays well.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../src/meta/clock.ts";
import { createServer, type Server } from "../../src/server.ts";
import { getRaw, sendRaw } from "../support/raw-socket.ts";

const TOKENS = 'root,admin,1,"system:masters"\nsee,viewer,2,viewers\n';
const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const BODY_BYTES_MAX = 3 * 1024 * 1024;

let folder: string;
let server: Server;
/** How far the server's clock is ahead. */
let aheadMs = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-security-"));
  const tokenAuthFile = join(folder, "tokens.csv");
  await writeFile(tokenAuthFile, TOKENS);
  const clock = { ...systemClock, now: () => systemClock.now() + aheadMs };
  const options = {
    listen: "127.0.0.1:0",
    inMemory: true,
    kubeconfig: "",
    controllers: "",
    logLevel: "silent",
  };
  server = await createServer({ ...options, tokenAuthFile }, { clock });
  for (const namespace of ["a", "b"]) {
    await ask("POST", "/api/v1/namespaces", {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: namespace },
    });
    await ask("POST", `/api/v1/namespaces/${namespace}/secrets`, secret("s", `${namespace}-secret`));
  }
  await ask("POST", `${RBAC}/namespaces/a/rolebindings`, {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "RoleBinding",
    metadata: { name: "viewers" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "secret-reader" },
    subjects: [{ kind: "Group", name: "viewers", apiGroup: "rbac.authorization.k8s.io" }],
  });
  await ask("POST", `${RBAC}/clusterroles`, {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "secret-reader" },
    rules: [{ apiGroups: [""], resources: ["secrets"], verbs: ["get", "list", "watch"] }],
  });
});
afterAll(async () => {
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

const secret = (name: string, value: string) => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name },
  stringData: { value },
});
const configMap = (name: string, data = "{}", metadata = "") =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}"${metadata}},"data":${data}}`;

interface Asking {
  readonly type?: string;
  readonly token?: string | undefined;
  readonly accept?: string;
}

async function ask(
  method: string,
  path: string,
  body?: unknown,
  { type, token = "root", accept }: Asking = {},
) {
  const response = await fetch(server.url + path, {
    method,
    headers: {
      ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
      "content-type": type ?? "application/json",
      accept: accept ?? "application/json",
    },
    ...(body === undefined
      ? {}
      : { body: typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type") === "application/json";
  return { status: response.status, text, body: isJson ? JSON.parse(text) : undefined };
}

const isWell = async () => expect((await ask("GET", "/readyz")).text).toBe("ok");

describe("credentials", () => {
  const account = "/api/v1/namespaces/a/serviceaccounts/robot";
  const tokenFor = async (seconds: number) => {
    await ask("POST", "/api/v1/namespaces/a/serviceaccounts", {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name: "robot" },
    });
    const request = {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: { expirationSeconds: seconds },
    };
    return String((await ask("POST", `${account}/token`, request)).body.status.token);
  };
  afterEach(() => {
    aheadMs = 0;
  });

  test.each([
    ["a wrong token", "wrong", 401],
    ["a token with something behind it", "rootx", 401],
    ["no token", "", 403],
    ["the viewer's", "see", 403],
  ])("with %s nothing is written", async (_what, token, status) => {
    for (const [method, path] of [
      ["POST", CONFIG_MAPS],
      ["PUT", `${CONFIG_MAPS}/c`],
      ["PATCH", `${CONFIG_MAPS}/c`],
      ["DELETE", `${CONFIG_MAPS}/c`],
      ["DELETE", CONFIG_MAPS],
      ["POST", "/api/v1/namespaces/a/secrets"],
      ["POST", `${account}/token`],
    ] as const) {
      const answer = await ask(method, path, configMap("c"), { token });
      expect(`${method} ${path} ${answer.status}`).toBe(`${method} ${path} ${status}`);
    }
    expect((await ask("GET", `${CONFIG_MAPS}/c`)).status).toBe(404);
  });

  test("a ServiceAccount's token is good until its time is over", async () => {
    const token = await tokenFor(600);
    const status = async () => (await ask("GET", CONFIG_MAPS, undefined, { token })).status;
    expect(await status()).toBe(403);
    aheadMs = 12 * 60_000;
    expect(await status()).toBe(401);
    const review = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token } };
    const { body } = await ask("POST", "/apis/authentication.k8s.io/v1/tokenreviews", review);
    expect(body.status).toEqual({
      user: {},
      error: "[invalid bearer token, service account token has expired]",
    });
  });

  test("and no longer than the account lives, though another gets its name", async () => {
    const token = await tokenFor(3600);
    await ask("DELETE", account);
    expect((await ask("GET", CONFIG_MAPS, undefined, { token })).status).toBe(401);
    await tokenFor(3600);
    expect((await ask("GET", CONFIG_MAPS, undefined, { token })).status).toBe(401);
  });

  test("a token is not good with another payload", async () => {
    const [head, , signature] = (await tokenFor(3600)).split(".");
    const payload = Buffer.from(JSON.stringify({ sub: "system:admin", groups: ["system:masters"] }));
    const token = `${head}.${payload.toString("base64url")}.${signature}`;
    expect((await ask("GET", CONFIG_MAPS, undefined, { token })).status).toBe(401);
  });
});

describe("paths", () => {
  const viewer = ["Authorization: Bearer see"];

  test("the viewer may read what he may", async () => {
    const { status, body } = await getRaw(server.url, "/api/v1/namespaces/a/secrets/s", viewer);
    expect(status).toBe(200);
    expect(body).toContain(Buffer.from("a-secret").toString("base64"));
  });

  test.each([
    "/api/v1/namespaces/b/secrets/s",
    "/api/v1/namespaces/a/../b/secrets/s",
    "/api/v1/namespaces/a/%2e%2e/b/secrets/s",
    "/api/v1/namespaces/a%2f..%2fb/secrets/s",
    "/api/v1/namespaces/a/secrets/..%2f..%2fb%2fsecrets%2fs",
    "/api/v1/namespaces/a/secrets/../../b/secrets/s",
    "/api/v1/namespaces/a/secrets/%252e%252e%252fb%252fs",
    "/api/v1/namespaces/a//secrets/../../b/secrets",
    "//api/v1/namespaces/b/secrets/s",
    "/api//v1/namespaces/b/secrets/s",
    "/api/v1/namespaces//secrets",
    "/api/v1/./namespaces/b/secrets/s",
    "/api/v1/namespaces/b%00/secrets/s",
    "/api/v1/namespaces/a/secrets/%00../b/s",
    "/api/v1/namespaces/a%00/../b/secrets",
    "/api/v1/namespaces/a/secrets/s%00",
    "/api/v1/watch/namespaces/b/secrets/s",
    "/api/v1/namespaces/a/secrets/s/../../../b/secrets/s",
    "/api/v1/secrets?fieldSelector=metadata.namespace=a",
    "/api/v1/secrets?fieldSelector=metadata.name=s",
    "/api/v1/namespaces/a/../../../apis",
    "/%61pi/v1/namespaces/b/secrets/s",
    "http://127.0.0.1/api/v1/namespaces/b/secrets/s",
    "/api/v1/namespaces/a/secrets/s#/../../b",
    "/%",
    "/api/v1/namespaces/%c0%ae%c0%ae/secrets",
  ])("%s leads the viewer to nothing of others", async (path) => {
    const { status, body } = await getRaw(server.url, path, viewer);
    expect([301, 400, 403, 404]).toContain(status);
    expect(body).not.toContain(Buffer.from("b-secret").toString("base64"));
    expect(body).not.toContain(Buffer.from("a-secret").toString("base64"));
  });

  test.each([
    "/api/v1/namespaces/%00",
    "/api/v1/namespaces/a/secrets/..",
    "/api/v1/namespaces/a/secrets/a%2525",
    "/apis/__proto__",
    "/apis/constructor/v1/toString",
    "/api/__proto__/namespaces",
    "/api/v1/__proto__/constructor",
    "/apis/apps/constructor/deployments",
    "/api/v1/namespaces/a/pods/p/__proto__",
    "/openapi/v3/__proto__",
    "/openapi/v3/apis/constructor/v1",
    "/healthz/constructor",
    `/api/v1/namespaces/${"a".repeat(8000)}`,
    `/${"a/".repeat(5000)}`,
  ])("%s is a path to nothing for the admin too", async (path) => {
    const { status } = await getRaw(server.url, path, ["Authorization: Bearer root"]);
    expect([400, 404]).toContain(status);
  });

  test.each([
    [
      "two lengths",
      "POST /api HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc",
    ],
    [
      "a length and chunks",
      "POST /api HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    ["no HTTP", "\u0016\u0003\u0001 hello\r\n\r\n"],
    ["a NUL in the path", "GET /api/\u0000 HTTP/1.1\r\nHost: localhost\r\n\r\n"],
    ["a method that there is not", "BREW /api HTTP/1.1\r\nHost: localhost\r\n\r\n"],
    ["a very large header", `GET /api HTTP/1.1\r\nHost: localhost\r\nX-A: ${"a".repeat(100_000)}\r\n\r\n`],
  ])("%s is refused", async (_what, text) => {
    expect([400, 431]).toContain((await sendRaw(server.url, text)).status);
    await isWell();
  });

  test.each(["TRACE", "PROPFIND"])("%s is a method that means nothing here", async (method) => {
    const head = `${method} ${CONFIG_MAPS} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer root\r\nConnection: close`;
    const { status, body } = await sendRaw(server.url, `${head}\r\n\r\n`);
    expect(status).toBe(405);
    expect(JSON.parse(body)).toMatchObject({ kind: "Status", reason: "MethodNotAllowed" });
  });
});

describe("web pages", () => {
  test.each([
    ["another machine's name", ["Host: egret.example.com"], 403],
    ["a name that begins like this machine's", ["Host: localhost.example.com"], 403],
    ["an address that is not this machine's", ["Host: 128.0.0.1"], 403],
    ["this machine's name", ["Host: LOCALHOST:1"], 200],
    ["this machine's address", ["Host: [::1]:1"], 200],
  ])("a request to %s", async (_what, headers, status) => {
    const lines = ["GET /version HTTP/1.1", "Connection: close", ...headers, "", ""];
    expect((await sendRaw(server.url, lines.join("\r\n"))).status).toBe(status);
  });

  test.each([
    ["another site", "https://example.com", 403],
    ["another port of this machine", "http://127.0.0.1:1", 403],
    ["a page without a site", "null", 403],
    ["something empty", "", 403],
  ])("a request from %s", async (_what, origin, status) => {
    expect((await getRaw(server.url, "/version", [`Origin: ${origin}`])).status).toBe(status);
  });
});

describe("keys that objects inherit", () => {
  const KEYS = ["__proto__", "constructor", "toString", "hasOwnProperty", "prototype"];
  const data = `{${KEYS.map((key) => `"${key}":"own"`).join(",")}}`;
  const hasAll = (object: object) => {
    for (const key of KEYS) expect(Object.getOwnPropertyDescriptor(object, key)?.value).toBe("own");
  };
  afterEach(() => {
    expect(({} as Record<string, unknown>)["own"]).toBeUndefined();
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });

  test.each([
    ["JSON", "application/json", configMap("json", data)],
    ["YAML", "application/yaml", `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: yaml}\ndata: ${data}\n`],
  ])("are kept like any others in %s", async (_what, type, text) => {
    const made = await ask("POST", CONFIG_MAPS, text, { type });
    expect(made.status).toBe(201);
    hasAll(made.body.data);
    hasAll((await ask("GET", `${CONFIG_MAPS}/${made.body.metadata.name}`)).body.data);
  });

  test.each([
    ["merge patch", "application/merge-patch+json", `{"data":${data}}`],
    ["strategic merge patch", "application/strategic-merge-patch+json", `{"data":${data}}`],
    [
      "JSON patch",
      "application/json-patch+json",
      `[{"op":"add","path":"/data","value":{}},${KEYS.map((key) => `{"op":"add","path":"/data/${key}","value":"own"}`).join(",")}]`,
    ],
    ["apply", "application/apply-patch+yaml", configMap("patched", data)],
  ])("are kept in a %s", async (what, type, text) => {
    await ask("DELETE", `${CONFIG_MAPS}/patched`);
    if (what !== "apply") await ask("POST", CONFIG_MAPS, configMap("patched"));
    const { status, body } = await ask("PATCH", `${CONFIG_MAPS}/patched?fieldManager=m`, text, { type });
    expect([200, 201]).toContain(status);
    hasAll(body.data);
  });

  test("survive protobuf and a table", async () => {
    await ask("POST", CONFIG_MAPS, configMap("forms", data));
    const path = `${CONFIG_MAPS}/forms`;
    expect(
      (await ask("GET", path, undefined, { accept: "application/vnd.kubernetes.protobuf" })).text,
    ).toContain("__proto__");
    const table = "application/json;as=Table;v=v1;g=meta.k8s.io";
    expect((await ask("GET", path, undefined, { accept: table })).body.rows[0].cells[1]).toBe(KEYS.length);
  });

  test.each([
    ["labels", `,"labels":{"constructor":"own"}`],
    ["annotations", `,"annotations":{"constructor":"own","prototype":"own"}`],
  ])("may be %s", async (member, metadata) => {
    const name = `with-${member}`;
    await ask("POST", CONFIG_MAPS, configMap(name, "{}", metadata));
    const { body } = await ask("GET", `${CONFIG_MAPS}/${name}?labelSelector=constructor%3Down`);
    expect(body.metadata[member]["constructor"]).toBe("own");
  });

  test("select and count as nothing where they are not", async () => {
    await ask("POST", CONFIG_MAPS, configMap("bare"));
    const { body } = await ask("GET", `${CONFIG_MAPS}?labelSelector=toString`);
    expect(body.items).toEqual([]);
    const all = await ask("GET", `${CONFIG_MAPS}?labelSelector=!toString`);
    expect(all.body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toContain(
      "bare",
    );
  });

  test.each([
    [
      "beside the known fields",
      `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x1"},"__proto__":{"polluted":1}}`,
    ],
    [
      "in the metadata",
      configMap("x2", "{}", ',"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}'),
    ],
    ["as the kind", `{"apiVersion":"v1","kind":"__proto__","metadata":{"name":"x3"}}`],
    ["as the version", `{"apiVersion":"constructor","kind":"ConfigMap","metadata":{"name":"x4"}}`],
  ])("do no harm %s", async (_where, text) => {
    expect([201, 400]).toContain((await ask("POST", CONFIG_MAPS, text)).status);
    await isWell();
  });

  test.each([
    ["/__proto__/polluted"],
    ["/metadata/__proto__/polluted"],
    ["/constructor/prototype/polluted"],
    ["/data/constructor/prototype/polluted"],
  ])("do no harm in the pointer %s", async (path) => {
    await ask("POST", CONFIG_MAPS, configMap("pointed"));
    const patch = [{ op: "add", path, value: 1 }];
    const type = "application/json-patch+json";
    expect((await ask("PATCH", `${CONFIG_MAPS}/pointed`, patch, { type })).status).toBe(422);
  });

  test("may be properties of a custom kind", async () => {
    const schema = `{"type":"object","properties":{"spec":{"type":"object","properties":{"__proto__":{"type":"string","default":"own"},"constructor":{"type":"string"}},"additionalProperties":false}}}`;
    const crd = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"odds.example.com"},"spec":{"group":"example.com","scope":"Cluster","names":{"plural":"odds","kind":"Odd"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":${schema}}}]}}`;
    const { status } = await ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd);
    expect([201, 422]).toContain(status);
    await isWell();
  });
});

describe("too much of it", () => {
  const deep = (open: string, close: string, count: number) => open.repeat(count) + close.repeat(count);
  const keys = (count: number) =>
    `{${Array.from({ length: count }, (_, index) => `"k${index}":"v"`).join(",")}}`;

  test.each([
    ["said beforehand", (size: number) => "x".repeat(size)],
    ["in bytes", (size: number) => new Uint8Array(size)],
  ])("a body of more than 3 MiB, %s", async (_how, body) => {
    const { status, body: answer } = await ask("POST", CONFIG_MAPS, body(BODY_BYTES_MAX + 1));
    expect(status).toBe(413);
    expect(answer).toMatchObject({ kind: "Status", reason: "RequestEntityTooLarge", code: 413 });
    expect((await ask("POST", CONFIG_MAPS, body(BODY_BYTES_MAX))).status).toBe(400);
  });

  test.each(
    [
      ["arrays without an end", "[".repeat(1_000_000)],
      ["arrays", deep("[", "]", 500_000)],
      ["objects", `${'{"a":'.repeat(300_000)}1${"}".repeat(300_000)}`],
    ].flatMap(([what = "", text = ""]) =>
      (
        [
          ["POST", "application/json", (value: string) => value],
          ["POST", "application/json", (value: string) => configMap("deep", value)],
          ["POST", "application/yaml", (value: string) => value],
          ["PATCH", "application/merge-patch+json", (value: string) => `{"metadata":{"labels":${value}}}`],
          ["PATCH", "application/strategic-merge-patch+json", (value: string) => `{"data":${value}}`],
          [
            "PATCH",
            "application/json-patch+json",
            (value: string) => `[{"op":"add","path":"/data","value":${value}}]`,
          ],
          ["PATCH", "application/apply-patch+yaml", (value: string) => configMap("deep", value)],
        ] as const
      ).map(([method, type, place]) => [what, method, type, place(text)] as const),
    ),
  )("very deep %s in a %s of %s", async (_what, method, type, text) => {
    const path = method === "POST" ? CONFIG_MAPS : `${CONFIG_MAPS}/deep?fieldManager=m`;
    expect((await ask(method, path, text, { type })).status).toBe(400);
    await isWell();
  });

  test.each([
    [
      "unknown members",
      "POST",
      "application/json",
      `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"k1"},${keys(150_000).slice(1)}`,
    ],
    [
      "the same member again and again",
      "POST",
      "application/json",
      configMap("k2", `{${'"a":"b",'.repeat(250_000)}"a":"c"}`),
    ],
    ["a strange list", "POST", "application/json", `[${"{},".repeat(1_000_000)}{}]`],
    [
      "a member of YAML again and again",
      "POST",
      "application/yaml",
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: k3}\ndata:\n${"  a: b\n".repeat(100_000)}`,
    ],
    ["annotations", "PATCH", "application/merge-patch+json", `{"metadata":{"annotations":${keys(150_000)}}}`],
  ])("a great many keys: %s", { timeout: 60_000 }, async (_what, method, type, text) => {
    await ask("POST", CONFIG_MAPS, configMap("many"));
    const { status } = await ask(method, method === "POST" ? CONFIG_MAPS : `${CONFIG_MAPS}/many`, text, {
      type,
    });
    expect([200, 201, 400, 422]).toContain(status);
    await isWell();
  });

  test("a few lines of YAML that mean a billion items", async () => {
    const lines = [..."abcdefghij"].map((name, index, all) => {
      const before = index === 0 ? "x" : `*${all[index - 1]}`;
      return `${name}: &${name} [${Array(9).fill(before).join(",")}]`;
    });
    const type = "application/apply-patch+yaml";
    const answer = await ask("PATCH", `${CONFIG_MAPS}/bomb?fieldManager=m`, lines.join("\n"), { type });
    expect(answer.body.message).toContain("excessive aliasing");
  });

  test("a JSON patch that doubles what it copies", async () => {
    await ask("POST", CONFIG_MAPS, configMap("doubled"));
    const copies = Array.from({ length: 60 }, (_, index) => ({
      op: "copy",
      from: "/data",
      path: `/data/c${index}`,
    }));
    const patch = [{ op: "add", path: "/data", value: { a: "x".repeat(1000) } }, ...copies];
    const type = "application/json-patch+json";
    expect((await ask("PATCH", `${CONFIG_MAPS}/doubled`, patch, { type })).status).toBe(422);
  });

  test("a pattern that would take for ever", async () => {
    const schema = { type: "object", properties: { text: { type: "string", pattern: "^(a+)+$" } } };
    const crd = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "slows.example.com" },
      spec: {
        group: "example.com",
        scope: "Cluster",
        names: { plural: "slows", kind: "Slow" },
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      },
    };
    await ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd);
    const object = {
      apiVersion: "example.com/v1",
      kind: "Slow",
      metadata: { name: "s" },
      text: `${"a".repeat(50_000)}!`,
    };
    for (let status = 404, tries = 0; status === 404 && tries < 200; tries++) {
      status = (await ask("POST", "/apis/example.com/v1/slows", object)).status;
      if (status !== 404) expect(status).toBe(422);
    }
    await isWell();
  });

  test("a selector of thousands of parts", async () => {
    const parts = Array.from({ length: 1000 }, (_, index) => `k${index}!=v`).join(",");
    expect((await ask("GET", `${CONFIG_MAPS}?labelSelector=${parts}`)).status).toBe(200);
  });
});
