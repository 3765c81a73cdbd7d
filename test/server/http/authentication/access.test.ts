// Authentication and authorization through the whole server: real sockets, real tokens.

import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { connect } from "node:http2";
import { request as httpsRequest } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { StartError } from "../../../../src/server/errors.ts";
import type { ServerOptions } from "../../../../src/server/options/options.ts";
import { createServer, type Server } from "../../../../src/server/server.ts";

const TOKENS = 'root,admin,1,"system:masters"\nsee,viewer,2,viewers\n';
const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

let folder: string;
let tokenAuthFile: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-access-"));
  tokenAuthFile = join(folder, "tokens.csv");
  await writeFile(tokenAuthFile, TOKENS);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const QUIET = {
  listen: "127.0.0.1:0",
  inMemory: true,
  kubeconfig: undefined,
  controllers: "",
  logLevel: "silent",
};
const start = (options: Partial<ServerOptions>) => createServer({ ...QUIET, ...options });

interface Asked {
  readonly method?: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

async function ask(server: Server, path: string, { method, token, headers, body }: Asked = {}) {
  const response = await fetch(server.url + path, {
    method: method ?? (body ? "POST" : "GET"),
    headers: {
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(body ? { "content-type": "application/json" } : {}),
      ...headers,
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const type = response.headers.get("content-type") ?? "";
  const answer = await response.text();
  return { status: response.status, body: type.startsWith("application/json") ? JSON.parse(answer) : answer };
}

const configMap = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });

describe("without credentials", () => {
  it("everybody may do everything, and can try what others might", async () => {
    const server = await start({ authorizationMode: "RBAC" });
    try {
      expect((await ask(server, CONFIG_MAPS, { token: "anything", body: configMap("a") })).status).toBe(201);
      const asBob = { "impersonate-user": "bob" };
      expect((await ask(server, CONFIG_MAPS, { headers: asBob })).status).toBe(403);
    } finally {
      await server.close();
    }
  });

  it("there are no roles unless they count", async () => {
    const server = await start({});
    try {
      expect((await ask(server, `${RBAC}/clusterroles`)).body.items).toEqual([]);
      const headers = { "impersonate-user": "bob" };
      expect((await ask(server, CONFIG_MAPS, { headers, body: configMap("a") })).status).toBe(201);
    } finally {
      await server.close();
    }
  });
});

describe("with tokens", () => {
  let server: Server;
  beforeAll(async () => {
    server = await start({ tokenAuthFile, secure: false });
  });
  afterAll(() => server.close());

  it.each([
    ["/version", 200, 200, 200],
    ["/healthz", 200, 200, 200],
    ["/apis", 403, 200, 200],
    ["/metrics", 403, 403, 200],
    ["/nosuch", 403, 403, 404],
    [CONFIG_MAPS, 403, 403, 200],
    ["/apis/nosuch.example.com/v1/things", 403, 403, 404],
  ])(
    "%s is answered with %i to anybody, %i to the viewer, %i to the admin",
    async (path, none, viewer, admin) => {
      const codes = [{}, { token: "see" }, { token: "root" }].map(
        async (who) => (await ask(server, path, who)).status,
      );
      expect(await Promise.all(codes)).toEqual([none, viewer, admin]);
      expect((await ask(server, path, { token: "wrong" })).status).toBe(401);
    },
  );

  it("a wrong token is told nothing", async () => {
    const { body } = await ask(server, CONFIG_MAPS, { token: "wrong", body: configMap("a") });
    expect(body).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: "Unauthorized",
      reason: "Unauthorized",
      code: 401,
    });
  });

  it.each([
    ["/version", "root"],
    [CONFIG_MAPS, "wrong"],
    [`${CONFIG_MAPS}?watch=1&timeoutSeconds=1`, "root"],
  ])("each answer has a name and is nobody else's: %s", async (path, token) => {
    const own = { authorization: `Bearer ${token}` };
    const first = await fetch(server.url + path, { headers: own });
    expect(first.headers.get("audit-id")).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(first.headers.get("cache-control")).toBe("no-cache, private");
    await first.body?.cancel();
    const second = await fetch(server.url + path, { headers: { ...own, "audit-id": "mine" } });
    expect(second.headers.get("audit-id")).toBe("mine");
    await second.body?.cancel();
  });

  it.each(["POST", "PUT", "PATCH", "DELETE"])("the viewer may not %s", async (method) => {
    const path = method === "POST" ? CONFIG_MAPS : `${CONFIG_MAPS}/a`;
    expect((await ask(server, path, { method, token: "see", body: configMap("a") })).status).toBe(403);
  });

  it("a binding counts from its answer on, and its end likewise", async () => {
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "edit" };
    const body = {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "RoleBinding",
      metadata: { name: "viewers" },
      roleRef,
      subjects: [{ kind: "Group", name: "viewers" }],
    };
    const bindings = `${RBAC}/namespaces/default/rolebindings`;
    const mayList = async () => (await ask(server, CONFIG_MAPS, { token: "see" })).status;
    expect((await ask(server, bindings, { token: "root", body })).status).toBe(201);
    expect(await mayList()).toBe(200);
    const grant = { ...body, metadata: { name: "more" }, roleRef: { ...roleRef, name: "cluster-admin" } };
    expect((await ask(server, bindings, { token: "see", body: grant })).status).toBe(403);
    await ask(server, `${bindings}/viewers`, { method: "DELETE", token: "root" });
    expect(await mayList()).toBe(403);
  });

