// Reads the shipped CRD manifests and the facts for comparison: the CRDs of a kube-apiserver, as JSON, without any
// descriptions.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { parse } from "yaml";
import { isObject, type JsonObject, objectAt } from "../../../src/apimachinery/json/json.ts";

const repository = join(import.meta.dirname, "../../..");
const schemasFolder = join(repository, "schemas");
const factsFolder = join(repository, "test/fixtures/facts/crds");

export interface Manifest {
  /** Below schemas/, with slashes. */
  readonly path: string;
  readonly text: string;
  readonly document: JsonObject;
}

/** The facts of every custom resource, by the name of its CRD. */
export function readFacts(): ReadonlyMap<string, JsonObject> {
  const facts = readdirSync(factsFolder).map((file): [string, JsonObject] => {
    const content: unknown = JSON.parse(readFileSync(join(factsFolder, file), "utf8"));
    if (!isObject(content)) throw new Error(`${file} does not hold an object`);
    return [file.replace(/\.json$/, ""), content];
  });
  return new Map(facts);
}

/** Every file in the folders of these groups. */
export function readManifests(groups: ReadonlySet<string>): Manifest[] {
  return [...groups]
    .flatMap((group) => filesBelow(join(schemasFolder, group)))
    .sort()
    .map((file) => {
      const text = readFileSync(file, "utf8");
      const document: unknown = parse(text);
      if (!isObject(document)) throw new Error(`${file} does not hold an object`);
      return { path: relative(schemasFolder, file).split(sep).join("/"), text, document };
    });
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

export function objectsAt(value: JsonObject | undefined, key: string): JsonObject[] {
  const found = value?.[key];
  return Array.isArray(found) ? found.filter(isObject) : [];
}

/** The schemas of all versions of a CustomResourceDefinition's spec. */
export function schemasOf(spec: JsonObject | undefined): JsonObject[] {
  return objectsAt(spec, "versions").map(
    (version) => objectAt(objectAt(version, "schema"), "openAPIV3Schema") ?? {},
  );
}

/** Calls visit for a schema and every schema below it that describes a place in an object (not allOf and the like). */
export function walkSchema(
  node: JsonObject,
  visit: (node: JsonObject, path: string, isProperty: boolean) => void,
  path = "",
  isProperty = false,
): void {
  visit(node, path, isProperty);
  for (const [name, child] of Object.entries(objectAt(node, "properties") ?? {})) {
    if (isObject(child)) walkSchema(child, visit, `${path}.${name}`, true);
  }
  const items = objectAt(node, "items");
  if (items) walkSchema(items, visit, `${path}[]`);
  const values = objectAt(node, "additionalProperties");
  if (values) walkSchema(values, visit, `${path}{}`);
}

/** The spec of a manifest without the descriptions of its columns and schemas. */
export function withoutDescriptions(manifest: Manifest): JsonObject {
  const spec = objectAt(structuredClone(manifest.document), "spec") ?? {};
  for (const version of objectsAt(spec, "versions")) {
    for (const column of objectsAt(version, "additionalPrinterColumns")) delete column["description"];
  }
  for (const schema of schemasOf(spec)) walkSchema(schema, (node) => void delete node["description"]);
  return spec;
}
