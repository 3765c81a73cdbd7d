// Writes of 3 MB with a quarter of a million fields, and texts for patterns of a thousand instructions: other clients are
// answered meanwhile. Measured is the processor time of the server's thread between two answers to a polling client.
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { slowness } from "../../scripts/bench/machine-speed.ts";
import { type BuiltServer, startBuiltServer } from "./built-server.ts";
import { whileAsked } from "./stalled.ts";

const COMPUTED_MS_MAX = 300 * slowness();
const MANY = 200_000;
const GROUP = "writes.example.com";
const APPLY = "application/apply-patch+yaml";
const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
/** Sixteen letters, a thousand instructions. */
const PATTERN = "(?i)[a-z]{1000}x";

let server: BuiltServer;
beforeAll(async () => {
  server = await startBuiltServer(["--max-request-bytes", "8000000"]);
  await serve("maps", { type: "object", additionalProperties: { type: "integer" } });
  await serve("patterns", { type: "object", properties: { text: { type: "string", pattern: PATTERN } } });
  await serve("rules", {
    type: "object",
    properties: { text: { type: "string", maxLength: 20_000 } },
    "x-kubernetes-validations": [{ rule: `[1, 2, 3].all(i, !self.text.matches('${PATTERN}'))` }],
  });
}, 60_000);
afterAll(() => server?.[Symbol.asyncDispose]());

const pathOf = (plural: string) => `/apis/${GROUP}/v1/namespaces/default/${plural}`;

async function serve(plural: string, spec: object): Promise<void> {
  const version = { name: "v1", served: true, storage: true };
  const schema = { openAPIV3Schema: { type: "object", properties: { spec } } };
  const { status, text } = await server.send(
    "POST",
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `${plural}.${GROUP}` },
      spec: {
        ...{ group: GROUP, scope: "Namespaced", names: { plural, kind: plural } },
        versions: [{ ...version, schema }],
      },
    },
  );
  expect([status, text]).toEqual([201, expect.anything()]);
  for (let tries = 0; tries < 200; tries++) {
    if ((await server.send("GET", pathOf(plural))).status === 200) return;
    await delay(50);
  }
  throw new Error(`${plural} are not served`);
}

const object = (plural: string, spec: object) => ({
  ...{ apiVersion: `${GROUP}/v1`, kind: plural, metadata: { name: "a" }, spec },
});
const fields = <T>(value: T): Record<string, T> =>
  Object.fromEntries(Array.from({ length: MANY }, (_, index) => [`k${index}`, value]));
const configMap = { apiVersion: "v1", kind: "ConfigMap" };

type Write = readonly [method: string, path: string, body: object, type?: string];

const WRITES: readonly (readonly [name: string, write: () => Write])[] = [
  ["an apply", () => ["PATCH", `${pathOf("maps")}/a?fieldManager=a`, object("maps", fields(1)), APPLY]],
  [
    "an apply to a built-in kind",
    () => [
      "PATCH",
      `${CONFIG_MAPS}/a?fieldManager=a`,
      { ...configMap, metadata: { name: "a" }, data: fields("v") },
      APPLY,
    ],
  ],
  [
    "a merge patch",
    () => ["PATCH", `${pathOf("maps")}/small`, { spec: fields(2) }, "application/merge-patch+json"],
  ],
  [
    "a strategic merge patch",
    () => ["PATCH", `${CONFIG_MAPS}/small`, { data: fields("x") }, "application/strategic-merge-patch+json"],
  ],
  ["a pattern of a thousand instructions", () => ["POST", pathOf("patterns"), object("patterns", TEXT)]],
  ["a rule with such a pattern", () => ["POST", pathOf("rules"), object("rules", TEXT)]],
];
const TEXT = { text: "a".repeat(20_000) };

test.each(WRITES)("%s", { timeout: 60_000 }, async (_, write) => {
  await server.send("POST", pathOf("maps"), { ...object("maps", {}), metadata: { name: "small" } });
  await server.send("POST", CONFIG_MAPS, { ...configMap, metadata: { name: "small" } });
  const [method, path, body, type = "application/json"] = write();
  let status = 0;
  // Repeatable work runs several times: the garbage of earlier requests may be collected at any time.
  let least = Number.POSITIVE_INFINITY;
  for (let time = 0; time < 3 && least >= COMPUTED_MS_MAX; time++) {
    const { mostMs } = await whileAsked(server, async () => {
      ({ status } = await server.send(method, path, body, { type }));
    });
    least = Math.min(least, mostMs);
  }
  expect([200, 201, 422, 500, 504]).toContain(status); // it exceeds the store's limit, or its pattern times out
  expect(least).toBeLessThan(COMPUTED_MS_MAX);
});
