// Sessions outlive a process in a file from which a reader gains no session.
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../../../src/apimachinery/meta/clock.ts";
import { FailedLogins } from "../../../../src/apiserver/authentication/failed-logins.ts";
import { seal, sessionFileAt, unseal } from "../../../../src/apiserver/authentication/session-file.ts";
import { Sessions } from "../../../../src/apiserver/authentication/sessions.ts";
import type { ApiRequest } from "../../../../src/apiserver/endpoints/api-request.ts";
import { askedFor } from "../../../support/asked-for.ts";

const MINUTE_MS = 60_000;
const ALICE = { name: "alice", groups: ["system:authenticated"] };
const BOB = { name: "bob", groups: ["system:authenticated"] };

let folder: string;
let path: string;
let nowMs: number;
let revoked: boolean;
const clock = { ...systemClock, now: () => nowMs };
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-sessions-"));
  path = join(folder, "pki", "page-sessions.json");
  nowMs = 1_000_000;
  revoked = false;
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** As a process that begins has them. */
const begun = () =>
  new Sessions({
    authenticate: ({ authorization }) => (authorization === "Bearer a" && !revoked ? ALICE : undefined),
    ...{ encrypted: false, port: () => 8080, clock, file: sessionFileAt(path) },
  });
const request = (headers: ApiRequest["headers"]): ApiRequest => ({
  ...askedFor("POST", "/egret/v1/ui/login"),
  ...{ headers, body: undefined, user: BOB },
});
const byToken = request({ authorization: "Bearer a" });
const headersOf = (setCookie = "") => ({
  ...{ cookie: setCookie.split(";")[0] ?? "", host: "a:1", origin: "http://a:1" },
});
const whoIs = (sessions: Sessions, setCookie?: string) => sessions.authenticate(headersOf(setCookie));

test("a session goes on in the next process, with its credentials looked at anew", () => {
  const cookie = begun().open(byToken);
  const next = begun();
  expect(whoIs(next, cookie)).toBe(ALICE);
  revoked = true;
  expect(whoIs(next, cookie)).toBeUndefined();
  expect(whoIs(begun(), cookie)).toBeUndefined();
});

test("a session of a certificate is its holder's", () => {
  const cookie = begun().open(request({}));
  expect(whoIs(begun(), cookie)).toEqual(BOB);
});

test("a session that was ended, or is too old, does not come back", () => {
  const first = begun();
  const [ended, idle] = [first.open(byToken), first.open(byToken)];
  first.close(request(headersOf(ended)));
  expect(whoIs(begun(), ended)).toBeUndefined();
  nowMs += 119 * MINUTE_MS;
  expect(whoIs(begun(), idle)).toBe(ALICE);
  nowMs += 119 * MINUTE_MS; // its use was kept, too
  expect(whoIs(begun(), idle)).toBe(ALICE);
  nowMs += 120 * MINUTE_MS;
  expect(whoIs(begun(), idle)).toBeUndefined();
  const late = begun();
  const cookie = late.open(byToken);
  nowMs += 12 * 60 * MINUTE_MS;
  expect(whoIs(begun(), cookie)).toBeUndefined();
});

test("the file is its owner's, and holds neither secrets nor tokens", async () => {
  const cookie = begun().open(byToken) ?? "";
  const secret = /=([\w-]+)/.exec(cookie)?.[1] ?? "";
  const text = await readFile(path, "utf8");
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  for (const hidden of [secret, "Bearer", Buffer.from("Bearer a").toString("base64"), "alice"])
    expect(text).not.toContain(hidden);
});

test("what somebody has changed in the file is no session, and what is no file does no harm", async () => {
  const cookie = begun().open(byToken);
  const kept = JSON.parse(await readFile(path, "utf8"));
  const sealed = Buffer.from(kept.sessions[0].sealed, "base64");
  sealed[sealed.length - 1] = (sealed.at(-1) ?? 0) ^ 1;
  kept.sessions[0].sealed = sealed.toString("base64");
  await writeFile(path, JSON.stringify(kept));
  expect(whoIs(begun(), cookie)).toBeUndefined();
  for (const odd of ["", "{", "[]", '{"sessions":[1,{}]}', '{"sessions":{}}']) {
    await writeFile(path, odd);
    expect(() => begun(), odd).not.toThrow();
  }
  expect(unseal("", "secret")).toBeUndefined();
  expect(unseal(seal({ authorization: "x" }, "one"), "another")).toBeUndefined();
});

test("a folder that cannot be written costs nothing while the process lives", async () => {
  await writeFile(join(folder, "pki"), "a file");
  const sessions = begun();
  expect(whoIs(sessions, sessions.open(byToken))).toBe(ALICE);
});

test("five failures in a minute from one address have to be waited for", () => {
  const failures = new FailedLogins(clock);
  for (let tries = 0; tries < 5; tries++) {
    expect(failures.waitOf("a")).toBe(0);
    failures.failed("a");
    nowMs += 1000;
  }
  expect(failures.waitOf("a")).toBe(55);
  expect(failures.waitOf("b")).toBe(0);
  nowMs += 55_000;
  expect(failures.waitOf("a")).toBe(0);
  failures.failed("a");
  expect(failures.waitOf("a")).toBe(1); // the first of the last five is a minute old then
});

test("of too many addresses the one that failed longest ago is forgotten", () => {
  const failures = new FailedLogins(clock);
  for (let tries = 0; tries < 5; tries++) failures.failed("first");
  for (let address = 0; address < 9_999; address++) failures.failed(`other ${address}`);
  expect(failures.waitOf("first")).toBe(60);
  failures.failed("one more");
  expect(failures.waitOf("first")).toBe(0);
});
