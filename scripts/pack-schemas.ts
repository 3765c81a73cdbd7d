// Part of the build: packs schemas/ into a few JSON files, because parsing the YAML would be most of a server's start
// time.

import { mkdir, writeFile } from "node:fs/promises";
import { packageFile } from "../src/apimachinery/meta/package-files.ts";
import { SchemaLibrary } from "../src/apimachinery/schema/go/schema-library.ts";
import { PROFILES } from "../src/controller/emulated-release.ts";
import { PACKED_POLICY, readPolicySources } from "../src/server/bootstrap-policy.ts";
import { packedDefinitions, readDefinitionsOf } from "../src/server/manifests.ts";

const library = new SchemaLibrary();
const schemas = library.names.map((name) => [name, JSON.stringify(library.definition(name))]);

await mkdir(packageFile("dist"), { recursive: true });
for (const profile of PROFILES) await write(packedDefinitions(profile), await readDefinitionsOf(profile));
await write(PACKED_POLICY, await readPolicySources());
await write("shipped-schemas.json", Object.fromEntries(schemas));

async function write(name: string, value: unknown): Promise<void> {
  await writeFile(packageFile("dist", name), JSON.stringify(value));
}
