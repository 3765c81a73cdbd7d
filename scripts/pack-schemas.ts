// Part of the build: the shipped CustomResourceDefinitions as one JSON file, because parsing YAML would be most of the
// time that a server takes to start.
import { mkdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { readShippedDefinitions } from "../src/manifests.ts";

const DIST = fileURLToPath(new URL("../dist", import.meta.url));

await mkdir(DIST, { recursive: true });
await writeFile(`${DIST}/shipped-definitions.json`, JSON.stringify(await readShippedDefinitions()));
