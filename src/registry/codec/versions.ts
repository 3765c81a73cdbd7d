// One object, several versions of its kind: it is stored in one and read in any. Without a conversion webhook only
// apiVersion differs between them, and what a version's schema does not know is lost on the way. An object that was
// stored before its kind's schema changed is read as the schema is now.

import { cloneJson } from "../../meta/json.ts";
import type { MemberOrder } from "../../meta/json-encode.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { oncePer } from "../../meta/once-per.ts";
import type { Revision } from "../../meta/revision.ts";
import { plainError } from "../../meta/status.ts";
import { coerceObject } from "../../schema/coerce.ts";
import { applyDefaults } from "../../schema/default.ts";
import type { KeyValue } from "../../storage/store.ts";
import type {
  ObjectConverter,
  ResourceDefinition,
  ResourceVersionDefinition,
  ResourceView,
} from "../definition/resource-definition.ts";
import { apiVersionOf, storageView, versionNamed } from "../definition/view.ts";
import { DecodedForms } from "./decoded-forms.ts";
import { atRevision, decodeStored, encodeObject, memberOrder, peekStored, toJson } from "./object-codec.ts";

/** What a write leaves behind: the stored value, or, for a dry run, an object that no store has seen. */
export type ObjectResult =
  /** `shown` is the object in the version of the request, where a webhook has converted it for this answer. */
  | { readonly type: "stored"; readonly kv: KeyValue; readonly shown?: Readonly<KubeObject> | undefined }
  | { readonly type: "bare"; readonly object: Readonly<KubeObject> };

/** Objects read through the version that is the key; one version object stands for one schema. */
const shownIn = oncePer(
  (_version: ResourceVersionDefinition) => new WeakMap<KeyValue, Readonly<KubeObject>>(),
);

/** Whether the stored bytes are what the view shows, save for resourceVersion. */
export function isShownAsStored({ definition, version }: ResourceView, kv: KeyValue): boolean {
  return (
    version.storage &&
    version.storedForm === undefined &&
    kv.modRevision >= (definition.schemaRevision ?? 0) &&
    (version.defaultsStatus !== true || hasStatus(kv))
  );
}

const storedStatus = new WeakMap<KeyValue, boolean>();

/** A new object is stored without the status that its strategy has dropped: each read defaults it, as upstream's decoder. */
function hasStatus(kv: KeyValue): boolean {
  let known = storedStatus.get(kv);
  if (known === undefined) {
    known = peekStored(kv)["status"] !== undefined;
    storedStatus.set(kv, known);
  }
  return known;
}

/**
 * The stored object as the view shows it. Shared: it must not be changed. Where a webhook converts, prepareVersions()
 * must have been called for it.
 */
export function decodeInVersion(view: ResourceView, kv: KeyValue): Readonly<KubeObject> {
  if (isShownAsStored(view, kv)) return decodeStored(kv);
  const known = shownIn(view.version).get(kv);
  if (known !== undefined) return known;
  if (needsConverter(view, kv)) throw new Error(`${kv.key} has not been converted yet`);
  const { storedForm } = view.version;
  const { custom } = view.definition;
  if (storedForm) return remember(view, kv, storedForm.fromStored(decodeStored(kv)));
  return remember(view, kv, convert(view, custom ? readAsStored(view, kv) : defaulted(view, kv)));
}

/** As decodeInVersion, without managedFields: what many copies are kept of. Shared, as above. */
export const decodeLean = (view: ResourceView, kv: KeyValue): Readonly<KubeObject> =>
  isShownAsStored(view, kv) ? withoutManagers(kv) : decodeInVersion(view, kv);

/** As decodeInVersion, with managedFields or without: whichever form is there already. */
export const decodeEither = (view: ResourceView, kv: KeyValue): Readonly<KubeObject> =>
  (isShownAsStored(view, kv) ? leanForms.get(kv) : undefined) ?? decodeInVersion(view, kv);

const leanForms = new DecodedForms<Readonly<KubeObject>>();

