// Deeply nested objects: up to the depth limit they work with every verb, beyond it they are rejected. They never make a
// list, an export or another client's request fail.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  CONFIG_MAPS,
  configMapText,
  FORMS,
  LIST_FORMS,
  ODDS,
  oddDefinition,
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

const REVISIONS = "/apis/apps/v1/namespaces/default/controllerrevisions";
/** A bound of processor time that no request here comes near. */
const CPU_MS_MAX = 5000;

const SHAPES: Readonly<Record<string, (depth: number, leaf: string) => string>> = {
  objects: (depth, leaf) => `${'{"a":'.repeat(depth)}${leaf}${"}".repeat(depth)}`,
  lists: (depth, leaf) => `{"a":${"[".repeat(depth - 1)}${leaf}${"]".repeat(depth - 1)}}`,
  both: (depth, leaf) => {
    const half = Math.floor((depth - 1) / 2);
    return `{"a":${'[{"a":'.repeat(half)}${leaf}${"}]".repeat(half)}}`;
  },
};

const ask = async (question: Question): Promise<number> =>
  (await server.askWithin(CPU_MS_MAX, question)).status;

/** All that can be done with an object whose part is so deep; each step and what it is answered with. */
function stepsWith(name: string, at: (leaf: string) => string): [string, Question][] {
  const path = `${ODDS}/${name}`;
  const patch = (type: keyof typeof PATCH_TYPES, body: string, query = ""): Question => ({
    method: "PATCH",
    path: path + query,
    body,
    type: PATCH_TYPES[type],
  });
  const revision = `{"apiVersion":"apps/v1","kind":"ControllerRevision","metadata":{"name":"${name}"}`;
  const fields = SHAPES["objects"]?.(at("1").split('"a"').length, "{}").replaceAll('"a"', '"f:a"') ?? "";
  const managed = `,"managedFields":[{"manager":"m","operation":"Apply","apiVersion":"example.com/v1","fieldsType":"FieldsV1","fieldsV1":${fields}}]`;
  const operations =
    `[{"op":"add","path":"/spec/any","value":${at("1")}},{"op":"test","path":"/spec/any","value":${at("1")}},` +
    '{"op":"copy","from":"/spec/any","path":"/spec/free"}]';
  const free = { type: "object", "x-kubernetes-preserve-unknown-fields": true, default: "HERE" };
  const definition = JSON.stringify(oddDefinition("others", { free })).replace('"HERE"', at("1"));
  return [
    ["create", { method: "POST", path: ODDS, body: oddText(name, `{"free":${at("1")}}`) }],
    ["merge patch", patch("merge", `{"spec":{"free":${at("2")}}}`)],
    ["merge patch with null", patch("merge", `{"spec":{"free":${at("null")}}}`)],
    ["JSON patch", patch("json", operations)],
    ["apply", patch("apply", oddText(name, `{"free":${at("3")}}`), "?fieldManager=m&force=true")],
    ["apply against a conflict", patch("apply", oddText(name, `{"free":${at("4")}}`), "?fieldManager=n")],
    ["apply less", patch("apply", oddText(name, `{"free":{}}`), "?fieldManager=m")],
    ["update", { method: "PUT", path, body: oddText(name, `{"any":${at("1")}}`) }],
    ["unknown field", { method: "POST", path: ODDS, body: oddText(`${name}-u`, `{"zzz":${at("1")}}`) }],
    [
      "wrong types",
      {
        method: "POST",
        path: ODDS,
        body: oddText(`${name}-w`, `{"strings":[${at("1")}],"map":{"a":${at("1")}}}`),
      },
    ],
    [
      "wrong keys",
      {
        method: "POST",
        path: ODDS,
        body: oddText(`${name}-k`, `{"items":[{"name":${at("1")}},{"name":${at("1")}}]}`),
      },
    ],
    ["data", { method: "POST", path: CONFIG_MAPS, body: configMapText(name, `{"a":${at("1")}}`) }],
    [
      "more",
      { method: "POST", path: CONFIG_MAPS, body: configMapText(`${name}-m`, "{}", `,"zzz":${at("1")}`) },
    ],
    ["raw data", { method: "POST", path: REVISIONS, body: `${revision},"revision":1,"data":${at("1")}}` }],
    [
      "raw data, labelled",
      {
        method: "PATCH",
        path: `${REVISIONS}/${name}`,
        body: '{"metadata":{"labels":{"a":"b"}}}',
        type: PATCH_TYPES.strategic,
      },
    ],
    ["managed fields", { method: "PUT", path, body: oddText(name, "{}", managed) }],
    ["apply over them", patch("apply", oddText(name, `{"free":${at("3")}}`), "?fieldManager=m9&force=true")],
    ["delete", { method: "DELETE", path, body: `{"apiVersion":"v1","kind":"DeleteOptions","x":${at("1")}}` }],
    [
      "a definition's default",
      {
        method: "POST",
        path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All",
        body: definition,
      },
    ],
  ];
}

