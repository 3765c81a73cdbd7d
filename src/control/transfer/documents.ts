// A text of Kubernetes objects: YAML documents one after the other, or JSON; Lists and arrays are taken apart.
import { decodeYaml, YamlSyntaxError } from "../../apiserver/request/yaml.ts";
import { isObject } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { badRequest } from "../../meta/status.ts";

/** Every document of its own begins behind such a line. */
const SEPARATOR = /^---(?:[ \t]+(?:#.*)?)?\r?$/m;

/** Throws a 400 that says which document is wrong; then nothing of the text is used. */
export function readDocuments(text: string): KubeObject[] {
  return text.split(SEPARATOR).flatMap((part, index) => objectsIn(readDocument(part, index), index));
}

function readDocument(text: string, index: number): unknown {
  try {
    return decodeYaml(text).value;
  } catch (error) {
    if (!(error instanceof YamlSyntaxError)) throw error;
    throw badRequest(`document ${index + 1} cannot be read: ${error.message}`);
  }
}

/** Nothing but comments is no document. */
function objectsIn(value: unknown, index: number): KubeObject[] {
  if (value === null || value === undefined) return [];
  const items = isObject(value) && Array.isArray(value["items"]) ? value["items"] : value;
  return (Array.isArray(items) ? items : [items]).map((item: unknown) => checked(item, index));
}

function checked(value: unknown, index: number): KubeObject {
  const isNamed =
    isObject(value) &&
    isText(value["apiVersion"]) &&
    isText(value["kind"]) &&
    isObject(value["metadata"]) &&
    isText(value["metadata"]["name"]);
  if (isNamed) return value as KubeObject; // it has what makes one
  throw badRequest(`document ${index + 1} is no object: it needs apiVersion, kind and metadata.name`);
}

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";
