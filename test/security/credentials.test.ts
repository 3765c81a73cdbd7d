// Wrong, expired and missing credentials: the server rejects all writes, and all reads except of public paths.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { Besieged, CONFIG_MAPS, configMap } from "./besieged.ts";

let server: Besieged;
beforeAll(async () => {
  server = await Besieged.start();
});
afterAll(() => server?.[Symbol.asyncDispose]());
const ask: Besieged["ask"] = (...question) => server.ask(...question);

describe("credentials", () => {
  const account = "/api/v1/namespaces/a/serviceaccounts/robot";
  const tokenFor = async (seconds: number) => {
    await ask("POST", "/api/v1/namespaces/a/serviceaccounts", {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name: "robot" },
    });
    const request = {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: { expirationSeconds: seconds },
    };
    return String((await ask("POST", `${account}/token`, request)).body.status.token);
  };
  afterEach(() => {
    server.aheadMs = 0;
  });

  test.each([
    ["a wrong token", "wrong", 401],
    ["a token with something behind it", "rootx", 401],
    ["no token", "", 403],
    ["the viewer's", "see", 403],
  ])("with %s nothing is written", async (_what, token, status) => {
    for (const [method, path] of [
      ["POST", CONFIG_MAPS],
      ["PUT", `${CONFIG_MAPS}/c`],
      ["PATCH", `${CONFIG_MAPS}/c`],
      ["DELETE", `${CONFIG_MAPS}/c`],
      ["DELETE", CONFIG_MAPS],
      ["POST", "/api/v1/namespaces/a/secrets"],
      ["POST", `${account}/token`],
    ] as const) {
      const answer = await ask(method, path, configMap("c"), { token });
      expect(`${method} ${path} ${answer.status}`).toBe(`${method} ${path} ${status}`);
    }
    expect((await ask("GET", `${CONFIG_MAPS}/c`)).status).toBe(404);
  });

  test("a ServiceAccount's token is good until its time is over", async () => {
    const token = await tokenFor(600);
    const status = async () => (await ask("GET", CONFIG_MAPS, undefined, { token })).status;
    expect(await status()).toBe(403);
    server.aheadMs = 12 * 60_000;
    expect(await status()).toBe(401);
    const review = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token } };
    const { body } = await ask("POST", "/apis/authentication.k8s.io/v1/tokenreviews", review);
    expect(body.status).toEqual({
      user: {},
      error: "[invalid bearer token, service account token has expired]",
    });
  });

  test.each([2 ** 53, 2 ** 60, Number.MAX_SAFE_INTEGER])(
    "nor can it be asked for %d seconds",
    async (seconds) => {
      await tokenFor(600);
      const spec = { expirationSeconds: seconds };
      const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec };
      const { status, body } = await ask("POST", `${account}/token`, request);
      expect([status, body.reason]).toEqual([422, "Invalid"]);
      expect(body.message).toContain("may not specify a duration larger than 2^32 seconds");
    },
  );

  test("and no longer than the account lives, though another gets its name", async () => {
    const token = await tokenFor(3600);
    await ask("DELETE", account);
    expect((await ask("GET", CONFIG_MAPS, undefined, { token })).status).toBe(401);
    await tokenFor(3600);
    expect((await ask("GET", CONFIG_MAPS, undefined, { token })).status).toBe(401);
  });

  test("a token is not good with another payload", async () => {
    const [head, , signature] = (await tokenFor(3600)).split(".");
    const payload = Buffer.from(JSON.stringify({ sub: "system:admin", groups: ["system:masters"] }));
    const token = `${head}.${payload.toString("base64url")}.${signature}`;
    expect((await ask("GET", CONFIG_MAPS, undefined, { token })).status).toBe(401);
  });
});
