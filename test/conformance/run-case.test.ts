// The runner with a fake server: the requests that a case sends, and its evaluation of the answers.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ConformanceCase, Step } from "./runner/case-file.ts";
import { compareCase } from "./runner/compare.ts";
import { type FakeServer, startFakeServer } from "./runner/fake-server.ts";
import { runCase } from "./runner/run-case.ts";
import { Target } from "./runner/target.ts";

let server: FakeServer;
let target: Target;

beforeEach(async () => {
  server = await startFakeServer();
  target = new Target(server.url, "secret");
});

afterEach(async () => {
  target.close();
  await server[Symbol.asyncDispose]();
});

const caseOf = (...steps: Step[]): ConformanceCase => ({ name: "a case", namespace: true, steps });
const path = "/api/v1/namespaces/{{ns}}/configmaps";
const json = { "content-type": "application/json" };
const create = (name: string): Step => ({
  do: { method: "POST", path, body: { metadata: { name } } },
  only: "status",
  expect: { status: 201 },
});
const differencesOf = async (testCase: ConformanceCase) =>
  compareCase(testCase, await runCase(testCase, target)).differences;

test("a case writes, reads, keeps values for later steps and is equal to its recording", async () => {
  const testCase = caseOf(
    {
      do: { method: "POST", path, body: { metadata: { name: "one-{{id}}" } } },
      as: "one",
      expect: {
        status: 201,
        headers: json,
        body: {
          metadata: {
            name: "one-<id>",
            uid: "<uid:1>",
            creationTimestamp: "<now>",
            resourceVersion: "<rv:1>",
          },
        },
      },
    },
    {
      do: { method: "PATCH", path: `${path}/{{one.metadata.name}}`, body: { data: "{{one.metadata.uid}}" } },
      pick: ["data", "metadata.resourceVersion"],
      expect: {
        status: 200,
        headers: json,
        body: { data: ["<uid:1>"], "metadata.resourceVersion": ["<rv:2>"] },
      },
    },
    {
      do: { path: "/plain" },
      expect: { status: 200, headers: { "content-type": "text/plain" }, text: "ok" },
    },
    {
      do: { path: "/plain" },
      only: "headers",
      expect: { status: 200, headers: { "content-type": "text/plain" } },
    },
    { do: { path: "/plain" }, only: "nothing", expect: {} },
  );
  expect(await differencesOf(testCase)).toEqual([]);
});

test("a watch gathers events until they are collected", async () => {
  const testCase = caseOf(
    { watch: { id: "w", path: `${path}?watch=1` }, expect: { status: 200, headers: json } },
    create("a"),
    create("b"),
    {
      collect: { id: "w", count: 2, ms: 2_000 },
      pick: ["type", "object.metadata.name"],
      expect: {
        events: [
          { type: ["ADDED"], "object.metadata.name": ["a"] },
          { type: ["ADDED"], "object.metadata.name": ["b"] },
        ],
      },
    },
    { collect: { id: "w", count: 1, ms: 1 }, expect: { events: [] } },
    { collect: { id: "w", count: 1, ms: 1, until: "end" }, expect: { events: [], ended: false } },
  );
  expect(await differencesOf(testCase)).toEqual([]);
});

test("eventually repeats a request until its value settles, and gives the last answer when it does not", async () => {
  const phase = (value: string, name: string): Step => ({
    do: { path: `${path}/${name}` },
    eventually: 150,
    settle: { path: "phase", is: [value] },
    pick: ["phase"],
    expect: { status: 200, headers: json, body: { phase: [value] } },
  });
  const patched: Step = {
    do: { method: "PATCH", path: `${path}/a`, body: { phase: "Ready" } },
    only: "nothing",
  };
  expect(await differencesOf(caseOf(create("a"), patched, phase("Ready", "a")))).toEqual([]);
  const [difference] = await differencesOf(caseOf(create("a"), phase("Ready", "a")));
  expect(difference?.lines).toEqual([
    expect.stringContaining('.body.phase.0: expected "Ready", got nothing'),
  ]);
  expect(
    server.seen.filter(({ method, path }) => method === "GET" && path.endsWith("/a")).length,
  ).toBeGreaterThan(2);
});

test("a generated name is compared without its random end", async () => {
  const testCase = caseOf({
    do: { method: "POST", path, body: { metadata: { generateName: "web-" } } },
    generated: true,
    pick: ["metadata.name"],
    expect: { status: 201, headers: json, body: { "metadata.name": ["web-<generated:1>"] } },
  });
  expect(await differencesOf(testCase)).toEqual([]);
});

test("a case deletes what it made, in reverse, and frees it of finalizers first", async () => {
  await runCase(caseOf(create("a"), create("b")), target);
  expect(server.paths()).toEqual([]);
  const ends = server.seen
    .slice(-6)
    .map(({ method, path }) => `${method} ${path.replace(/.*\/(?=[^/]+$)/, "").replace(/^conf-.*/, "ns")}`);
  expect(ends).toEqual(["PATCH b", "DELETE b", "PATCH a", "DELETE a", "PATCH ns", "DELETE ns"]);
});

test("a step that needs an unknown value ends the case and still cleans up", async () => {
  const run = await runCase(caseOf(create("a"), { do: { path: "/{{nobody}}" } }, create("c")), target);
  expect(run.answers).toHaveLength(1);
  expect(run.brokenOff).toContain("nobody");
  expect(server.paths()).toEqual([]);
});

describe("headers that are sent", () => {
  const sent = async (call: Step["do"]) => {
    await target.send(call ?? { path: "/" });
    return server.seen.at(-1)?.headers ?? {};
  };

  test("are accept, the token and the name of the program", async () => {
    expect(await sent({ path: "/plain" })).toMatchObject({
      accept: "application/json",
      authorization: "Bearer secret",
      "user-agent": "conformance/1.0",
    });
  });

  test("name JSON for a body, unless the case says otherwise", async () => {
    expect((await sent({ method: "POST", path: "/plain", body: {} }))["content-type"]).toBe(
      "application/json",
    );
    const headers = { "content-type": "application/yaml" };
    expect((await sent({ method: "POST", path: "/plain", text: "a: 1", headers }))["content-type"]).toBe(
      "application/yaml",
    );
  });

  test("leave out what the case gives as empty", async () => {
    const headers = { authorization: "", "content-type": "" };
    const got = await sent({ method: "POST", path: "/plain", body: {}, headers });
    expect(got).not.toHaveProperty("authorization");
    expect(got).not.toHaveProperty("content-type");
  });
});
