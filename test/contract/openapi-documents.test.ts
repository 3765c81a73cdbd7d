// Every OpenAPI document is valid by the specification's own schema: the committed ones, and those that a server returns.
// So are the committed schemas.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isObject } from "../../src/apimachinery/json/json.ts";
import { createServer, type Server } from "../../src/server/server.ts";
import { MEMORY_SERVER } from "../support/memory-server.ts";

const folder = join(import.meta.dirname, "../../openapi");

async function complaints(document: object): Promise<unknown> {
  const { valid, errors } = await new Validator().validate(withoutPropertiesCalledRef(document));
  return valid ? [] : errors;
}

/** JSONSchemaProps has a property named $ref, which the validator would treat as a reference. */
function withoutPropertiesCalledRef(document: object): Record<string, unknown> {
  return JSON.parse(JSON.stringify(document), (_key, value: unknown) => {
    if (isObject(value) && isObject(value["$ref"])) delete value["$ref"];
    return value;
  });
}

const files = await readdir(folder);
const read = async (name: string) => JSON.parse(await readFile(join(folder, name), "utf8")) as object;

test.each(files.filter((name) => name.endsWith("_openapi.json")))("openapi/%s", async (name) => {
  expect(await complaints(await read(name))).toEqual([]);
});

test.each(files.filter((name) => name.endsWith("_schema.json")))("openapi/%s", async (name) => {
  const ajv = new Ajv2020();
  await ajv.validateSchema(await read(name));
  expect(ajv.errors ?? []).toEqual([]);
});

test("there are no others", () => {
  expect(files.filter((name) => !/_(?:openapi|schema)\.json$/.test(name))).toEqual(["types"]);
});

describe("of a server", () => {
  let server: Server;
  beforeAll(async () => {
    server = await createServer(MEMORY_SERVER);
  });
  afterAll(() => server?.close());

  const get = async (path: string) => (await (await fetch(`${server.url}${path}`)).json()) as object;

  test("/openapi/v2", async () => {
    expect(await complaints(await get("/openapi/v2"))).toEqual([]);
  });

  test("every document that /openapi/v3 names", { timeout: 120_000 }, async () => {
    const { paths } = (await get("/openapi/v3")) as {
      paths: Record<string, { serverRelativeURL: string }>;
    };
    expect(Object.keys(paths).length).toBeGreaterThan(20);
    for (const [name, { serverRelativeURL }] of Object.entries(paths)) {
      expect(await complaints(await get(serverRelativeURL)), name).toEqual([]);
    }
  });
});
