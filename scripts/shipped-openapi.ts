// The OpenAPI v3 documents of the shipped kinds and of the control surface by file name, for the script that writes them
// and for the test that compares them.
import { renderOpenApiFiles } from "../src/apiserver/endpoints/openapi/openapi.ts";
import { definitionFromCrd } from "../src/apiserver/registry/custom-resource.ts";
import { CONTROL_PREFIX } from "../src/features/control-surface/control-route.ts";
import { BUILT_IN_RESOURCES } from "../src/kube/index.ts";
import { readShippedDefinitions } from "../src/server/manifests.ts";
import { createServer } from "../src/server/server.ts";
import { caseSchemas } from "../src/testing/cases/case-schema.ts";

export async function renderShippedOpenApi(): Promise<ReadonlyMap<string, string>> {
  const custom = (await readShippedDefinitions()).map(definitionFromCrd);
  const kinds = await renderOpenApiFiles([...BUILT_IN_RESOURCES, ...custom]);
  const cases = Array.from(caseSchemas(), ([name, schema]): [string, string] => [
    name,
    `${JSON.stringify(schema, undefined, 2)}\n`,
  ]);
  return new Map([...kinds, [CONTROL_FILE, await controlDocument()], ...cases]);
}

const CONTROL_FILE = "egret__v1_openapi.json";

/** The document of the control surface comes from a server: its routes are known only when it is composed. */
async function controlDocument(): Promise<string> {
  const options = {
    listen: "127.0.0.1:0",
    inMemory: true,
    kubeconfig: undefined,
    controllers: "",
    logLevel: "silent",
  };
  const server = await createServer(options);
  try {
    const answer = await fetch(`${server.url}${CONTROL_PREFIX}/openapi.json`);
    return `${JSON.stringify(await answer.json(), undefined, 2)}\n`;
  } finally {
    await server.close();
  }
}
