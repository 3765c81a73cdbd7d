import { describe, expect, test } from "vitest";
import { type HealthCheck, handleHealth } from "../../../../src/apiserver/endpoints/health.ts";
import { request } from "./support.ts";

const checks = (problem?: string): HealthCheck[] => [
  { name: "ping", check: () => undefined },
  { name: "etcd", check: () => problem },
  { name: "started", of: ["readyz"], check: () => undefined },
];

function ask(url: string, problem?: string): { status: number; text: string } | undefined {
  const answer = handleHealth(checks(problem), request("GET", url, {}));
  if (answer === undefined) return undefined;
  return { status: answer.status, text: Buffer.from(answer.body as Uint8Array).toString() }; // health never streams
}

describe("while all is well", () => {
  test.each(["/healthz", "/livez", "/readyz", "/livez/ping", "/readyz/started"])("%s is ok", (url) => {
    expect(ask(url)).toEqual({ status: 200, text: "ok" });
  });

  test("verbose names each check of the endpoint", () => {
    expect(ask("/livez?verbose")?.text).toBe("[+]ping ok\n[+]etcd ok\nlivez check passed\n");
    expect(ask("/readyz?verbose=true")?.text).toBe(
      "[+]ping ok\n[+]etcd ok\n[+]started ok\nreadyz check passed\n",
    );
  });

  test.each(["/healthz/", "/livez/ping/", "/livez/started", "/healthz/nothing", "/health", "/healthzz"])(
    "%s is not known",
    (url) => {
      expect(ask(url)).toBeUndefined();
    },
  );
});

describe("while a check fails", () => {
  test("the endpoint answers 500 with all checks, and so does the check alone", () => {
    expect(ask("/livez", "gone")).toEqual({
      status: 500,
      text: "[+]ping ok\n[-]etcd failed: gone\nlivez check failed\n",
    });
    expect(ask("/livez/etcd", "gone")).toEqual({ status: 500, text: "internal server error: gone\n" });
    expect(ask("/livez/ping", "gone")).toEqual({ status: 200, text: "ok" });
  });

  test("a check can be left out", () => {
    expect(ask("/livez?exclude=etcd", "gone")).toEqual({ status: 200, text: "ok" });
    expect(ask("/livez?exclude=etcd&exclude=ping&verbose", "gone")?.text).toBe(
      "[+]ping excluded: ok\n[+]etcd excluded: ok\nlivez check passed\n",
    );
  });
});