  it("reviews are answered and not stored", async () => {
    const reviews = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
    const body = {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SubjectAccessReview",
      spec: {
        user: "x",
        groups: ["system:authenticated"],
        nonResourceAttributes: { verb: "get", path: "/api" },
      },
    };
    const answer = await ask(server, reviews, { token: "root", body });
    expect(answer).toMatchObject({ status: 201, body: { status: { allowed: true } } });
    expect(answer.body.metadata.uid).toBeUndefined();
    expect((await ask(server, reviews, { token: "root" })).status).toBe(405);
    expect((await ask(server, `${reviews}/x`, { token: "root" })).status).toBe(404);
    expect((await ask(server, reviews, { token: "see", body })).status).toBe(403);
  });

  it("nobody without a name can be impersonated, and nobody by the viewer", async () => {
    const group = { "impersonate-group": "system:masters" };
    expect((await ask(server, "/api", { token: "root", headers: group })).status).toBe(400);
    const user = { "impersonate-user": "admin", ...group };
    expect((await ask(server, "/api", { token: "see", headers: user })).status).toBe(403);
    expect((await ask(server, CONFIG_MAPS, { token: "root", headers: user })).status).toBe(200);
  });
});

it("where everybody may do everything, those without a token may do nothing", async () => {
  const server = await start({ tokenAuthFile, secure: false, authorizationMode: "AlwaysAllow" });
  try {
    expect((await ask(server, "/version")).status).toBe(401);
    expect((await ask(server, CONFIG_MAPS, { token: "see", body: configMap("a") })).status).toBe(201);
  } finally {
    await server.close();
  }
});

describe("--authorization-mode", () => {
  const denied = (path: string, reason: string) => ({
    status: 403,
    body: { message: `configmaps is forbidden: ${path}${reason}` },
  });
  const LIST = 'User "viewer" cannot list resource "configmaps" in API group "" in the namespace "default"';

  it.each([
    ["AlwaysDeny", denied(LIST, ": Everything is forbidden."), 403],
    ["AlwaysDeny,RBAC", denied(LIST, ": Everything is forbidden."), 200],
    ["RBAC", denied(LIST, ""), 200],
    ["Node,RBAC", denied(LIST, ""), 200],
    ["RBAC,AlwaysAllow", { status: 200 }, 401],
  ])("%s consults each of its authorizers", async (authorizationMode, answer, anonymous) => {
    await using server = await start({ tokenAuthFile, secure: false, authorizationMode });
    expect(await ask(server, CONFIG_MAPS, { token: "see" })).toMatchObject(answer);
    expect((await ask(server, CONFIG_MAPS, { token: "root" })).status).toBe(200);
    expect((await ask(server, "/version")).status).toBe(anonymous);
  });
});

it("--anonymous-auth=false answers requests without credentials with 401", async () => {
  await using server = await start({ tokenAuthFile, secure: false, anonymousAuth: false });
  for (const path of ["/version", "/livez", CONFIG_MAPS]) expect((await ask(server, path)).status).toBe(401);
  expect((await ask(server, "/version", { token: "see" })).status).toBe(200);
});

it("a token file that cannot be used keeps the server from starting", async () => {
  const bad = join(folder, "bad.csv");
  await writeFile(bad, "only,two\n");
  await expect(start({ tokenAuthFile: bad })).rejects.toThrow(StartError);
  await expect(start({ tokenAuthFile: join(folder, "none.csv") })).rejects.toThrow("cannot be read");
});

describe("over HTTPS", () => {
  let server: Server;
  let kubeconfig: string;
  let ca: Buffer;
  let token: string;

  beforeAll(async () => {
    kubeconfig = join(folder, "kubeconfig");
    server = await start({ secure: true, tokenAuthFile, kubeconfig });
    const config = parse(await readFile(kubeconfig, "utf8"));
    ca = Buffer.from(config.clusters[0].cluster["certificate-authority-data"], "base64");
    token = config.users[0].user.token;
  });
  afterAll(() => server.close());

  it("the kubeconfig is its owner's alone", async () => {
    expect((await stat(kubeconfig)).mode & 0o777).toBe(0o600);
  });

  const who = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
  const question = JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" });
  const headersOf = (bearer: string) => ({
    authorization: `Bearer ${bearer}`,
    "content-type": "application/json",
    "impersonate-user": "eve",
    "impersonate-group": "a,b",
  });

  it("is what a token file alone means, because client-go sends tokens over nothing else", async () => {
    const implied = await start({ tokenAuthFile });
    try {
      expect(implied.url).toMatch(/^https:/);
      expect(implied.kubeconfig.authority).toMatch(/^-----BEGIN CERTIFICATE-----/);
    } finally {
      await implied.close();
    }
  });

  it("its CA and token let one in with HTTP/1.1", async () => {
    const answer = await new Promise<string>((resolve, reject) => {
      const request = httpsRequest(server.url + who, { ca, method: "POST", headers: headersOf(token) });
      request.once("response", (response) => text(response).then(resolve, reject));
      request.once("error", reject);
      request.end(question);
    });
    expect(JSON.parse(answer).status.userInfo.groups).toEqual(["a,b", "system:authenticated"]);
  });

  it("and with HTTP/2", async () => {
    const session = connect(server.url, { ca });
    try {
      const stream = session.request({ ":method": "POST", ":path": who, ...headersOf("root") });
      stream.end(question);
      expect(JSON.parse(await text(stream)).status.userInfo.username).toBe("eve");
      const watch = session.request({
        ":path": "/api/v1/namespaces?watch=1",
        authorization: `Bearer ${token}`,
      });
      const first = await new Promise<Buffer>((resolve) => watch.once("data", resolve));
      expect(first.toString()).toContain('"type":"ADDED"');
      watch.close();
    } finally {
      session.close();
    }
  });

  it("others do not trust it", async () => {
    await expect(fetch(`${server.url}/version`)).rejects.toThrow();
  });
});
