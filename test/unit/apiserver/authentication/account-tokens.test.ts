import { createHmac, createPublicKey, generateKeyPairSync } from "node:crypto";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type AccountTokens,
  createAccountTokens,
} from "../../../../src/apiserver/authentication/account-tokens.ts";
import type { CoreLookup } from "../../../../src/apiserver/authentication/secret-tokens.ts";
import {
  createTokenKey,
  openSigningKey,
  splitToken,
  type TokenKey,
} from "../../../../src/apiserver/authentication/signing-key.ts";

const NOW = Date.parse("2030-06-01T12:00:00Z");
const MINUTE = 60_000;
const newKey = () => generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
const issuer = "the-server";
const key = newKey();

type Claims = Parameters<AccountTokens["issue"]>[0];
const CLAIMS: Claims = {
  namespace: "a",
  account: { name: "robot", uid: "u1" },
  audiences: [issuer, "other"],
  fromMs: NOW,
  untilMs: NOW + 10 * MINUTE,
  id: "t1",
};
const POD = { kind: "pod", name: "p", uid: "u2" } as const;

/** Objects by "resource namespace/name", each with its UID, and "!" once its deletion is requested. */
function tokensWith(objects: Readonly<Record<string, string>>, now = NOW) {
  const find: CoreLookup = (resource, namespace, name) => {
    const found = objects[`${resource} ${namespace}/${name}`];
    if (found === undefined) return undefined;
    const [uid = "", deleted] = found.split("!");
    const deletion = deleted === undefined ? {} : { deletionTimestamp: new Date(NOW).toISOString() };
    return { metadata: { name, namespace, uid, ...deletion } };
  };
  return createAccountTokens({ key: () => key, find, now: () => now, issuers: [issuer] });
}
const ROBOT = { "serviceaccounts a/robot": "u1" };

describe("a ServiceAccount's token", () => {
  it("names the account, and is good for the audiences it was made for", () => {
    const tokens = tokensWith(ROBOT);
    const token = tokens.issue(CLAIMS);
    const user = {
      name: "system:serviceaccount:a:robot",
      uid: "u1",
      groups: ["system:serviceaccounts", "system:serviceaccounts:a"],
      extra: { "authentication.kubernetes.io/credential-id": ["JTI=t1"] },
    };
    expect(tokens.check(token, [])).toEqual({ user, audiences: [issuer] });
    expect(tokens.check(token, ["x", "other"])).toEqual({ user, audiences: ["other"] });
  });

  it("tells its Pod and the Pod's Node", () => {
    const tokens = tokensWith({ ...ROBOT, "pods a/p": "u2" });
    const token = tokens.issue({ ...CLAIMS, boundTo: POD, node: { name: "n", uid: "" } });
    const verdict = tokens.check(token, []);
    expect(verdict && "user" in verdict ? verdict.user.extra : verdict).toEqual({
      "authentication.kubernetes.io/credential-id": ["JTI=t1"],
      "authentication.kubernetes.io/node-name": ["n"],
      "authentication.kubernetes.io/pod-name": ["p"],
      "authentication.kubernetes.io/pod-uid": ["u2"],
    });
  });

  const gone = "service account token has been invalidated";
  it.each<[string, Readonly<Record<string, string>>, Partial<Claims>, string]>([
    ["the account is gone", {}, {}, 'serviceaccounts "robot" not found'],
    [
      "another account has its name",
      { "serviceaccounts a/robot": "u9" },
      {},
      "service account UID (u9) does not match claim (u1)",
    ],
    ["its Pod is gone", ROBOT, { boundTo: POD }, gone],
    ["its Secret is gone", ROBOT, { boundTo: { ...POD, kind: "secret" } }, gone],
    ["its Node is gone", ROBOT, { boundTo: { ...POD, kind: "node" } }, gone],
    [
      "another Pod has the name",
      { ...ROBOT, "pods a/p": "u9" },
      { boundTo: POD },
      "pod UID (u9) does not match service account pod ref claim (u2)",
    ],
    [
      "it is for others",
      ROBOT,
      { audiences: ["b", "c"] },
      'token audiences ["b" "c"] is invalid for the target audiences ["the-server"]',
    ],
  ])("does not hold when %s", (_why, objects, more, error) => {
    const tokens = tokensWith(objects);
    expect(tokens.check(tokens.issue({ ...CLAIMS, ...more }), [])).toEqual({ error });
  });

  it.each([
    ["has begun", NOW - MINUTE, undefined],
    ["is too early", NOW - MINUTE - 1, "service account token is not valid yet"],
    ["is still tolerated", NOW + 11 * MINUTE, undefined],
    ["is over", NOW + 11 * MINUTE + 1, "service account token has expired"],
  ])("whose time %s", (_when, now, error) => {
    const verdict = tokensWith(ROBOT, now).check(tokensWith(ROBOT).issue(CLAIMS), []);
    expect(verdict && "error" in verdict ? verdict.error : undefined).toBe(error);
  });

  it("is no longer good once the account is gone, though it was seen before", () => {
    const objects: Record<string, string> = { ...ROBOT };
    const tokens = tokensWith(objects);
    const token = tokens.issue(CLAIMS);
    expect(tokens.check(token, [])).toHaveProperty("user");
    delete objects["serviceaccounts a/robot"];
    expect(tokens.check(token, [])).toHaveProperty("error");
  });
});

