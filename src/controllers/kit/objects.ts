// What controllers ask of any object.
import { type Informer, keyOf } from "../../client/informer.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { EventSubject } from "../runtime/events/event-correlator.ts";

/** "namespace/name", or "name" of one that is cluster-scoped: its key in an informer. */
export const keyOfObject = ({ metadata: { namespace = "", name = "" } }: KubeObject): string =>
  keyOf({ namespace, name });

/** The keys of all objects of an informer, sorted. */
export const keysIn = (informer: Informer): string[] => [...informer.list()].map(keyOfObject).sort();

/** It was deleted, and is held by somebody. */
export const isGoing = ({ metadata }: Pick<KubeObject, "metadata">): boolean =>
  metadata.deletionTimestamp !== undefined;

export const byName = (a: KubeObject, b: KubeObject): number =>
  (a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1;

/** The subject of an event about the object. */
export const subjectOf = ({ apiVersion = "", kind = "", metadata }: KubeObject): EventSubject => {
  const { namespace, name = "", uid = "" } = metadata;
  return { kind, ...(namespace ? { namespace } : {}), name, uid, apiVersion };
};
