// A text of Kubernetes objects: YAML documents one after the other, or JSON; Lists and arrays are taken apart.
import { isObject } from "../../meta/json.ts";
import { append } from "../../meta/lists.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { badRequest } from "../../meta/status.ts";
import { decodeDocuments, isUnreadable } from "../../yaml/decode-yaml.ts";

/** Throws a 400 that says which document is wrong; then nothing of the text is used. */
export function readDocuments(text: string): KubeObject[] {
  const objects: KubeObject[] = [];
  let number = 1;
  try {
    for (const { value } of decodeDocuments(text)) {
      append(objects, objectsIn(value, number));
      number++;
    }
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    throw badRequest(`document ${number} cannot be read: ${error.message}`);
  }
  return objects;
}

/** Nothing but comments is no document. */
function objectsIn(value: unknown, number: number): KubeObject[] {
  if (value === null || value === undefined) return [];
  const items = isObject(value) && Array.isArray(value["items"]) ? value["items"] : value;
  return (Array.isArray(items) ? items : [items]).map((item: unknown) => checked(item, number));
}

function checked(value: unknown, number: number): KubeObject {
  const isNamed =
    isObject(value) &&
    isText(value["apiVersion"]) &&
    isText(value["kind"]) &&
    isObject(value["metadata"]) &&
    isText(value["metadata"]["name"]);
  if (isNamed) return value as KubeObject; // it has what makes one
  throw badRequest(`document ${number} is no object: it needs apiVersion, kind and metadata.name`);
}

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";
