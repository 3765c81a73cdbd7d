// Tokens in Secrets: the claims and errors of kube-apiserver's legacy tokens.
import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../../src/apimachinery/meta/object-meta.ts";
import { createAccountTokens } from "../../../../src/apiserver/authentication/account-tokens.ts";
import { createTokenKey } from "../../../../src/apiserver/authentication/signing-key.ts";

const key = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
const SUBJECT = { namespace: "a", secret: "s", account: { name: "robot", uid: "u1" } };
const ISSUER = "the-server";

type Objects = Record<string, KubeObject>;

/** The ServiceAccount, and the Secret with the token. */
function cluster(change: (objects: Objects) => void = () => {}) {
  const objects: Objects = {};
  const used: (string | undefined)[] = [];
  const tokens = createAccountTokens({
    key: () => key,
    find: (resource, namespace, name) => objects[`${resource} ${namespace}/${name}`],
    now: () => 0,
    issuers: [ISSUER],
    onSecretToken: ({ metadata }) => used.push(metadata.name),
  });
  const token = tokens.issueForSecret(SUBJECT);
  objects["serviceaccounts a/robot"] = { metadata: { name: "robot", uid: "u1" } };
  objects["secrets a/s"] = {
    metadata: { name: "s" },
    data: { token: Buffer.from(token).toString("base64") },
  };
  change(objects);
  return { tokens, token, used };
}

const secretWith = (objects: Objects, metadata: object): void => {
  objects["secrets a/s"] = { ...objects["secrets a/s"], metadata: { name: "s", ...metadata } };
};

test("a token in a Secret has upstream's claims, and no time", () => {
  const { token } = cluster();
  expect(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()).toBe(
    '{"iss":"kubernetes/serviceaccount","kubernetes.io/serviceaccount/namespace":"a","kubernetes.io/serviceaccount/secret.name":"s","kubernetes.io/serviceaccount/service-account.name":"robot","kubernetes.io/serviceaccount/service-account.uid":"u1","sub":"system:serviceaccount:a:robot"}',
  );
});

test("it authenticates the account for the server's own audience, and its use is reported", () => {
  const { tokens, token, used } = cluster();
  const groups = ["system:serviceaccounts", "system:serviceaccounts:a"];
  const user = { name: "system:serviceaccount:a:robot", uid: "u1", groups };
  expect(tokens.check(token, [])).toEqual({ user, audiences: [ISSUER] });
  expect(used).toEqual(["s"]);
  expect(tokens.check(token, ["other"])).toEqual({
    error: 'token audiences ["the-server"] is invalid for the target audiences ["other"]',
  });
});

describe("it is not valid", () => {
  const GONE = "service account token has been invalidated";
  const MARK = "kubernetes.io/legacy-token-invalid-since";
  test.each<[why: string, change: (objects: Objects) => void, error: string]>([
    ["without its Secret", (objects) => delete objects["secrets a/s"], GONE],
    [
      "once the Secret is being deleted",
      (objects) => secretWith(objects, { deletionTimestamp: "2030-01-01T00:00:00Z" }),
      GONE,
    ],
    [
      "once the Secret has another token",
      (objects) => Object.assign(objects["secrets a/s"] ?? {}, { data: { token: "eA==" } }),
      "service account token does not match server's copy",
    ],
    [
      "without its account",
      (objects) => delete objects["serviceaccounts a/robot"],
      'serviceaccounts "robot" not found',
    ],
    [
      "for another account of the name",
      (objects) => Object.assign(objects["serviceaccounts a/robot"]?.metadata ?? {}, { uid: "u2" }),
      "ServiceAccount UID (u2) does not match claim (u1)",
    ],
    [
      "once the account is being deleted",
      (objects) =>
        Object.assign(objects["serviceaccounts a/robot"]?.metadata ?? {}, { deletionTimestamp: "x" }),
      "ServiceAccount a/robot has been deleted",
    ],
    [
      "once it is marked invalid",
      (objects) => secretWith(objects, { labels: { [MARK]: "2029-01-01" } }),
      `the token in secret a/s for service account a/robot has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the '${MARK}' label from the secret to temporarily allow use of this token`,
    ],
  ])("%s", (_why, change, error) => {
    const { tokens, token } = cluster(change);
    expect(tokens.check(token, [])).toEqual({ error });
  });

  test.each([
    [{ sub: "" }, "sub claim is missing"],
    [{ "kubernetes.io/serviceaccount/secret.name": "" }, "secretName claim is missing"],
    [{ "kubernetes.io/serviceaccount/service-account.uid": "" }, "serviceAccountUID claim is missing"],
    [{ sub: "system:serviceaccount:b:robot" }, "sub claim is invalid"],
  ])("with the claims %j", (change, error) => {
    const { tokens, token } = cluster();
    const claims = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
    expect(tokens.check(createTokenKey(key).sign({ ...claims, ...change }), [])).toEqual({ error });
  });
});
