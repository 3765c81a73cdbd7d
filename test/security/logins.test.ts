// Logins for the web UI: neither many sessions of one user nor many failures from one address keep other users out.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type BuiltServer, startBuiltServer, type Token } from "./built-server.ts";

const UI = "/egret/v1/ui";

let server: BuiltServer;
beforeAll(async () => {
  server = await startBuiltServer();
});
afterAll(() => server?.[Symbol.asyncDispose]());

const login = (token: Token, body: object = {}) => server.send("POST", `${UI}/login`, body, { token });

async function cookieOf(token: Token): Promise<string> {
  const { status, headers } = await login(token);
  expect(status).toBe(204);
  return headers.get("set-cookie")?.split(";")[0] ?? "";
}

async function userOf(cookie: string): Promise<string> {
  const headers = { cookie, "sec-fetch-site": "same-origin" };
  const { text } = await server.send("GET", `${UI}/session`, undefined, { token: "", headers });
  return JSON.parse(text).user;
}

test("a user with very many sessions loses the oldest of them, and others keep theirs", async () => {
  const admin = await cookieOf("root");
  const first = await cookieOf("low");
  for (let index = 0; index < 1100; index += 50)
    await Promise.all(Array.from({ length: 50 }, () => login("low")));
  const last = await cookieOf("low");
  expect([await userOf(admin), await userOf(first), await userOf(last)]).toEqual([
    ...["admin", "system:anonymous", "attacker"],
  ]);
});

test("a user with very many links does not use up those of others", async () => {
  const link = async (token: Token) => {
    const { text } = await server.send("POST", `${UI}/link`, {}, { token });
    return { code: new URL(JSON.parse(text).url).hash.replace("#code=", "") };
  };
  const admin = await link("root");
  for (let index = 0; index < 200; index++) await link("low");
  expect((await login("", admin)).status).toBe(204);
});

test("failures are refused after five in a minute, and valid credentials never are", async () => {
  const { text } = await server.send("POST", `${UI}/link`, {}, { token: "low" });
  const code = new URL(JSON.parse(text).url).hash.replace("#code=", "");
  const statuses: number[] = [];
  for (let index = 0; index < 8; index++) statuses.push((await login("", { code: "wrong" })).status);
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
  const refused = await login("");
  expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([429, true]);
  expect((await login("low")).status).toBe(204);
  expect((await login("", { code })).status).toBe(204);
});

test("what follows a token in its header is no part of the session", async () => {
  const headers = { authorization: `Bearer low ${"x".repeat(500_000)}` };
  for (let index = 0; index < 60; index++) {
    expect((await server.send("POST", `${UI}/login`, {}, { token: "", headers })).status).toBe(204);
  }
  const long = { authorization: `Bearer ${"x".repeat(500_000)}` };
  expect([401, 429]).toContain(
    (await server.send("POST", `${UI}/login`, {}, { token: "", headers: long })).status,
  );
});
