import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { renderShippedOpenApi } from "../../scripts/shipped-openapi.ts";

const folder = join(import.meta.dirname, "../../openapi");

test("openapi/ holds just what the schemas say (npm run openapi writes it)", async () => {
  const files = await renderShippedOpenApi();
  const documents = (await readdir(folder)).filter((name) => name.endsWith(".json"));
  expect(documents.sort()).toEqual([...files.keys()].sort());
  for (const [name, text] of files) {
    const stale = (await readFile(join(folder, name), "utf8")) !== text;
    expect(stale, `${name} is stale`).toBe(false);
  }
});
