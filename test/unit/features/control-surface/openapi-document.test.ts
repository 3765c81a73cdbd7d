import { expect, test } from "vitest";
import {
  type ControlRoute,
  documentOf,
  flag,
  route,
} from "../../../../src/features/control-surface/control-route.ts";

const things: ControlRoute = route("PUT /things/{name}", "putThing", {
  summary: "Keeps a thing.",
  query: { force: flag("Even so.") },
  body: { type: "object" },
  answer: ["The thing.", { type: "object" }],
  handle: () => undefined,
});
const { body: _body, query: _query, ...plain } = things;
const without: ControlRoute = { ...plain, method: "DELETE", answer: ["It is gone."] };
const lines: ControlRoute = {
  ...plain,
  method: "GET",
  path: "/lines",
  answer: ["Lines.", "text/plain"],
};
const files: ControlRoute = {
  ...things,
  method: "POST",
  path: "/files",
  bodyForm: "objects",
};

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required: boolean }[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, { readonly schema: unknown }>>;
  };
  readonly responses: Readonly<Record<string, { readonly content?: object }>>;
}

const { paths } = documentOf([things, without, lines, files]) as {
  paths: Record<string, Record<string, Operation>>;
};

test("methods of one path stand together", () => {
  expect(Object.entries(paths).map(([path, operations]) => [path, Object.keys(operations)])).toEqual([
    ["/egret/v1/files", ["post"]],
    ["/egret/v1/lines", ["get"]],
    ["/egret/v1/things/{name}", ["put", "delete"]],
  ]);
});

test("names in braces are parameters of the path, the others of the query", () => {
  const parameters = paths["/egret/v1/things/{name}"]?.["put"]?.parameters ?? [];
  expect(parameters.map(({ name, in: place, required }) => [name, place, required])).toEqual([
    ["name", "path", true],
    ["force", "query", false],
  ]);
});

test("bodies are JSON or YAML by their schema, and YAML streams are texts", () => {
  const bodyOf = (path: string, method: string) => paths[path]?.[method]?.requestBody;
  expect(bodyOf("/egret/v1/things/{name}", "put")).toEqual({
    required: true,
    content: {
      "application/json": { schema: { type: "object" } },
      "application/yaml": { schema: { type: "object" } },
    },
  });
  expect(bodyOf("/egret/v1/files", "post")?.content["application/yaml"]?.schema).toMatchObject({
    type: "string",
  });
  expect(bodyOf("/egret/v1/things/{name}", "delete")).toBeUndefined();
});

test("a success says what there is to read, and a failure is a Status", () => {
  const codes = (path: string, method: string) => Object.keys(paths[path]?.[method]?.responses ?? {});
  expect(codes("/egret/v1/things/{name}", "put")).toEqual(["200", "default"]);
  expect(codes("/egret/v1/things/{name}", "delete")).toEqual(["204", "default"]);
  expect(paths["/egret/v1/lines"]?.["get"]?.responses["200"]?.content).toEqual({
    "text/plain": { schema: { type: "string" } },
  });
});

test("schemas are written as version 3.0 has them", () => {
  const properties = { type: { type: ["integer", "string"] } };
  const route = { ...things, body: { type: "object", properties } };
  const { paths: written } = documentOf([route]) as { paths: typeof paths };
  const body = written["/egret/v1/things/{name}"]?.["put"]?.requestBody;
  expect(body?.content["application/json"]?.schema).toEqual({
    type: "object",
    properties: {
      type: { anyOf: [{ type: "integer" }, { type: "string" }] },
    },
  });
});
