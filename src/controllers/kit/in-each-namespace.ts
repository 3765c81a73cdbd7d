// A controller that keeps one object of a given name in every namespace: it is made where it is missing, made again
// where it was deleted, and mended where it is not as it should be.

import type { ResourceName } from "../../client/client.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { isNamespaceEnding, isOvertaken } from "../runtime/api-errors.ts";
import { defineController } from "./define-controller.ts";
import type { DefinedController, Definition, Kit } from "./definition.ts";
import { isGoing } from "./objects.ts";
import { NAMESPACES } from "./resources.ts";

export interface InEachNamespace
  extends Pick<Definition<string, unknown>, "name" | "summary" | "fieldManager" | "offByDefault"> {
  readonly resource: ResourceName;
  /** The name of the object, the same in every namespace. */
  readonly object: string;
  /** The object as it is to be, made from the one that is there; undefined when that one will do. */
  desired(namespace: string, live: KubeObject | undefined, kit: Kit): KubeObject | undefined;
}

export function ensureInEachNamespace(kept: InEachNamespace): DefinedController<undefined> {
  const { resource, object: name } = kept;
  return defineController({
    ...kept,
    watches: {
      namespaces: { resource: NAMESPACES, on: ["add"] },
      objects: {
        resource,
        list: { fieldSelector: `metadata.name=${name}` },
        on: ["update", "delete"],
        toKeys: ({ object }) => [object.metadata.namespace],
      },
    },
    async reconcile(namespace, world) {
      const { namespaces, objects, client } = world;
      const live = namespaces.get(namespace);
      if (!live || isGoing(live)) return;
      const old = objects.get(`${namespace}/${name}`);
      const object = kept.desired(namespace, old, world);
      if (!object) return;
      try {
        await (old ? client.update(resource, object) : client.create(resource, object));
      } catch (error) {
        if (!isOvertaken(error) && !isNamespaceEnding(error)) throw error;
      }
    },
  });
}