describe("once the deletion of an object is requested", () => {
  const invalidated = "service account token has been invalidated";
  it.each<[string, Readonly<Record<string, string>>, Partial<Claims>, string]>([
    ["its account", { "serviceaccounts a/robot": "u1!" }, {}, "service account a/robot has been deleted"],
    ["its Pod", { ...ROBOT, "pods a/p": "u2!" }, { boundTo: POD }, invalidated],
    ["its Secret", { ...ROBOT, "secrets a/p": "u2!" }, { boundTo: { ...POD, kind: "secret" } }, invalidated],
    ["its Node", { ...ROBOT, "nodes /p": "u2!" }, { boundTo: { ...POD, kind: "node" } }, invalidated],
  ])("a token of %s is valid for a minute more", (_what, objects, more, error) => {
    const token = tokensWith(objects).issue({ ...CLAIMS, ...more });
    expect(tokensWith(objects, NOW + MINUTE).check(token, [])).toHaveProperty("user");
    expect(tokensWith(objects, NOW + MINUTE + 1).check(token, [])).toEqual({ error });
  });
});

describe("the claims of a token of this server", () => {
  const tokens = tokensWith(ROBOT);
  const claims = JSON.parse(Buffer.from(tokens.issue(CLAIMS).split(".")[1] ?? "", "base64url").toString());
  const seconds = NOW / 1000;
  const malformed = "go-jose/go-jose/jwt: expected number value to unmarshal NumericDate";
  it.each<[string, object, string | undefined]>([
    ["no exp", { exp: undefined }, undefined],
    ["a text as exp", { exp: "x" }, malformed],
    ["a text as nbf", { nbf: "2030" }, malformed],
    ["an object as iat", { iat: {} }, malformed],
    ["an exp beyond 64 bits", { exp: 1e300 }, "service account token has expired"],
    ["a fraction as exp", { exp: seconds + 0.5 }, undefined],
    ["an iat in the future", { iat: seconds + 61 }, "service account token is issued in the future"],
    ["an audience as a text", { aud: issuer }, undefined],
    ["no audience", { aud: undefined }, undefined],
  ])("may have %s, with this error: %3$s", (_what, change, error) => {
    const verdict = tokens.check(createTokenKey(key).sign({ ...claims, ...change }), []);
    expect(verdict && "error" in verdict ? verdict.error : undefined).toBe(error);
  });
});

