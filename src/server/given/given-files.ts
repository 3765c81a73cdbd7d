// The files that the options name: further definitions, and objects to apply.

import type { ClientFactory, ResourceName } from "../../client/client.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { ResourceRegistry } from "../../registry/resource-registry.ts";
import { type LoadProgress, loadObjects } from "../bootstrap.ts";
import { StartError } from "../errors.ts";
import type { ServerOptions } from "../options/options.ts";
import { readManifests } from "./manifests.ts";

/** Throws StartError and ManifestError. */
export async function furtherDefinitions({ schemas }: ServerOptions): Promise<KubeObject[]> {
  const further = await Promise.all(schemas.map(readManifests));
  const wrong = further.flat().find((object) => object.kind !== "CustomResourceDefinition");
  if (wrong)
    throw new StartError(
      `--schemas takes CustomResourceDefinitions only, not ${wrong.kind} ${wrong.metadata.name}`,
    );
  return further.flat();
}

export interface LoadListeners {
  readonly onProgress?: LoadProgress | undefined;
  /** Told of each path of --load, and how many objects are there. */
  readonly onRead?: (path: string, objects: number) => void;
}

interface LoadedInto {
  readonly clientFor: ClientFactory;
  readonly registry: ResourceRegistry;
  /** Resolves once the kinds that are served are as the store says. */
  settled(): Promise<void>;
}

/** Applies the objects of the files, then the others. Throws ManifestError. */
export async function loadManifests(
  { clientFor, registry, settled }: LoadedInto,
  { load }: ServerOptions,
  others: readonly KubeObject[],
  { onProgress, onRead }: LoadListeners = {},
): Promise<void> {
  const client = clientFor("egret");
  /** A kind may have come with an object just before. */
  const resourceFor = async (object: KubeObject): Promise<KindFound | undefined> => {
    const known = findKind(registry, object);
    if (known !== undefined) return known;
    await settled();
    return findKind(registry, object);
  };
  for (const path of load) {
    const objects = await readManifests(path);
    onRead?.(path, objects.length);
    await loadObjects(client, { path, objects, onProgress }, resourceFor);
  }
  await loadObjects(client, { path: "objects", objects: others, onProgress }, resourceFor);
}

interface KindFound {
  readonly name: ResourceName;
  readonly namespaced: boolean;
}

function findKind(
  registry: ResourceRegistry,
  { apiVersion = "", kind = "" }: KubeObject,
): KindFound | undefined {
  const found = registry.findByKind(apiVersion, kind);
  if (found === undefined) return undefined;
  const { definition, version } = found;
  return {
    name: { group: definition.group, version: version.name, resource: definition.resource },
    namespaced: definition.namespaceScoped,
  };
}
