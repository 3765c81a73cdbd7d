// Lifetime of session cookies and links, by a clock that the test sets.
import { beforeEach, expect, test } from "vitest";
import { systemClock } from "../../../../src/apimachinery/meta/clock.ts";
import { Secrets } from "../../../../src/apiserver/authentication/secrets.ts";
import { Sessions } from "../../../../src/apiserver/authentication/sessions.ts";
import type { ApiRequest } from "../../../../src/apiserver/endpoints/api-request.ts";
import { askedFor } from "../../../support/asked-for.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const ALICE = { name: "alice", groups: ["system:authenticated"] };

let nowMs: number;
let revoked: boolean;
let sessions: Sessions;
const clock = { ...systemClock, now: () => nowMs };
beforeEach(() => {
  nowMs = 1_000_000;
  revoked = false;
  sessions = new Sessions({
    authenticate: ({ authorization }) => (authorization === "Bearer a" && !revoked ? ALICE : undefined),
    ...{ encrypted: false, port: () => 8080, clock },
  });
});

const request: ApiRequest = {
  ...askedFor("POST", "/egret/v1/ui/login"),
  ...{ headers: { authorization: "Bearer a" }, body: undefined, user: ALICE },
};
const whoIs = (setCookie = "") => {
  const [cookie] = setCookie.split(";");
  return sessions.authenticate({ cookie: `other=1; ${cookie}`, host: "a:1", origin: "http://a:1" });
};

test("without TLS the cookie has a name of its own, and may be sent as it is", () => {
  expect(sessions.open(request)).toMatch(
    /^egret-8080=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
  );
});

test("a session lasts as long as it is used, for two hours between and half a day in all", () => {
  const cookie = sessions.open(request);
  for (let hours = 0; hours < 11; hours++) {
    nowMs += HOUR_MS;
    expect(whoIs(cookie)).toBe(ALICE);
  }
  nowMs += HOUR_MS;
  expect(whoIs(cookie)).toBeUndefined();
});

test("a session that nobody uses ends", () => {
  const cookie = sessions.open(request);
  nowMs += 2 * HOUR_MS - 1;
  expect(whoIs(cookie)).toBe(ALICE);
  nowMs += 2 * HOUR_MS;
  expect(whoIs(cookie)).toBeUndefined();
  nowMs -= 2 * HOUR_MS;
  expect(whoIs(cookie)).toBeUndefined(); // for good
});

test("a session is no longer good when its token is not", () => {
  const cookie = sessions.open(request);
  const code = sessions.makeCode(request) ?? "";
  revoked = true;
  expect(whoIs(cookie)).toBeUndefined();
  expect(sessions.openByCode(code)).toBeUndefined();
});

test("a link is good for two minutes", () => {
  const [first = "", second = ""] = [sessions.makeCode(request), sessions.makeCode(request)];
  nowMs += 2 * MINUTE_MS - 1;
  expect(whoIs(sessions.openByCode(first))).toBe(ALICE);
  nowMs += 1;
  expect(sessions.openByCode(second)).toBeUndefined();
});

test("of too many secrets the oldest is forgotten", () => {
  const secrets = new Secrets<number>(clock, { lifeMs: 1, max: 2, maxOfOwner: 2 });
  const given = [1, 2, 3].map((value) => secrets.issue("a", () => value));
  expect(new Set(given).size).toBe(3);
  expect(given.map((secret) => secrets.find(secret))).toEqual([undefined, 2, 3]);
});

test("an owner with too many secrets loses the oldest, of too many in all the owner with the most does", () => {
  const evicted: number[] = [];
  const limits = { lifeMs: 1, max: 5, maxOfOwner: 3 };
  const secrets = new Secrets<number>(clock, limits, (value) => void evicted.push(value));
  const issue = (owner: string, value: number) => secrets.issue(owner, () => value);
  const given = [issue("b", 1), issue("a", 2), issue("a", 3), issue("a", 4), issue("a", 5), issue("c", 6)];
  expect(evicted).toEqual([2]);
  issue("d", 7);
  expect(evicted).toEqual([2, 3]);
  expect(given.map((secret) => secrets.find(secret))).toEqual([1, undefined, undefined, 4, 5, 6]);
});
