// ServiceAccount tokens: the server accepts only tokens that it has issued, byte for byte. It accepts none of an account
// or a Pod whose deletion was requested more than a minute ago, even where a finalizer keeps the object.
import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type BuiltServer, startBuiltServer } from "./built-server.ts";

const CORE = "/api/v1/namespaces/default";
const AUTHENTICATION = { apiVersion: "authentication.k8s.io/v1" };
const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

let server: BuiltServer;
beforeAll(async () => {
  server = await startBuiltServer();
}, 60_000);
afterAll(() => server?.[Symbol.asyncDispose]());

const json = async (method: string, path: string, body?: unknown) => {
  const { status, text } = await server.send(method, path, body);
  return { status, body: JSON.parse(text) };
};

const makeAccount = (name: string, more = {}) =>
  json("POST", `${CORE}/serviceaccounts`, {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name, ...more },
  });

async function tokenFor(account: string, spec: object = {}): Promise<string> {
  const request = { ...AUTHENTICATION, kind: "TokenRequest", spec };
  const { body } = await json("POST", `${CORE}/serviceaccounts/${account}/token`, request);
  return body.status.token;
}

/** The status of a request with this token. */
async function statusOf(token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const body = JSON.stringify({ ...AUTHENTICATION, kind: "SelfSubjectReview" });
  const url = `${server.url}/apis/authentication.k8s.io/v1/selfsubjectreviews`;
  return (await fetch(url, { method: "POST", headers, body })).status;
}

async function reviewOf(token: string) {
  const review = { ...AUTHENTICATION, kind: "TokenReview", spec: { token } };
  const { body } = await json("POST", "/apis/authentication.k8s.io/v1/tokenreviews", review);
  return body.status;
}

describe("a token of a ServiceAccount", () => {
  let token: string;
  let parts: readonly [string, string, string];
  beforeAll(async () => {
    await makeAccount("robot");
    token = await tokenFor("robot");
    parts = token.split(".") as [string, string, string];
  });

  const decode = (text: string) => JSON.parse(Buffer.from(text, "base64url").toString());
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const header = (change: object) => encode({ ...decode(parts[0]), ...change });
  const claims = (change: object) => encode({ ...decode(parts[1]), ...change });
  const otherBits = () => parts[2].slice(0, -1) + DIGITS[DIGITS.indexOf(parts[2].at(-1) ?? "") ^ 1];
  const symmetric = () => {
    const signed = `${header({ alg: "HS256" })}.${parts[1]}`;
    return `${signed}.${createHmac("sha256", "").update(signed).digest("base64url")}`;
  };

  test("is valid as it was issued", async () => {
    expect(await statusOf(token)).toBe(201);
    expect(await reviewOf(`${token}\n`)).toMatchObject({ authenticated: true });
  });

  const broken = "go-jose/go-jose: error in cryptographic primitive";
  test.each<[string, () => string, string?]>([
    ["with letters after its signature", () => `${token}!!!!`],
    ["with padding", () => `${token}==`],
    ["with one letter of padding", () => `${token}=`],
    ["with padding in its claims", () => `${parts[0]}.${parts[1]}=.${parts[2]}`],
    ["with padding in its header", () => `${parts[0]}=.${parts[1]}.${parts[2]}`],
    ["with a letter of no alphabet in its signature", () => `${parts[0]}.${parts[1]}.!${parts[2]}`],
    ["with other unused bits", () => `${parts[0]}.${parts[1]}.${otherBits()}`],
    ["with a fourth part", () => `${token}.x`],
    ["of another issuer", () => `${parts[0]}.${claims({ iss: "https://example.com" })}.${parts[2]}`],
    ["without a signature", () => `${parts[0]}.${parts[1]}.`, broken],
    ["with a longer signature", () => `${token}AAAA`, broken],
    ["without an algorithm", () => `${header({ alg: "none" })}.${parts[1]}.`, broken],
    ["with a symmetric algorithm", symmetric, broken],
    ["with another user", () => `${parts[0]}.${claims({ sub: "system:admin" })}.${parts[2]}`, broken],
    ["with a later end", () => `${parts[0]}.${claims({ exp: 4e9 })}.${parts[2]}`, broken],
    [
      "with a critical header",
      () => `${header({ crit: ["b64"], b64: false })}.${parts[1]}.${parts[2]}`,
      broken,
    ],
    [
      "with another key's name",
      () => `${header({ kid: "x" })}.${parts[1]}.${parts[2]}`,
      "invalid signature, no keys found",
    ],
  ])("%s is invalid", async (_what, forge, error) => {
    const forged = forge();
    expect(await statusOf(forged)).toBe(401);
    const text = error === undefined ? "invalid bearer token" : `[invalid bearer token, ${error}]`;
    expect(await reviewOf(forged)).toEqual({ user: {}, error: text });
  });

  test.each([20_000, 200_000])("of %i bytes is invalid, and no trouble", async (length) => {
    const long = `${parts[0]}.${"A".repeat(length)}.${parts[2]}`;
    expect(await reviewOf(long)).toEqual({ user: {}, error: "invalid bearer token" });
  });

  test("is not issued for an account that has another UID", async () => {
    const request = { ...AUTHENTICATION, kind: "TokenRequest", metadata: { uid: "x" }, spec: {} };
    const { status, body } = await json("POST", `${CORE}/serviceaccounts/robot/token`, request);
    expect([status, body.message]).toEqual([
      409,
      expect.stringContaining(
        "the UID in the token request (x) does not match the UID of the service account (",
      ),
    ]);
  });
});

