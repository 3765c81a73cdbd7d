// The output of `-o json` for every verdict matches openapi/: no member has another type, and none is undocumented.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Ajv } from "ajv";
import { afterAll, beforeAll, expect, test } from "vitest";
import { EgretSession } from "../support/egret-session.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

let session: EgretSession;
let document: { paths: Record<string, Record<string, { responses: Record<string, Answer> }>> };
interface Answer {
  readonly content: Readonly<Record<string, { readonly schema: unknown }>>;
}

beforeAll(async () => {
  document = JSON.parse(await readFile(join(ROOT, "openapi/egret__v1_openapi.json"), "utf8"));
  session = await EgretSession.start(["nodes.yaml", "shop.yaml", "verdicts.yaml"]);
});
afterAll(() => session?.[Symbol.asyncDispose]());

/** Returns the schema with additionalProperties: false in every object. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  return "properties" in copy && copy["type"] === "object" ? { ...copy, additionalProperties: false } : copy;
}

const schemaOf = (path: string): unknown =>
  closed(document.paths[`/egret/v1${path}`]?.["post"]?.responses["200"]?.content["application/json"]?.schema);

test.each<[string, string]>([
  ["/explain", "explain egressip shop"],
  ["/explain", "explain egressip shop --since 1h"],
  ["/explain", "explain egressservice shop -n shop"],
  ["/explain", "explain egressfirewall default -n shop"],
  ["/explain", "explain egressqos default -n shop"],
  ["/explain", "explain apbexternalroute gateways"],
  ["/explain", "explain udn tenant -n tenant"],
  ["/explain", "explain cudn shared"],
  ["/explain", "explain egressrouter router -n shop"],
  ["/explain", "explain cloudprivateipconfig 192.168.126.101"],
  ["/explain", "explain node node-a"],
  ["/explain", "explain namespace shop"],
  ["/explain", "explain pod web -n shop"],
  ["/trace", "trace pod/shop/web --to 8.8.8.8:443"],
  ["/trace", "trace pod/shop/web --to 0.0.0.0/0"],
  ["/trace", "trace pod/shop/web --to www.example.com"],
  ["/trace", "trace pod/shop/web --to svc/default/kubernetes"],
  ["/trace/many", "trace --from ns/shop --to 0.0.0.0/0"],
  ["/trace/many", "trace --matrix --by namespace"],
  ["/plan", "plan --delete node/node-a"],
  ["/plan", "plan --label ns/shop team- --delete egressfirewall/shop/default --delete node/none"],
])("%s, %s", async (path, command) => {
  const { code, stdout, stderr } = await session.egret(...command.split(" "), "-o", "json");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const validate = new Ajv({ strict: false }).compile(schemaOf(path) as object);
  validate(JSON.parse(stdout));
  expect(validate.errors ?? []).toEqual([]);
});

test("each node in turn is a list of what /plan/nodes has as items", async () => {
  const { stdout } = await session.egret("plan", "--every", "node", "-o", "json");
  const validate = new Ajv({ strict: false }).compile(schemaOf("/plan/nodes") as object);
  validate({ items: JSON.parse(stdout) });
  expect(validate.errors ?? []).toEqual([]);
  expect(JSON.parse(stdout)).toHaveLength(2);
});
