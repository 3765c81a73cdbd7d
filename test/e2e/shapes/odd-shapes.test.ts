// Random objects of unusual shapes, with every operation on objects: none causes an internal error or a long computation.
// FC_SEED repeats a run, FC_SCALE makes it longer.
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runs } from "../../support/fuzz-runs.ts";
import {
  CONFIG_MAPS,
  configMapText,
  FORMS,
  LIST_FORMS,
  listText,
  mapText,
  ODDS,
  oddText,
  PATCH_TYPES,
  type Question,
  ShapesServer,
} from "./shapes-server.ts";

let server: ShapesServer;
beforeAll(async () => {
  server = await ShapesServer.start();
});
afterAll(() => server?.[Symbol.asyncDispose]());

const CPU_MS_MAX = 5000;
const TEST_MS_MAX = 300_000;

/** A JSON text: wide, deep, long or repeated. */
const leaf = fc.constantFrom("1", "null", '""', '"x"', "-1.5", "9007199254740993", "true", "{}", "[]");
const size = fc.oneof(fc.nat(5), fc.integer({ min: 100, max: 3000 }));
const shape: fc.Arbitrary<string> = fc.letrec<{ shape: string }>((tie) => ({
  shape: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.tuple(fc.nat(1200), leaf).map(([n, text]) => '{"a":'.repeat(n) + text + "}".repeat(n)),
    fc.tuple(fc.nat(1200), leaf).map(([n, text]) => "[".repeat(n) + text + "]".repeat(n)),
    fc.tuple(size, leaf).map(([n, text]) => listText(n, () => text)),
    size.map((n) => listText(n, (i) => `{"name":"n${i % 2000}"}`)),
    size.map((n) => listText(n, (i) => `"s${i}"`)),
    fc.tuple(size, leaf).map(([n, text]) => mapText(n, (i) => `"k ${i % 2500}":${text}`)),
    size.map((n) => `"${"é".repeat(n)}\\n"`),
    fc.tuple(size, tie("shape")).map(([n, text]) => `{"${"k".repeat(n)}":${text}}`),
    fc.tuple(tie("shape"), tie("shape")).map(([a, b]) => `{"a":${a},"b":[${b},${a}]}`),
  ),
})).shape;

const MEMBERS = ["free", "any", "strings", "integers", "set", "map", "items", "lists", "objects", "unknown"];
const META_MEMBERS = ["labels", "annotations", "finalizers", "ownerReferences", "managedFields"];

const path = `${ODDS}/odd`;
const patch = (type: keyof typeof PATCH_TYPES, body: string, query = ""): Question => ({
  method: "PATCH",
  path: path + query,
  body,
  type: PATCH_TYPES[type],
});

function stepsWith(member: string, meta: string, first: string, second: string): Question[] {
  const spec = (value: string) => `{"${member}":${value}}`;
  const config = (value: string) => configMapText("odd", "{}", "", `,"${meta}":${value}`);
  return [
    { method: "POST", path: ODDS, body: oddText("odd", spec(first)) },
    { method: "POST", path: ODDS, body: oddText("odd", "{}") },
    {
      method: "POST",
      path: `${ODDS}?fieldValidation=Strict&dryRun=All`,
      body: oddText("odd2", spec(second)),
    },
    { method: "POST", path: ODDS, body: oddText("odd", spec(first)), type: "application/yaml" },
    patch("merge", `{"spec":${spec(second)}}`),
    patch("json", `[{"op":"add","path":"/spec","value":${spec(first)}}]`),
    patch("json", `[{"op":"test","path":"/spec","value":${spec(second)}}]`),
    patch("apply", oddText("odd", spec(first)), "?fieldManager=a&force=true"),
    patch("apply", oddText("odd", spec(second)), "?fieldManager=b"),
    patch("apply", oddText("odd", "{}"), "?fieldManager=a"),
    { method: "PUT", path, body: oddText("odd", spec(second)) },
    ...FORMS.map((accept) => ({ method: "GET", path, accept })),
    ...LIST_FORMS.map((accept) => ({ method: "GET", path: ODDS, accept })),
    { method: "GET", path: "/egret/v1/export" },
    { method: "POST", path: CONFIG_MAPS, body: config(first) },
    { method: "POST", path: CONFIG_MAPS, body: configMapText("odd", first) },
    {
      method: "PATCH",
      path: `${CONFIG_MAPS}/odd`,
      body: `{"metadata":{"${meta}":${second}}}`,
      type: PATCH_TYPES.strategic,
    },
    { method: "DELETE", path, body: first },
    { method: "DELETE", path },
    { method: "DELETE", path: `${CONFIG_MAPS}/odd` },
  ];
}

/** A patch that does not fit its types is a 500 without a reason on a real server, too. */
const isBroken = (status: number, text: string): boolean =>
  status > 500 || (status === 500 && /"reason":"InternalError"|call stack|string length/.test(text));

test("objects of odd shapes are taken or refused", { timeout: TEST_MS_MAX }, async () => {
  const member = fc.constantFrom(...MEMBERS);
  await fc.assert(
    fc.asyncProperty(
      member,
      fc.constantFrom(...META_MEMBERS),
      shape,
      shape,
      async (where, meta, first, second) => {
        for (const question of stepsWith(where, meta, first, second)) {
          const { status, text, cpuMs } = await server.ask(question);
          const shown = `${question.method} ${question.path} ${question.type}: ${text.slice(0, 300)}`;
          expect(isBroken(status, text), shown).toBe(false);
          expect(cpuMs, shown).toBeLessThan(CPU_MS_MAX);
        }
      },
    ),
    { ...runs(30), endOnFailure: true },
  );
});