function withoutManagers(kv: KeyValue): Readonly<KubeObject> {
  const known = leanForms.get(kv);
  if (known !== undefined) return known;
  const whole = peekStored(kv);
  if (whole.metadata.managedFields === undefined) return leanForms.share(kv, whole);
  const { managedFields: _managedFields, ...metadata } = whole.metadata;
  return leanForms.share(kv, { ...whole, metadata });
}

function remember({ version }: ResourceView, kv: KeyValue, object: KubeObject): KubeObject {
  shownIn(version).set(kv, object);
  return object;
}

/** The stored object in the form in which it would be stored now, for writes that hold no version. Shared, as above. */
export function decodeToStore({ definition }: ResourceView, kv: KeyValue): Readonly<KubeObject> {
  return definition.custom ? decodeInVersion(storageView(definition), kv) : decodeStored(kv);
}

function defaulted({ version }: ResourceView, kv: KeyValue): KubeObject {
  const object: KubeObject = cloneJson(decodeStored(kv));
  applyDefaults(version.node, object);
  return object;
}

/** A copy of a stored custom resource, as the schema of the version that it is stored in is now. */
function readAsStored({ definition }: ResourceView, kv: KeyValue): KubeObject {
  const object: KubeObject = cloneJson(decodeStored(kv));
  const version = versionNamed(definition, object.apiVersion);
  if (version === undefined) {
    throw plainError(`request to convert CR from an invalid group/version: ${object.apiVersion}`);
  }
  coerceObject(version.node, object);
  applyDefaults(version.node, object);
  return object;
}

/** Makes an object one of the view's version, where no webhook is needed for it. Mutates. */
function convert(view: ResourceView, object: KubeObject): KubeObject {
  const apiVersion = apiVersionOf(view);
  if (object.apiVersion === apiVersion) return object;
  object.apiVersion = apiVersion;
  if (view.definition.custom) coerceObject(view.version.node, object);
  return object;
}

function needsConverter(view: ResourceView, kv: KeyValue): boolean {
  return view.definition.converter !== undefined && decodeStored(kv).apiVersion !== apiVersionOf(view);
}

/**
 * Has a webhook convert the objects that decodeInVersion() will be asked for; undefined when there is nothing to do,
 * as for most kinds. Lists and watches share one conversion of a revision, as they do in the watch cache of a real server;
 * other reads convert anew, see readInVersion(). Rejects with what keeps the webhook from it.
 */
export function prepareVersions(view: ResourceView, kvs: readonly KeyValue[]): Promise<void> | undefined {
  if (view.definition.converter === undefined) return undefined;
  const known = shownIn(view.version);
  const missing = kvs.filter((kv) => needsConverter(view, kv) && !known.has(kv));
  return missing.length === 0 ? undefined : convertStored(view, view.definition.converter, missing);
}

async function convertStored(
  view: ResourceView,
  converter: ObjectConverter,
  kvs: readonly KeyValue[],
): Promise<void> {
  const objects = await converter.convertAll(
    kvs.map((kv) => withoutRevision(readAsStored(view, kv))),
    apiVersionOf(view),
  );
  for (const [index, kv] of kvs.entries()) {
    const object = objects[index];
    if (object === undefined) throw new Error("a converter gives an object for each one");
    remember(view, kv, asRead(view, kv, object));
  }
}

/**
 * The stored object as the view shows it. A webhook that converts is called each time: its answer counts for one request.
 * undefined where none is needed, and decodeInVersion() has it. Rejects with a 500.
 */
export function convertAnew(view: ResourceView, kv: KeyValue): Promise<Readonly<KubeObject>> | undefined {
  const { converter } = view.definition;
  return converter && needsConverter(view, kv) ? convertOne(view, converter, kv) : undefined;
}

/** As convertAnew; shared, as decodeInVersion(), where no webhook is needed. */
export const readInVersion = async (view: ResourceView, kv: KeyValue): Promise<Readonly<KubeObject>> =>
  (await convertAnew(view, kv)) ?? decodeInVersion(view, kv);

