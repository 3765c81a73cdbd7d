// Objects as tests write them: YAML text, an object, or a list of both.

import { cloneJson, isObject } from "../meta/json.ts";
import type { KubeObject } from "../meta/object-meta.ts";
import { parseManifests } from "../server/given.ts";
import type { AnyObject, ApiObject } from "./kinds.ts";

/** YAML (or JSON) with one or several documents, an object, or several of these. */
export type ObjectsGiven = string | ApiObject | AnyObject | readonly (string | ApiObject | AnyObject)[];

/** The objects in their order, as copies; Lists are taken apart. Throws ManifestError for what is no object. */
export function readObjects(given: ObjectsGiven, where: string): KubeObject[] {
  const all = Array.isArray(given) ? given : [given];
  return all.flatMap((item: unknown) => {
    if (typeof item === "string") return parseManifests(where, item);
    if (isObject(item) && Array.isArray(item["items"])) return readObjects(item["items"], where);
    if (!isObject(item) || !isObject(item["metadata"]) || typeof item["kind"] !== "string") {
      throw new TypeError(`${where} holds something that is no Kubernetes object: ${JSON.stringify(item)}`);
    }
    return [cloneJson(item) as KubeObject]; // kind and metadata are there
  });
}
