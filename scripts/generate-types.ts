// Writes openapi/types/: TypeScript types of all kinds that Egret ships. Run `npm run types` after a schema change; a test
// fails while the folder is outdated.
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { packageFile } from "../src/apimachinery/meta/package-files.ts";
import { renderTypes } from "./types/render-types.ts";

const FOLDER = packageFile("openapi", "types");

const files = await renderTypes();
await mkdir(FOLDER, { recursive: true });
for (const name of await readdir(FOLDER)) if (!files.has(name)) await rm(join(FOLDER, name));
for (const [name, text] of files) await writeFile(join(FOLDER, name), text);
console.log(`${files.size} files in openapi/types/`);
