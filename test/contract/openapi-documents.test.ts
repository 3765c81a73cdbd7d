// Every OpenAPI document is one by the specification's own schema: those that are committed, and what a server answers.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isObject } from "../../src/meta/json.ts";
import { createServer, type Server } from "../../src/server/server.ts";
import { MEMORY_SERVER } from "../support/memory-server.ts";

const folder = join(import.meta.dirname, "../../openapi");

async function complaints(document: object): Promise<unknown> {
  const { valid, errors } = await new Validator().validate(withoutPropertiesCalledRef(document));
  return valid ? [] : errors;
}

/** JSONSchemaProps has a property of that name, which the validator takes for a reference. */
function withoutPropertiesCalledRef(document: object): Record<string, unknown> {
  return JSON.parse(JSON.stringify(document), (_key, value: unknown) => {
    if (isObject(value) && isObject(value["$ref"])) delete value["$ref"];
    return value;
  });
}

const documents = (await readdir(folder)).filter((name) => name.endsWith(".json"));

test.each(documents)("openapi/%s", async (name) => {
  expect(await complaints(JSON.parse(await readFile(join(folder, name), "utf8")))).toEqual([]);
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
