// The OpenAPI v3 documents of the shipped kinds by file name: for the script that writes them and for the test that
// compares them.
import { renderOpenApiFiles } from "../src/apiserver/openapi/render-files.ts";
import { definitionFromCrd } from "../src/registry/custom/custom-resource.ts";
import { BUILT_IN_RESOURCES } from "../src/resources/index.ts";
import { schemaLibrary } from "../src/resources/schema-library.ts";
import { readShippedDefinitions } from "../src/server/given/manifests.ts";

export async function renderShippedOpenApi(): Promise<ReadonlyMap<string, string>> {
  const custom = (await readShippedDefinitions()).map(definitionFromCrd);
  return renderOpenApiFiles([...BUILT_IN_RESOURCES, ...custom], schemaLibrary().resolve);
}
