import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { renderTypes } from "../../scripts/types/render-types.ts";

const folder = join(import.meta.dirname, "../../openapi/types");

test("openapi/types/ holds just what the schemas say (npm run types writes it)", async () => {
  const files = await renderTypes();
  expect((await readdir(folder)).sort()).toEqual([...files.keys()].sort());
  for (const [name, text] of files) {
    const stale = (await readFile(join(folder, name), "utf8")) !== text;
    expect(stale, `${name} is stale`).toBe(false);
  }
});
