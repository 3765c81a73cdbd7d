// One object, several versions of its kind: it is stored in one and read in any. Without a conversion webhook only
// apiVersion differs between them. An object that was stored before its kind's schema changed is read with the
// defaults that the schema has now.
import { cloneJson } from "../meta/json.ts";
import { encodeJson } from "../meta/json-encode.ts";
import type { KubeObject } from "../meta/object-meta.ts";
import type { Revision } from "../meta/revision.ts";
import { applyDefaults } from "../schema/default.ts";
import type { KeyValue } from "../storage/store.ts";
import { decodeStored, toJson } from "./object-codec.ts";
import type { ResourceVersionDefinition, ResourceView } from "./resource-definition.ts";
import { apiVersionOf, storageView } from "./resource-registry.ts";

/** Objects read through the version that is the key; one version object stands for one schema. */
const shown = new WeakMap<ResourceVersionDefinition, WeakMap<KeyValue, Readonly<KubeObject>>>();

/** Whether the stored bytes are what the view shows, save for resourceVersion. */
export function isShownAsStored({ definition, version }: ResourceView, kv: KeyValue): boolean {
  return (
    version.storage &&
    definition.storedForm === undefined &&
    kv.modRevision >= (definition.schemaRevision ?? 0)
  );
}

/** The stored object as the view shows it. Shared: it must not be changed. */
export function decodeInVersion(view: ResourceView, kv: KeyValue): Readonly<KubeObject> {
  if (isShownAsStored(view, kv)) return decodeStored(kv);
  let objects = shown.get(view.version);
  if (objects === undefined) {
    objects = new WeakMap();
    shown.set(view.version, objects);
  }
  let object = objects.get(kv);
  if (object === undefined) {
    object = showIn(view, decodeStored(kv));
    objects.set(kv, object);
  }
  return object;
}

function showIn(view: ResourceView, stored: Readonly<KubeObject>): Readonly<KubeObject> {
  const { storedForm } = view.definition;
  if (storedForm) return storedForm.fromStored(stored);
  const object: KubeObject = cloneJson(stored);
  object.apiVersion = apiVersionOf(view);
  applyDefaults(view.version.node, object);
  return object;
}

/** The object in the form in which it is stored. May change and return its argument. */
export function toStoredForm({ definition }: ResourceView, object: KubeObject): KubeObject {
  if (definition.storedForm) return definition.storedForm.toStored(object);
  object.apiVersion = apiVersionOf(storageView(definition));
  return object;
}

/** Its JSON as the view shows it; for DELETED events with the revision of the deletion. */
export function jsonInVersion(view: ResourceView, kv: KeyValue, revision: Revision = kv.modRevision): Buffer {
  if (isShownAsStored(view, kv)) return toJson(kv, revision);
  const object = decodeInVersion(view, kv);
  return Buffer.from(
    encodeJson({ ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } }),
  );
}
