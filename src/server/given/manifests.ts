// Files of Kubernetes objects: one or several YAML documents, or JSON, in a file or in all files of a folder.

import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { isObject, objectAt } from "../../meta/json.ts";
import { append } from "../../meta/lists.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { packageFile } from "../../meta/package-files.ts";
import { decodeDocuments, isUnreadable, strictValue } from "../../yaml/decode-yaml.ts";

const ENDINGS = [".yaml", ".yml", ".json"];

const SHIPPED = packageFile("schemas");

/** A file that holds no objects, in one line. */
export class ManifestError extends Error {}

/** All objects in a file or below a folder; Lists are taken apart. Throws ManifestError. */
export async function readManifests(path: string): Promise<KubeObject[]> {
  const objects: KubeObject[] = [];
  for (const file of await manifestFiles(path))
    append(objects, parseManifests(file, await readFile(file, "utf8")));
  return objects;
}

/** The CustomResourceDefinitions that Egret ships, in their newest form. */
export async function readShippedDefinitions(): Promise<KubeObject[]> {
  const objects: KubeObject[] = [];
  for (const file of await manifestFiles(SHIPPED)) {
    const text = await readFile(file, "utf8");
    if (/^kind: CustomResourceDefinition$/m.test(text)) append(objects, parseManifests(file, text));
  }
  return objects;
}

/** The file, or those of the folder and below it whose name ends as that of a manifest. Throws ManifestError. */
export async function manifestFiles(path: string): Promise<string[]> {
  let isFolder: boolean;
  try {
    isFolder = (await stat(path)).isDirectory();
  } catch {
    throw new ManifestError(`${path} cannot be read`);
  }
  if (!isFolder) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const files = entries.filter(
    (entry) => entry.isFile() && ENDINGS.some((ending) => entry.name.endsWith(ending)),
  );
  return files.map((entry) => join(entry.parentPath, entry.name)).sort();
}

/** The objects in a text; `file` is what errors call it. Throws ManifestError. */
export function parseManifests(file: string, text: string): KubeObject[] {
  const objects: KubeObject[] = [];
  try {
    for (const document of decodeDocuments(text)) append(objects, objectsIn(file, strictValue(document)));
  } catch (error) {
    throw isUnreadable(error) ? new ManifestError(`${file}: ${error.message}`) : error;
  }
  return objects;
}

/** Nothing but comments is no document. */
function objectsIn(file: string, value: unknown): KubeObject[] {
  if (value === null || value === undefined) return [];
  const items = isObject(value) && Array.isArray(value["items"]) ? value["items"] : [value];
  return items.map((item) => asObject(file, item));
}

function asObject(file: string, value: unknown): KubeObject {
  const object = isObject(value) ? value : undefined;
  if (
    object === undefined ||
    typeof object["kind"] !== "string" ||
    objectAt(object, "metadata") === undefined
  ) {
    throw new ManifestError(`${file} holds something that is no Kubernetes object`);
  }
  return object as KubeObject; // kind and metadata are there
}
