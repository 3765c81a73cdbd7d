// The documents of the built-in API as files, which are kept with the sources so that a change of the API shows up
// in review. Names are those of the Kubernetes sources: api__v1_openapi.json, apis__k8s.ovn.org__v1_openapi.json.
import type { ResourceDefinition } from "../../registry/definition/resource-definition.ts";
import { createOpenApi } from "./openapi.ts";
import type { DefinitionByRef } from "./schema-source.ts";

/** File names and texts. The text ends with a line break and is indented, for people and for line diffs. */
export async function renderOpenApiFiles(
  definitions: readonly ResourceDefinition[],
  definitionByRef: DefinitionByRef,
): Promise<Map<string, string>> {
  const openApi = createOpenApi(definitionByRef);
  const files = new Map<string, string>();
  for (const path of openApi.paths(definitions)) {
    const document = await openApi.document(definitions, path);
    if (document === undefined) continue;
    files.set(`${path.replaceAll("/", "__")}_openapi.json`, indentJson(document.json.toString()));
  }
  return files;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[[\]{},:]|[^[\]{},:"\s]+/g;

/** Indents by working on the text, so that integers keep every digit. */
export function indentJson(json: string): string {
  const out: string[] = [];
  let depth = 0;
  let before = "";
  const newLine = () => out.push("\n", "  ".repeat(depth));
  for (const [token] of json.matchAll(TOKEN)) {
    const opened = before === "{" || before === "[";
    const closes = token === "}" || token === "]";
    if (closes) depth--;
    if (closes ? !opened : opened || before === ",") newLine();
    out.push(token === ":" ? ": " : token);
    if (token === "{" || token === "[") depth++;
    before = token;
  }
  return `${out.join("")}\n`;
}
