// All paths of one group version.
import { basePath, type VersionEntry } from "../../discovery/group-index.ts";
import { resourcesPath } from "./discovery-paths.ts";
import type { PathItem } from "./operation.ts";
import { resourcePaths } from "./resource-paths.ts";

/** Those of custom resources lack the list of resources. */
export function versionPaths(entry: VersionEntry): readonly PathItem[] {
  const own = entry.custom ? [] : [resourcesPath(basePath(entry), entry.group, entry.version)];
  return [...own, ...entry.views.flatMap(resourcePaths)];
}
