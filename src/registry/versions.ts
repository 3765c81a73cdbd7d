// One object, several versions of its kind: it is stored in one and read in any. Without a conversion webhook only
// apiVersion differs between them, and what a version's schema does not know is lost on the way. An object that was
// stored before its kind's schema changed is read as the schema is now.
import { cloneJson } from "../meta/json.ts";
import type { KubeObject } from "../meta/object-meta.ts";
import type { Revision } from "../meta/revision.ts";
import { plainError } from "../meta/status.ts";
import { coerceObject } from "../schema/coerce.ts";
import { applyDefaults } from "../schema/default.ts";
import type { KeyValue } from "../storage/store.ts";
import { decodeStored, toJson } from "./object-codec.ts";
import { encodeObject } from "./object-json.ts";
import type { ResourceDefinition, ResourceVersionDefinition, ResourceView } from "./resource-definition.ts";
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

function showIn(view: ResourceView, stored: Readonly<KubeObject>): KubeObject {
  const { definition } = view;
  if (definition.storedForm) return definition.storedForm.fromStored(stored);
  const object: KubeObject = cloneJson(stored);
  if (definition.custom) readAsStored(definition, object);
  else applyDefaults(view.version.node, object);
  return convert(view, object);
}

/** The stored object in the form in which it would be stored now, for writes that hold no version. Shared, as above. */
export function decodeToStore({ definition }: ResourceView, kv: KeyValue): Readonly<KubeObject> {
  return definition.custom ? decodeInVersion(storageView(definition), kv) : decodeStored(kv);
}

/** Brings an object up to the schema of the version that it is stored in. Mutates. */
function readAsStored(definition: ResourceDefinition, object: KubeObject): void {
  const version = definition.versions.find((item) => apiVersionOf({ definition, version: item }) === object.apiVersion);
  if (version === undefined) {
    throw plainError(`request to convert CR from an invalid group/version: ${object.apiVersion}`);
  }
  coerceObject(version.node, object);
  applyDefaults(version.node, object);
}

/** Makes an object one of the view's version. Mutates. */
function convert(view: ResourceView, object: KubeObject): KubeObject {
  const apiVersion = apiVersionOf(view);
  if (object.apiVersion === apiVersion) return object;
  object.apiVersion = apiVersion;
  if (view.definition.custom) coerceObject(view.version.node, object);
  return object;
}

/** The object in the form in which it is stored. May change and return its argument. */
export function toStoredForm({ definition }: ResourceView, object: KubeObject): KubeObject {
  if (definition.storedForm) return definition.storedForm.toStored(object);
  const storage = storageView(definition);
  if (object.apiVersion === apiVersionOf(storage)) return object;
  const stored = convert(storage, object);
  // A real server fills them in whenever it reads the object; here what is stored is what is read.
  if (definition.custom) applyDefaults(storage.version.node, stored);
  return stored;
}

/** An object in its stored form as the view shows it, for a dry run that stores nothing. */
export function showUnstored(view: ResourceView, stored: Readonly<KubeObject>): KubeObject {
  const { storedForm } = view.definition;
  return storedForm ? storedForm.fromStored(stored) : convert(view, cloneJson(stored));
}

/** Its JSON as the view shows it; for DELETED events with the revision of the deletion. */
export function jsonInVersion(view: ResourceView, kv: KeyValue, revision: Revision = kv.modRevision): Buffer {
  if (isShownAsStored(view, kv)) return toJson(kv, revision);
  const object = decodeInVersion(view, kv);
  const metadata = { ...object.metadata, resourceVersion: String(revision) };
  return Buffer.from(encodeObject({ ...object, metadata }, view.definition.custom));
}
