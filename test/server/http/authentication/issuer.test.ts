// Issuer discovery and tokens in Secrets through the whole server, answered as by kube-apiserver v1.36.
import { createPublicKey, verify } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ServerOptions } from "../../../../src/server/options/options.ts";
import { createServer, type Server } from "../../../../src/server/server.ts";

const CONFIGURATION = "/.well-known/openid-configuration";
const KEYS = "/openid/v1/jwks";
const ACCOUNTS = { group: "", version: "v1", resource: "serviceaccounts" };
const SECRETS = { ...ACCOUNTS, resource: "secrets" };
const namespace = "default";

const start = async (options: Partial<ServerOptions> = {}): Promise<Server> =>
  createServer({
    ...{ listen: "127.0.0.1:0", inMemory: true, kubeconfig: undefined, logLevel: "silent" },
    ...{ controllers: "serviceaccount-token", secure: false, tokenAuthFile: join(folder, "tokens.csv") },
    ...options,
  });

let folder: string;
let server: Server;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-issuer-"));
  await writeFile(join(folder, "tokens.csv"), 'root,admin,1,"system:masters"\n');
  server = await start();
});
afterAll(async () => {
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

const ask = (path: string, token = "root", init: RequestInit = {}, from = server) =>
  fetch(from.url + path, { ...init, headers: { authorization: `Bearer ${token}`, ...init.headers } });

describe("issuer discovery", () => {
  test.each([CONFIGURATION, `${CONFIGURATION}/`])("%s has the configuration", async (path) => {
    const { status, headers, text } = await answerOf(path);
    expect([status, headers.get("content-type")]).toEqual([200, "application/json"]);
    expect(headers.get("cache-control")).toBe("public, max-age=3600");
    expect(text).toBe(
      `{"issuer":"https://kubernetes.default.svc.cluster.local","jwks_uri":"${server.url}${KEYS}","response_types_supported":["id_token"],"subject_types_supported":["public"],"id_token_signing_alg_values_supported":["ES256"]}`,
    );
  });

  test("the key set has the key of the tokens", async () => {
    const { status, headers, text } = await answerOf(KEYS);
    expect([status, headers.get("content-type")]).toEqual([200, "application/jwk-set+json"]);
    expect(headers.get("cache-control")).toBe("public, max-age=3600");
    expect(text).toMatch(
      /^\{"keys":\[\{"use":"sig","kty":"EC","kid":"[\w-]{43}","crv":"P-256","alg":"ES256","x":"[\w-]{43}","y":"[\w-]{43}"\}\]\}$/,
    );
    const [jwk] = JSON.parse(text).keys;
    await server.clientFor("test").create(ACCOUNTS, { metadata: { name: "verified", namespace } });
    const url = `/api/v1/namespaces/${namespace}/serviceaccounts/verified/token`;
    const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest" };
    const init = {
      method: "POST",
      body: JSON.stringify(request),
      headers: { "content-type": "application/json" },
    };
    const issued = await jsonOf(await ask(url, "root", init));
    const [head = "", claims, signature = ""] = issued.status.token.split(".");
    expect(JSON.parse(Buffer.from(head, "base64url").toString()).kid).toBe(jwk.kid);
    const key = { key: createPublicKey({ key: jwk, format: "jwk" }), dsaEncoding: "ieee-p1363" } as const;
    expect(verify("sha256", Buffer.from(`${head}.${claims}`), key, Buffer.from(signature, "base64url"))).toBe(
      true,
    );
  });

  test.each<[what: string, path: string, init: RequestInit, status: number, message: RegExp]>([
    ["another method", KEYS, { method: "POST" }, 405, /does not allow this method/],
    [
      "another form",
      KEYS,
      { headers: { accept: "application/json" } },
      406,
      /^406: Not Acceptable\n\nAvailable representations: application\/jwk-set\+json$/,
    ],
  ])("refused is %s", async (_what, path, init, status, message) => {
    const answer = await ask(path, "root", init);
    expect(answer.status).toBe(status);
    expect((await jsonOf(answer)).message).toMatch(message);
  });

  test("the paths are listed, and their neighbours are not found", async () => {
    expect((await jsonOf(await ask("/"))).paths).toEqual(expect.arrayContaining([CONFIGURATION, KEYS]));
    for (const path of ["/openid/v1", "/.well-known/", "/openid/v1/jwks/x"])
      expect((await ask(path)).status, path).toBe(404);
  });

  test("ServiceAccounts may read it, others need a rule", async () => {
    const client = server.clientFor("test");
    await client.create(ACCOUNTS, { metadata: { name: "reader", namespace } });
    const token = await tokenOf("reader");
    for (const path of [CONFIGURATION, KEYS]) expect((await ask(path, token)).status, path).toBe(200);
    const anonymous = await fetch(server.url + KEYS);
    expect(anonymous.status).toBe(403);
    expect((await jsonOf(anonymous)).message).toBe(
      'forbidden: User "system:anonymous" cannot get path "/openid/v1/jwks"',
    );
  });

  test("--service-account-issuer is in it, and only an https URL can be discovered", async () => {
    await using named = await start({ serviceAccountIssuer: ["https://issuer.example.com"] });
    expect((await jsonOf(await ask(CONFIGURATION, "root", {}, named))).issuer).toBe(
      "https://issuer.example.com",
    );
    await using other = await start({ serviceAccountIssuer: ["egret"] });
    expect((await ask(KEYS, "root", {}, other)).status).toBe(404);
  });
});

interface Answer {
  readonly issuer: string;
  readonly message: string;
  readonly paths: readonly string[];
  readonly status: { readonly token: string };
}
const jsonOf = async (answer: Response) => (await answer.json()) as Answer; // each test reads a member of its answer

const answerOf = async (path: string) => {
  const answer = await ask(path);
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
};

/** Of a Secret that is made for the account. */
async function tokenOf(account: string): Promise<string> {
  const client = server.clientFor("test");
  const annotations = { "kubernetes.io/service-account.name": account };
  await client.create(SECRETS, {
    metadata: { name: account, namespace, annotations },
    type: "kubernetes.io/service-account-token",
  });
  await server.controllers.idle();
  const { data } = (await client.get(SECRETS, { namespace, name: account })) as { data?: { token?: string } };
  return Buffer.from(data?.token ?? "", "base64").toString();
}

test("the token of a Secret is valid while the Secret exists, and its use is noted", async () => {
  const client = server.clientFor("test");
  await client.create(ACCOUNTS, { metadata: { name: "robot", namespace } });
  const token = await tokenOf("robot");
  expect((await ask("/version", token)).status).toBe(200);
  await expect
    .poll(async () => (await client.get(SECRETS, { namespace, name: "robot" })).metadata.labels)
    .toEqual({ "kubernetes.io/legacy-token-last-used": new Date().toISOString().slice(0, 10) });
  await client.delete(ACCOUNTS, { namespace, name: "robot" });
  await server.controllers.idle();
  await expect(client.get(SECRETS, { namespace, name: "robot" })).rejects.toMatchObject({ code: 404 });
  expect((await ask("/version", token)).status).toBe(401);
});