async function convertOne(
  view: ResourceView,
  converter: ObjectConverter,
  kv: KeyValue,
): Promise<Readonly<KubeObject>> {
  const stored = withoutRevision(readAsStored(view, kv));
  const object = asRead(view, kv, await converter.convert(stored, apiVersionOf(view)));
  // A watch cache converts a revision before the first read of it.
  if (!shownIn(view.version).has(kv)) remember(view, kv, object);
  return object;
}

/** A webhook sees objects as they are stored: without their revision, which the store adds. */
function withoutRevision(object: KubeObject): KubeObject {
  const { resourceVersion: _revision, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function asRead(view: ResourceView, { modRevision }: KeyValue, converted: KubeObject): KubeObject {
  coerceObject(view.version.node, converted);
  converted.metadata.resourceVersion = String(modRevision);
  return converted;
}

/**
 * The object in the form in which it is stored. May change and return its argument. What only a dry run stores keeps its
 * revision, and a webhook sees it.
 */
export async function toStoredForm(
  { definition, version }: ResourceView,
  object: KubeObject,
  { dryRun = false } = {},
): Promise<KubeObject> {
  if (version.storedForm) return version.storedForm.toStored(object);
  const storage = storageView(definition);
  if (object.apiVersion === apiVersionOf(storage)) return object;
  const asSent = definition.converter && !dryRun ? withoutRevision(object) : object;
  const stored = await convertUnstored(storage, asSent);
  // A real server fills them in whenever it reads the object; here what is stored is what is read.
  if (definition.custom) applyDefaults(storage.version.node, stored);
  return stored;
}

/** What a write has left, as the view shows it. Shared, as above. */
export function resultInVersion(view: ResourceView, result: ObjectResult): Readonly<KubeObject> {
  return result.type === "stored" ? (result.shown ?? decodeInVersion(view, result.kv)) : result.object;
}

/** What a write has left, in the stored form, as the view shows it. */
export async function readyToShow(view: ResourceView, result: ObjectResult): Promise<ObjectResult> {
  if (result.type === "stored") {
    const shown = await convertAnew(view, result.kv);
    return shown ? { ...result, shown } : result;
  }
  const { storedForm } = view.version;
  if (storedForm) return { ...result, object: storedForm.fromStored(result.object) };
  const object: KubeObject = cloneJson(result.object);
  if (view.definition.custom) applyDefaults(storageView(view.definition).version.node, object);
  return { ...result, object: await convertUnstored(view, object) };
}

async function convertUnstored(view: ResourceView, object: KubeObject): Promise<KubeObject> {
  const { converter } = view.definition;
  const apiVersion = apiVersionOf(view);
  if (converter === undefined || object.apiVersion === apiVersion) return convert(view, object);
  const converted = await converter.convert(object, apiVersion);
  coerceObject(view.version.node, converted);
  return converted;
}

/** A copy of an object that is not stored, as another view of the same objects shows it. */
export async function inOtherView(
  from: ResourceView,
  to: ResourceView,
  object: Readonly<KubeObject>,
): Promise<KubeObject> {
  const copy: KubeObject = cloneJson(object);
  const stored = from.version.storedForm?.toStored(copy) ?? copy;
  return to.version.storedForm?.fromStored(stored) ?? convertUnstored(to, stored);
}

/** Its JSON as the view shows it; for DELETED events with the revision of the deletion. */
export function jsonInVersion(view: ResourceView, kv: KeyValue, revision: Revision = kv.modRevision): Buffer {
  if (isShownAsStored(view, kv)) return toJson(kv, revision);
  return Buffer.from(encodeObject(atRevision(decodeInVersion(view, kv), revision), memberOrder(view)));
}

/** The same with a line end. */
export function jsonLine(view: ResourceView, kv: KeyValue): Buffer {
  if (isShownAsStored(view, kv)) return toJson(kv, kv.modRevision, "\n");
  return Buffer.from(`${encodeObject(decodeInVersion(view, kv), memberOrder(view))}\n`);
}

/** The order of the members of stored objects. */
export const storedOrder = (definition: ResourceDefinition): MemberOrder | undefined =>
  memberOrder(storageView(definition));
