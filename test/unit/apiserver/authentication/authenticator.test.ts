import { describe, expect, it } from "vitest";
import type { AccountTokens } from "../../../../src/apiserver/authentication/account-tokens.ts";
import {
  openAuthentication,
  tokenAuthentication,
} from "../../../../src/apiserver/authentication/authenticator.ts";

const TOKENS = new Map([
  ["secret", { name: "alice", uid: "7", groups: ["dev"] }],
  ["known", { name: "bob", groups: ["system:authenticated"] }],
  ["odd", { name: "carol", groups: ["system:unauthenticated"] }],
]);
const ALICE = { name: "alice", uid: "7", groups: ["dev", "system:authenticated"] };
const ANONYMOUS = { name: "system:anonymous", groups: ["system:unauthenticated"] };
const ROBOT = { name: "system:serviceaccount:a:robot", groups: ["system:serviceaccounts"] };
const KNOWN_ROBOT = { ...ROBOT, groups: [...ROBOT.groups, "system:authenticated"] };
const audience = "the-server";

/** Knows one token that holds, and one that does not any more. */
const accounts: AccountTokens = {
  issue: () => "",
  issueForSecret: () => "",
  publicJwks: () => [],
  check: (token, audiences) =>
    token === "robot"
      ? { user: ROBOT, audiences: audiences.length > 0 ? audiences : [audience] }
      : token === "old"
        ? { error: "it is old" }
        : undefined,
};
const withTokens = (anonymous: boolean) =>
  tokenAuthentication({ tokens: TOKENS, accounts, anonymous, audiences: [audience] });

describe("bearer tokens", () => {
  const { authenticate } = withTokens(true);

  it.each([
    ["a known token is its user, who is authenticated", "Bearer secret", ALICE],
    ["the scheme may be written in any case", "bEARER secret", ALICE],
    ["spaces around the header do not matter", "  Bearer secret  ", ALICE],
    ["what follows the token does not matter", "Bearer secret more", ALICE],
    ["a ServiceAccount's token is the ServiceAccount", "Bearer robot", KNOWN_ROBOT],
    ["a ServiceAccount's token that does not hold any more is refused", "Bearer old", undefined],
    ["a wrong token is refused", "Bearer wrong", undefined],
    ["the name of a member of objects is a wrong token", "Bearer __proto__", undefined],
    ["no header is the anonymous user", undefined, ANONYMOUS],
    ["an empty header is the anonymous user", "", ANONYMOUS],
    ["no token is the anonymous user", "Bearer", ANONYMOUS],
    ["two spaces leave no token", "Bearer  secret", ANONYMOUS],
    ["another scheme is the anonymous user", "Basic c2VjcmV0", ANONYMOUS],
  ])("%s", (_rule, authorization, user) => {
    expect(authenticate({ authorization })).toEqual(user);
  });

  it("one of the two standing groups in the file is enough", () => {
    expect(authenticate({ authorization: "Bearer known" })?.groups).toEqual(["system:authenticated"]);
    expect(authenticate({ authorization: "Bearer odd" })?.groups).toEqual(["system:unauthenticated"]);
  });

  it("where nobody may be anonymous, no token is refused", () => {
    expect(withTokens(false).authenticate({})).toBeUndefined();
  });
});

describe("without credentials", () => {
  const { authenticate, reviewToken } = openAuthentication(accounts, () => {});
  const ADMIN = { name: "system:admin", groups: ["system:masters", "system:authenticated"] };

  it.each([
    ["who shows nothing is the administrator", undefined, ADMIN],
    ["so is who shows what nobody knows", "Bearer any", ADMIN],
    ["a ServiceAccount is taken for what it is", "Bearer robot", KNOWN_ROBOT],
    ["its token must hold", "Bearer old", undefined],
  ])("%s", (_rule, authorization, user) => {
    expect(authenticate({ authorization })).toEqual(user);
  });

  it("the first token that nobody knows is told of, and no other", () => {
    const warnings: string[] = [];
    const open = openAuthentication(accounts, (text) => void warnings.push(text));
    for (const token of ["robot", "old"]) open.authenticate({ authorization: `Bearer ${token}` });
    open.authenticate({});
    expect(warnings).toEqual([]);
    for (const token of ["any", "other"]) open.authenticate({ authorization: `Bearer ${token}` });
    expect(warnings).toEqual([expect.stringContaining("was not looked at")]);
  });

  it("only tokens of ServiceAccounts are known", () => {
    expect(reviewToken("any", [])).toEqual({ error: "invalid bearer token" });
    expect(reviewToken("robot", [])).toEqual({ user: KNOWN_ROBOT, audiences: [audience] });
  });
});

describe("the review of a token", () => {
  const { reviewToken } = withTokens(true);
  const alice = { user: ALICE, audiences: [audience] };
  const wrong = { error: "invalid bearer token" };

  it.each([
    ["is good for the server when no audience is named", "secret", [], alice],
    ["is good for the server among others", "secret", ["other", audience], alice],
    ["is not good for others", "secret", ["other"], wrong],
    ["does not know a wrong one", "wrong", [], wrong],
    ["asks the ServiceAccounts too", "robot", ["x"], { user: KNOWN_ROBOT, audiences: ["x"] }],
    ["says what is wrong with theirs", "old", [], { error: "[invalid bearer token, it is old]" }],
  ])("%s", (_rule, token, audiences, verdict) => {
    expect(reviewToken(token, audiences)).toEqual(verdict);
  });
});
