// Fairness of the worker threads: a user with many jobs does not delay others, and endpoints without authentication accept
// only short JSON, which needs no thread.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type BuiltServer, startBuiltServer, type Token } from "../built-server.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const LOGIN = "/egret/v1/ui/login";
/** A thread needs several seconds to decode it. */
const LONG_YAML = "- [x, y]\n".repeat(290_000);

let server: BuiltServer;
beforeAll(async () => {
  server = await startBuiltServer();
  await server.grant([{ apiGroups: [""], resources: ["configmaps"], verbs: ["create"] }]);
});
afterAll(() => server?.[Symbol.asyncDispose]());

/** Large enough to be decoded by a thread. */
const yamlOf = (name: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n${Array.from(
    { length: 3000 },
    (_, index) => `  key-${index}: value\n`,
  ).join("")}`;
const create = (name: string, token: Token = "root") =>
  server.send("POST", CONFIG_MAPS, yamlOf(name), { type: "application/yaml", token });

test("logins take short JSON alone", async () => {
  const yaml = { type: "application/yaml", token: "" } as const;
  const many = Array.from({ length: 30 }, () => server.send("POST", LOGIN, LONG_YAML, yaml));
  const made = await create("beside-logins");
  expect(made.status).toBe(201);
  for (const { status, text } of await Promise.all(many)) {
    expect(status).toBe(413);
    expect(JSON.parse(text)).toMatchObject({ reason: "RequestEntityTooLarge" });
  }
  expect((await server.send("POST", LOGIN, "code: x", yaml)).status).toBe(400);
  for (const path of ["/egret/v1/ui/logout", "/egret/v1/ui/link"]) {
    expect((await server.send("POST", path, LONG_YAML, { ...yaml, token: "low" })).status).toBeLessThan(300);
  }
});

test("a user with many long bodies does not keep others waiting", { timeout: 120_000 }, async () => {
  let answered = 0;
  const yaml = { type: "application/yaml", token: "low" } as const;
  const many = Array.from({ length: 30 }, () =>
    server.send("POST", CONFIG_MAPS, LONG_YAML, yaml).then(
      () => answered++,
      () => {}, // the test stops the server below
    ),
  );
  const statuses = [(await create("beside-bodies")).status, (await create("beside-bodies-2")).status];
  expect(statuses).toEqual([201, 201]);
  expect(answered).toBeLessThan(15);
  await server.process.stop("SIGKILL");
  await Promise.all(many);
});
