import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type AccountTokens,
  type CoreLookup,
  createAccountTokens,
} from "../../../../src/http/authentication/account-tokens.ts";
import { createTokenKey, openSigningKey } from "../../../../src/http/authentication/signing-key.ts";

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

/** Objects by "resource namespace/name", each with its UID. */
function tokensWith(objects: Readonly<Record<string, string>>, now = NOW) {
  const find: CoreLookup = (resource, namespace, name) => {
    const uid = objects[`${resource} ${namespace}/${name}`];
    return uid === undefined ? undefined : { metadata: { name, namespace, uid } };
  };
  return createAccountTokens({ key: () => key, find, now: () => now, issuer });
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

describe("what is not taken for a token of ours", () => {
  const tokens = tokensWith(ROBOT);
  const [head = "", body = "", signature = ""] = tokens.issue(CLAIMS).split(".");
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

  it.each([
    ["another text", "secret"],
    ["a token without a signature", `${head}.${body}.`],
    ["one with another body", `${head}.${encode({ sub: "system:admin" })}.${signature}`],
    ["one that says it is not signed", `${encode({ alg: "none" })}.${body}.`],
    ["one of another key", createTokenKey(newKey()).sign({ aud: [issuer] })],
    ["one with too many parts", `${head}.${body}.${signature}.x`],
    ["a very long one", `${head}.${"a".repeat(1e6)}.${signature}`],
  ])("%s", (_what, token) => {
    expect(tokens.check(token, [])).toBeUndefined();
  });

  it("what is signed but no object", () => {
    const odd = createTokenKey(key).sign([] as never);
    expect(tokens.check(odd, [])).toBeUndefined();
  });
});

describe("the key", () => {
  it("is made when it is first needed, kept for its owner alone, and found again", async () => {
    const root = await mkdtemp(join(tmpdir(), "egret-key-"));
    try {
      const folder = join(root, "pki");
      const open = openSigningKey(folder);
      await expect(stat(folder)).rejects.toThrow("ENOENT");
      const token = createTokenKey(open()).sign({ a: 1 });
      expect((await stat(join(folder, "sa.key"))).mode & 0o777).toBe(0o600);
      expect(createTokenKey(openSigningKey(folder)()).open(token)).toEqual({ a: 1 });
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
      expect(key.open(signed)).toEqual({ a: 1 });
      expect(key.open(`${signed.slice(0, -8)}AAAAAAAA`)).toBeUndefined();
      return signed;
    };
    expect(token(1)).toBe(token(1));
    expect(token(2)).not.toBe(token(1));
    expect(JSON.parse(Buffer.from(token(1).split(".")[0] ?? "", "base64url").toString())).toMatchObject({
      alg: "EdDSA",
    });
  });
});