describe("a text that this server has not issued", () => {
  const tokens = tokensWith(ROBOT);
  const token = tokens.issue(CLAIMS);
  const [head = "", body = "", signature = ""] = token.split(".");
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const decode = (text: string) => JSON.parse(Buffer.from(text, "base64url").toString());
  const standard = (text: string) => text.replaceAll("-", "+").replaceAll("_", "/");
  const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  /** The last digit has bits that are not used. */
  const otherBits = (text: string) => text.slice(0, -1) + digits[digits.indexOf(text.at(-1) ?? "") ^ 1];

  it.each([
    ["a secret", "secret"],
    ["a token with letters after the signature", `${token}!!!!`],
    ["a token with padding", `${token}==`],
    ["a token with padding in the claims", `${head}.${body}=.${signature}`],
    ["a token with unused bits in its signature", otherBits(token)],
    ["a token in the other alphabet", `${head}.${body}.${standard(signature)}/`],
    ["a token of another issuer", createTokenKey(key).sign({ ...decode(body), iss: "x" })],
    ["a token with too many parts", `${token}.x`],
    ["a very long token", `${head}.${"a".repeat(1e6)}.${signature}`],
    ["claims that are no object", createTokenKey(key).sign([] as never)],
    ["three empty parts", ".."],
    ["a token in JSON", JSON.stringify({ protected: head, payload: body, signature })],
  ])("is no token: %s", (_what, text) => {
    expect(tokens.check(text, [])).toBeUndefined();
  });

  const unsigned = "go-jose/go-jose: error in cryptographic primitive";
  const hmac = (header: string) =>
    createHmac("sha256", publicPem).update(`${header}.${body}`).digest("base64url");
  const publicPem = createPublicKey(key).export({ type: "spki", format: "pem" });
  const symmetric = encode({ ...decode(head), alg: "HS256" });
  it.each([
    ["without a signature", `${head}.${body}.`, unsigned],
    ["with a longer signature", `${token}AAAA`, unsigned],
    [
      "with other claims",
      `${head}.${encode({ ...decode(body), sub: "system:admin" })}.${signature}`,
      unsigned,
    ],
    ["with the algorithm none", `${encode({ alg: "none" })}.${body}.`, unsigned],
    ["that is signed with the public key as a secret", `${symmetric}.${body}.${hmac(symmetric)}`, unsigned],
    [
      "of another key of the same name",
      `${head}.${createTokenKey(newKey()).sign(decode(body)).split(".").slice(1).join(".")}`,
      unsigned,
    ],
    ["of another key", createTokenKey(newKey()).sign(decode(body)), "invalid signature, no keys found"],
  ])("is a token %s", (_what, text, error) => {
    expect(tokens.check(text, [])).toEqual({ error, unsigned: true });
  });

  it("is a token over white space, which is valid", () => {
    expect(tokens.check(`${token}\n`, [])).toHaveProperty("user");
  });
});

/** The claims of a token that the key has signed. */
function opened(key: TokenKey, token: string) {
  const parts = splitToken(token);
  return parts && key.complaintOf(parts) === undefined ? parts.claims : undefined;
}

describe("the key", () => {
  it("is made when it is first needed, kept for its owner alone, and found again", async () => {
    const root = await mkdtemp(join(tmpdir(), "egret-key-"));
    try {
      const folder = join(root, "pki");
      const open = openSigningKey(folder);
      await expect(stat(folder)).rejects.toThrow("ENOENT");
      const token = createTokenKey(open()).sign({ a: 1 });
      expect((await stat(join(folder, "sa.key"))).mode & 0o777).toBe(0o600);
      expect(opened(createTokenKey(openSigningKey(folder)()), token)).toEqual({ a: 1 });
      expect(await readFile(join(folder, "sa.key"), "utf8")).toContain("PRIVATE KEY");
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  });

  it("without a folder lasts as long as the process", () => {
    const open = openSigningKey(undefined);
    expect(open()).toBe(open());
    expect(open().equals(openSigningKey(undefined)())).toBe(false);
  });

  it("made of given bytes is the same each time, and so are its tokens", () => {
    const token = (byte: number) => {
      const key = createTokenKey(openSigningKey(undefined, () => new Uint8Array(32).fill(byte))());
      const signed = key.sign({ a: 1 });
      expect(opened(key, signed)).toEqual({ a: 1 });
      expect(opened(key, `${signed.slice(0, -8)}AAAAAAAA`)).toBeUndefined();
      return signed;
    };
    expect(token(1)).toBe(token(1));
    expect(token(2)).not.toBe(token(1));
    expect(JSON.parse(Buffer.from(token(1).split(".")[0] ?? "", "base64url").toString())).toMatchObject({
      alg: "EdDSA",
    });
  });
});