describe("a token whose account or object has a finalizer", () => {
  const START = "2030-01-02T03:04:05Z";
  const finalizers = ["example.com/hold"];
  let token: (account: string, ref?: object) => Promise<string>;
  let tokens: Readonly<Record<string, string>>;
  beforeAll(async () => {
    await server[Symbol.asyncDispose]();
    server = await startBuiltServer(["--clock", START]);
    await makeAccount("held", { finalizers });
    await makeAccount("robot");
    const held = { apiVersion: "v1", metadata: { name: "held", finalizers } };
    const spec = { serviceAccountName: "robot", containers: [{ name: "c", image: "i" }] };
    await json("POST", `${CORE}/pods`, { ...held, kind: "Pod", spec });
    await json("POST", `${CORE}/secrets`, { ...held, kind: "Secret" });
    await json("POST", "/api/v1/nodes", { ...held, kind: "Node" });
    token = (account, ref) => tokenFor(account, ref === undefined ? {} : { boundObjectRef: ref });
    const boundTo = (kind: string) => token("robot", { apiVersion: "v1", kind, name: "held" });
    tokens = {
      serviceaccounts: await token("held"),
      pods: await boundTo("Pod"),
      secrets: await boundTo("Secret"),
      nodes: await boundTo("Node"),
    };
    const paths = ["serviceaccounts", "pods", "secrets"].map((resource) => `${CORE}/${resource}/held`);
    for (const path of [...paths, "/api/v1/nodes/held"])
      expect((await json("DELETE", path)).body).toMatchObject({
        metadata: { deletionTimestamp: expect.any(String) },
      });
  }, 60_000);

  const ALL = ["serviceaccounts", "pods", "secrets", "nodes"];
  const advance = (duration: string) => json("POST", "/egret/v1/clock/advance", { duration });

  test("is valid for a minute after the deletion was requested", async () => {
    await advance("55s");
    for (const kind of ALL) expect([kind, await statusOf(tokens[kind] ?? "")]).toEqual([kind, 201]);
  });

  test("is invalid then", async () => {
    await advance("40s"); // the Pod has had 30 s of grace
    const invalidated = "service account token has been invalidated";
    for (const kind of ALL) {
      const error =
        kind === "serviceaccounts" ? "service account default/held has been deleted" : invalidated;
      expect([kind, await statusOf(tokens[kind] ?? "")]).toEqual([kind, 401]);
      expect(await reviewOf(tokens[kind] ?? "")).toEqual({
        user: {},
        error: `[invalid bearer token, ${error}]`,
      });
    }
  });

  test("is issued nevertheless, and as invalid", async () => {
    const late = [await token("held"), await token("robot", { apiVersion: "v1", kind: "Pod", name: "held" })];
    for (const each of late) expect(await statusOf(each)).toBe(401);
  });
});
