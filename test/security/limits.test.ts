// Requests beyond limits: the server rejects them or handles them in bounded time, and keeps working.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Besieged, CONFIG_MAPS, configMap } from "./besieged.ts";

const BODY_BYTES_MAX = 3 * 1024 * 1024;

let server: Besieged;
beforeAll(async () => {
  server = await Besieged.start();
});
afterAll(() => server?.[Symbol.asyncDispose]());
const ask: Besieged["ask"] = (...question) => server.ask(...question);

describe("too much of it", () => {
  const deep = (open: string, close: string, count: number) => open.repeat(count) + close.repeat(count);
  const keys = (count: number) =>
    `{${Array.from({ length: count }, (_, index) => `"k${index}":"v"`).join(",")}}`;

  test.each([
    ["said beforehand", (size: number) => "x".repeat(size)],
    ["in bytes", (size: number) => new Uint8Array(size)],
  ])("a body of more than 3 MiB, %s", async (_how, body) => {
    const { status, body: answer } = await ask("POST", CONFIG_MAPS, body(BODY_BYTES_MAX + 1));
    expect(status).toBe(413);
    expect(answer).toMatchObject({ kind: "Status", reason: "RequestEntityTooLarge", code: 413 });
    expect((await ask("POST", CONFIG_MAPS, body(BODY_BYTES_MAX))).status).toBe(400);
  });

  test.each(
    [
      ["arrays without an end", "[".repeat(1_000_000)],
      ["arrays", deep("[", "]", 500_000)],
      ["objects", `${'{"a":'.repeat(300_000)}1${"}".repeat(300_000)}`],
    ].flatMap(([what = "", text = ""]) =>
      (
        [
          ["POST", "application/json", (value: string) => value],
          ["POST", "application/json", (value: string) => configMap("deep", value)],
          ["POST", "application/yaml", (value: string) => value],
          ["PATCH", "application/merge-patch+json", (value: string) => `{"metadata":{"labels":${value}}}`],
          ["PATCH", "application/strategic-merge-patch+json", (value: string) => `{"data":${value}}`],
          [
            "PATCH",
            "application/json-patch+json",
            (value: string) => `[{"op":"add","path":"/data","value":${value}}]`,
          ],
          ["PATCH", "application/apply-patch+yaml", (value: string) => configMap("patched", value)],
        ] as const
      ).map(([method, type, place]) => [what, method, type, place(text)] as const),
    ),
  )("very deep %s in a %s of %s", async (_what, method, type, text) => {
    const path = method === "POST" ? CONFIG_MAPS : `${CONFIG_MAPS}/patched?fieldManager=m`;
    await ask("POST", CONFIG_MAPS, configMap("patched")); // a patch of a missing object returns 404
    expect((await ask(method, path, text, { type })).status).toBe(400);
    await server.expectWell();
  });

  test.each([
    [
      "unknown members",
      "POST",
      "application/json",
      `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"k1"},${keys(150_000).slice(1)}`,
    ],
    [
      "the same member again and again",
      "POST",
      "application/json",
      configMap("k2", `{${'"a":"b",'.repeat(250_000)}"a":"c"}`),
    ],
    ["a strange list", "POST", "application/json", `[${"{},".repeat(1_000_000)}{}]`],
    [
      "a member of YAML again and again",
      "POST",
      "application/yaml",
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: k3}\ndata:\n${"  a: b\n".repeat(100_000)}`,
    ],
    ["annotations", "PATCH", "application/merge-patch+json", `{"metadata":{"annotations":${keys(150_000)}}}`],
  ])("a great many keys: %s", { timeout: 60_000 }, async (_what, method, type, text) => {
    await ask("POST", CONFIG_MAPS, configMap("many"));
    const { status } = await ask(method, method === "POST" ? CONFIG_MAPS : `${CONFIG_MAPS}/many`, text, {
      type,
    });
    expect([200, 201, 400, 422]).toContain(status);
    await server.expectWell();
  });

  test("a few lines of YAML that mean a billion items", async () => {
    const lines = [..."abcdefghij"].map((name, index, all) => {
      const before = index === 0 ? "x" : `*${all[index - 1]}`;
      return `${name}: &${name} [${Array(9).fill(before).join(",")}]`;
    });
    const type = "application/apply-patch+yaml";
    const answer = await ask("PATCH", `${CONFIG_MAPS}/bomb?fieldManager=m`, lines.join("\n"), { type });
    expect(answer.body.message).toContain("excessive aliasing");
  });

  test("a JSON patch that doubles what it copies", async () => {
    await ask("POST", CONFIG_MAPS, configMap("doubled"));
    const copies = Array.from({ length: 60 }, (_, index) => ({
      op: "copy",
      from: "/data",
      path: `/data/c${index}`,
    }));
    const patch = [{ op: "add", path: "/data", value: { a: "x".repeat(1000) } }, ...copies];
    const type = "application/json-patch+json";
    expect((await ask("PATCH", `${CONFIG_MAPS}/doubled`, patch, { type })).status).toBe(422);
  });

  test("a pattern that would take for ever", async () => {
    const schema = { type: "object", properties: { text: { type: "string", pattern: "^(a+)+$" } } };
    const crd = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "slows.example.com" },
      spec: {
        group: "example.com",
        scope: "Cluster",
        names: { plural: "slows", kind: "Slow" },
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      },
    };
    await ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd);
    const object = {
      apiVersion: "example.com/v1",
      kind: "Slow",
      metadata: { name: "s" },
      text: `${"a".repeat(50_000)}!`,
    };
    for (let status = 404, tries = 0; status === 404 && tries < 200; tries++) {
      status = (await ask("POST", "/apis/example.com/v1/slows", object)).status;
      if (status !== 404) expect(status).toBe(422);
    }
    await server.expectWell();
  });

  test("a selector of thousands of parts", async () => {
    const parts = Array.from({ length: 1000 }, (_, index) => `k${index}!=v`).join(",");
    expect((await ask("GET", `${CONFIG_MAPS}?labelSelector=${parts}`)).status).toBe(200);
  });
});
