// The files that the options name: further definitions, and objects to apply.
import type { Client } from "../../client/client.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { ServerOptions } from "../../options.ts";
import type { ResourceRegistry } from "../../registry/resource-registry.ts";
import { loadObjects } from "../bootstrap.ts";
import { StartError } from "../start-error.ts";
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

/** Throws ManifestError. */
export async function loadGiven(
  client: Client,
  options: ServerOptions,
  registry: ResourceRegistry,
): Promise<void> {
  for (const path of options.load) {
    const objects = await readManifests(path);
    await loadObjects(client, { path, objects }, (object) => {
      const apiVersion = object.apiVersion ?? "";
      const found = registry.findByKind(apiVersion, object.kind ?? "");
      if (found === undefined) return undefined;
      const { definition, version } = found;
      return {
        name: { group: definition.group, version: version.name, resource: definition.resource },
        namespaced: definition.namespaceScoped,
      };
    });
  }
}
