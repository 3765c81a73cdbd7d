import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { createRequestHeaderAuthenticator } from "../../../../src/apiserver/authentication/request-header.ts";
import { makeCertificate } from "../../../support/certificates.ts";

const ca = makeCertificate({ subject: "ca", ca: true });
const proxy = makeCertificate({ subject: "proxy", issuer: ca });
const NAMES = {
  usernameHeaders: ["X-Remote-User"],
  uidHeaders: ["X-Remote-Uid"],
  groupHeaders: ["X-Remote-Group"],
};
const OPTIONS = { ca: ca.pem, allowedNames: [], ...NAMES, extraPrefixes: ["X-Remote-Extra-"] };

const connection = (leaf?: { readonly der: Buffer }) =>
  ({ getPeerCertificate: () => (leaf === undefined ? {} : { raw: leaf.der }) }) as unknown as Socket; // no more is used
const userOf = (
  rawHeaders: readonly string[],
  leaf: { readonly der: Buffer } | undefined = proxy,
  more = {},
) => createRequestHeaderAuthenticator({ ...OPTIONS, ...more })(connection(leaf), rawHeaders);

test.each<[string, readonly string[], object | undefined]>([
  ["no header", ["accept", "*/*"], undefined],
  ["an empty name", ["X-Remote-User", ""], undefined],
  ["groups without a name", ["X-Remote-Group", "a"], undefined],
  ["a name in any case of letters", ["x-REMOTE-user", "alice"], { name: "alice", groups: [] }],
  ["two names", ["X-Remote-User", "alice", "X-Remote-User", "bob"], { name: "alice", groups: [] }],
  [
    "groups, a uid and extra values",
    [
      "X-Remote-User",
      "a",
      "X-Remote-Group",
      "b, c",
      "X-Remote-Group",
      "d",
      "X-Remote-Uid",
      "7",
      "X-Remote-Extra-K%2f",
      "v",
    ],
    { name: "a", uid: "7", groups: ["b, c", "d"], extra: { "k/": ["v"] } },
  ],
  [
    "a key that is not escaped well",
    ["X-Remote-User", "a", "X-Remote-Extra-%zz", "v"],
    { name: "a", groups: [], extra: { "%zz": ["v"] } },
  ],
])("%s", (_what, headers, user) => {
  expect(userOf(headers)).toEqual(user);
});

test("only a certificate of the CA with an allowed name counts", () => {
  const headers = ["X-Remote-User", "alice"];
  expect(createRequestHeaderAuthenticator(OPTIONS)(connection(), headers)).toBeUndefined();
  expect(userOf(headers, makeCertificate({ subject: "proxy" }))).toBe("refused");
  expect(userOf(headers, proxy, { allowedNames: ["other"] })).toBe("refused");
  expect(userOf(headers, proxy, { allowedNames: ["other", "proxy"] })).toMatchObject({ name: "alice" });
});
