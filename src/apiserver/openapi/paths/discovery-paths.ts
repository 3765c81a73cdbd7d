// The paths of discovery itself and of /version, as OpenAPI documents describe them. Their parameters and bodies are
// few: each is one GET without parameters.

import { capitalizeWord, operationTag } from "../names.ts";
import type { Operation, PathItem } from "./operation.ts";

const META = "io.k8s.apimachinery.pkg.apis.meta.v1";
const ALL_MEDIA = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];

function reading(path: string, tag: string, id: string, schema: string, description: string): PathItem {
  const operation: Operation = {
    method: "get",
    id,
    tag,
    description,
    parameters: [],
    consumes: ALL_MEDIA,
    produces: ALL_MEDIA,
    responses: { 200: schema },
  };
  return { path, operations: [operation] };
}

export const CORE_VERSIONS_PATH = reading(
  "/api/",
  "core",
  "getCoreAPIVersions",
  `${META}.APIVersions`,
  "List the versions of the core group.",
);

export const GROUPS_PATH = reading(
  "/apis/",
  "apis",
  "getAPIVersions",
  `${META}.APIGroupList`,
  "List all named groups.",
);

export function groupPath(group: string): PathItem {
  const tag = operationTag(group);
  const id = `get${capitalizeWord(tag)}APIGroup`;
  return reading(`/apis/${group}/`, tag, id, `${META}.APIGroup`, `Describe the group ${group}.`);
}

/** The list of resources of one built-in group version; base is "/api/v1" or "/apis/<group>/<version>". */
export function resourcesPath(base: string, group: string, version: string): PathItem {
  const tag = operationTag(group, version);
  const [groupWord = "", versionWord = ""] = tag.split("_");
  const id = `get${capitalizeWord(groupWord)}${capitalizeWord(versionWord)}APIResources`;
  return reading(`${base}/`, tag, id, `${META}.APIResourceList`, "List the resources of this version.");
}

const JSON_ONLY = ["application/json"];

export const VERSION_PATH: PathItem = {
  path: "/version/",
  operations: [
    {
      method: "get",
      id: "getCodeVersion",
      tag: "version",
      description: "Tell the version of the server.",
      parameters: [],
      consumes: JSON_ONLY,
      produces: JSON_ONLY,
      responses: { 200: "io.k8s.apimachinery.pkg.version.Info" },
    },
  ],
};
