import { describe, expect, it } from "vitest";
import {
  API_AUDIENCE,
  noAuthentication,
  tokenAuthentication,
} from "../../../../src/http/authentication/authenticator.ts";

const TOKENS = new Map([
  ["secret", { name: "alice", uid: "7", groups: ["dev"] }],
  ["known", { name: "bob", groups: ["system:authenticated"] }],
  ["odd", { name: "carol", groups: ["system:unauthenticated"] }],
]);
const ALICE = { name: "alice", uid: "7", groups: ["dev", "system:authenticated"] };
const ANONYMOUS = { name: "system:anonymous", groups: ["system:unauthenticated"] };

describe("bearer tokens", () => {
  const { authenticate } = tokenAuthentication(TOKENS, true);

  it.each([
    ["a known token is its user, who is authenticated", "Bearer secret", ALICE],
    ["the scheme may be written in any case", "bEARER secret", ALICE],
    ["spaces around the header do not matter", "  Bearer secret  ", ALICE],
    ["what follows the token does not matter", "Bearer secret more", ALICE],
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
    expect(tokenAuthentication(TOKENS, false).authenticate({})).toBeUndefined();
  });
});

it("without credentials everybody is the administrator, and no token is known", () => {
  const user = { name: "system:admin", groups: ["system:masters", "system:authenticated"] };
  expect(noAuthentication.authenticate({ authorization: "Bearer any" })).toEqual(user);
  expect(noAuthentication.reviewToken("any", [])).toEqual({});
});

describe("the review of a token", () => {
  const { reviewToken } = tokenAuthentication(TOKENS, true);

  it.each([
    ["is good for the server when no audience is named", "secret", [], true],
    ["is good for the server among others", "secret", ["other", API_AUDIENCE], true],
    ["is not good for others", "secret", ["other"], false],
    ["does not know a wrong one", "wrong", [], false],
  ])("%s", (_rule, token, audiences, known) => {
    const verdict = known ? { user: ALICE, audiences: [API_AUDIENCE] } : { error: "invalid bearer token" };
    expect(reviewToken(token, audiences)).toEqual(verdict);
  });
});