describe.each(Object.keys(SHAPES))("nested %s", (shape) => {
  const nested = (depth: number) => (leaf: string) => SHAPES[shape]?.(depth, leaf) ?? "";

  test.each([100, 480, 980, 1100, 5000, 9900, 50_000])("of %i levels", async (depth) => {
    const name = `${shape}-${depth}`;
    const answers: [string, number][] = [];
    for (const [step, question] of stepsWith(name, nested(depth))) {
      answers.push([step, await ask(question)]);
    }
    expect(answers.filter(([, status]) => status >= 500)).toEqual([]);
    const created = new Map(answers).get("create");
    expect(created).toBe(depth < 10_000 ? 201 : 400);
    for (const accept of LIST_FORMS)
      expect(await ask({ method: "GET", path: ODDS, accept }), accept).toBe(200);
  });

  test("can be read in every form", async () => {
    const name = `${shape}-read`;
    const body = oddText(name, `{"free":${nested(980)("1")}}`);
    expect(await ask({ method: "POST", path: ODDS, body })).toBe(201);
    for (const accept of FORMS)
      for (const query of ["", "?pretty=true"])
        expect(await ask({ method: "GET", path: `${ODDS}/${name}${query}`, accept }), accept).toBe(200);
    for (const accept of LIST_FORMS)
      expect(await ask({ method: "GET", path: ODDS, accept }), accept).toBe(200);
    expect(await ask({ method: "GET", path: "/egret/v1/export" })).toBe(200);
  });
});

test("objects that are deep and large, which another thread checks, are taken as well", async () => {
  const deep = SHAPES["objects"]?.(9900, "1");
  const path = `${ODDS}/deep-and-large`;
  const body = oddText("deep-and-large", `{"free":{"a":${deep}}}`);
  expect(await ask({ method: "POST", path: ODDS, body })).toBe(201);
  const patch = { method: "PATCH", path, type: PATCH_TYPES.merge };
  expect(await ask({ ...patch, body: `{"spec":{"free":{"b":${deep},"c":${deep}}}}` })).toBe(200);
});

test("operations that put deep values below each other are refused", async () => {
  const deep = (SHAPES["objects"]?.(9000, "{}") ?? "").replaceAll('"a"', '"b"');
  const free = "/spec/free";
  await ask({ method: "POST", path: ODDS, body: oddText("grows", `{"free":${deep}}`) });
  const below = `${free}${"/b".repeat(8500)}`;
  const twice = [{ op: "copy", from: free, path: `${below}/c` }];
  const often = Array.from({ length: 6 }, (_, index) => ({
    op: "copy",
    from: free,
    path: `${free}${`${"/b".repeat(8500)}/c`.repeat(index + 1)}`,
  }));
  for (const operations of [twice, often]) {
    const { status, text } = await server.ask({
      method: "PATCH",
      path: `${ODDS}/grows`,
      body: JSON.stringify(operations),
      type: PATCH_TYPES.json,
    });
    expect(status).toBe(422);
    expect(text).toContain("exceeded max depth");
  }
});
