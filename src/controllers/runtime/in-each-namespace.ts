// A controller that keeps one object of a given name in every namespace: it is made where it is missing, made again
// where it was deleted, and mended where it is not as it should be.
import type { ResourceName } from "../../client/client.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { isNamespaceEnding, isOvertaken } from "./api-errors.ts";
import type { Controller, ControllerDeps } from "./controller.ts";
import { informerFor } from "./informers.ts";
import { ReconcileLoop } from "./reconcile-loop.ts";

export interface InEachNamespace {
  readonly controller: string;
  readonly resource: ResourceName;
  /** The name of the object, the same in every namespace. */
  readonly name: string;
  /** The object as it is to be, made from the one that is there; undefined when that one will do. */
  desired(namespace: string, live: KubeObject | undefined): KubeObject | undefined;
}

const NAMESPACES: ResourceName = { group: "", version: "v1", resource: "namespaces" };

export function keepInEachNamespace(deps: ControllerDeps, kept: InEachNamespace): Controller {
  const { client } = deps;
  const { controller, resource, name } = kept;
  const namespaces = informerFor(deps, controller, NAMESPACES);
  const objects = informerFor(deps, controller, resource, { fieldSelector: `metadata.name=${name}` });

  const reconcile = async (namespace: string): Promise<void> => {
    const live = namespaces.get(namespace);
    if (!live || live.metadata.deletionTimestamp !== undefined) return;
    const old = objects.get(`${namespace}/${name}`);
    const object = kept.desired(namespace, old);
    if (!object) return;
    try {
      await (old ? client.update(resource, object) : client.create(resource, object));
    } catch (error) {
      if (!isOvertaken(error) && !isNamespaceEnding(error)) throw error;
    }
  };

  const loop = new ReconcileLoop({ name: controller, deps, informers: [namespaces, objects], reconcile });
  const add = (namespace: string | undefined): void => loop.queue.add(namespace ?? "");
  namespaces.addHandlers({ add: ({ metadata }) => add(metadata.name) });
  objects.addHandlers({
    update: (_old, { metadata }) => add(metadata.namespace),
    delete: ({ metadata }) => add(metadata.namespace),
  });
  return loop;
}
