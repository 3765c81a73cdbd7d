// Writes openapi/: the OpenAPI v3 documents of everything that Egret serves by default. Run `npm run openapi` after a
// schema change; a test fails while the folder is outdated.
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { renderShippedOpenApi } from "./shipped-openapi.ts";

const FOLDER = fileURLToPath(new URL("../openapi", import.meta.url));

const files = await renderShippedOpenApi();
await mkdir(FOLDER, { recursive: true });
const documents = (await readdir(FOLDER)).filter((name) => name.endsWith(".json"));
for (const name of documents) if (!files.has(name)) await rm(join(FOLDER, name));
for (const [name, text] of files) await writeFile(join(FOLDER, name), text);
console.log(`${files.size} documents in openapi/`);
