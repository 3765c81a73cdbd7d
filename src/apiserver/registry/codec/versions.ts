// Version conversion: a kind is stored in one version and read in any. Without a conversion webhook only apiVersion
// differs, and fields outside of the target version's schema are pruned. An object that was stored under an older schema
// is read by the current one.

import { cloneJson } from "../../../apimachinery/json/json.ts";
import type { MemberOrder } from "../../../apimachinery/json/json-encode.ts";
import { memoize } from "../../../apimachinery/meta/memoize.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import type { Revision } from "../../../apimachinery/meta/revision.ts";
import { plainError } from "../../../apimachinery/meta/status.ts";
import { coerceObject } from "../../../apimachinery/schema/coerce.ts";
import { applyDefaults } from "../../../apimachinery/schema/default.ts";
import type { KeyValue } from "../../../storage/store.ts";
import type {
  ObjectConverter,
  ResourceDefinition,
  ResourceVersionDefinition,
  ResourceView,
} from "../definition/resource-definition.ts";
import { apiVersionOf, storageView, versionNamed } from "../definition/view.ts";
import { DecodedForms } from "./decoded-forms.ts";
import { atRevision, decodeStored, encodeObject, memberOrder, peekStored, toJson } from "./object-codec.ts";

/** Result of a write: the stored value or, for a dry run, an object outside of the store. */
export type ObjectResult =
  /** `shown` is the object in the version of the request, where a webhook converted it for this response. */
  | { readonly type: "stored"; readonly kv: KeyValue; readonly shown?: Readonly<KubeObject> | undefined }
  | { readonly type: "bare"; readonly object: Readonly<KubeObject> };

/** Decoded objects by version. Each version object belongs to one schema, so a changed schema has a cache of its own. */
const shownIn = memoize(
  (_version: ResourceVersionDefinition) => new WeakMap<KeyValue, Readonly<KubeObject>>(),
);

/** Reports whether the view shows the stored bytes, apart from resourceVersion. */
export function isShownAsStored({ definition, version }: ResourceView, kv: KeyValue): boolean {
  return (
    version.storage &&
    version.storedForm === undefined &&
    kv.modRevision >= (definition.schemaRevision ?? 0) &&
    (version.defaultsStatus !== true || hasStatus(kv))
  );
}

const storedStatus = new WeakMap<KeyValue, boolean>();

/** A new object is stored without the status that its strategy dropped. Each read defaults it, as upstream's decoder. */
function hasStatus(kv: KeyValue): boolean {
  let known = storedStatus.get(kv);
  if (known === undefined) {
    known = peekStored(kv)["status"] !== undefined;
    storedStatus.set(kv, known);
  }
  return known;
}

/**
 * The stored object in the view's version. It is shared and must not be changed. Where a webhook converts,
 * prepareVersions() must have been called for it.
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

/** As decodeInVersion, without managedFields, for callers that keep many objects. Shared, as above. */
export const decodeLean = (view: ResourceView, kv: KeyValue): Readonly<KubeObject> =>
  isShownAsStored(view, kv) ? withoutManagers(kv) : decodeInVersion(view, kv);

/** As decodeInVersion, with or without managedFields, whichever form is cached. */
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

/** The stored object in its current storage form, for writes that carry no version. Shared, as above. */
export function decodeToStore({ definition }: ResourceView, kv: KeyValue): Readonly<KubeObject> {
  return definition.custom ? decodeInVersion(storageView(definition), kv) : decodeStored(kv);
}

function defaulted({ version }: ResourceView, kv: KeyValue): KubeObject {
  const object: KubeObject = cloneJson(decodeStored(kv));
  applyDefaults(version.node, object);
  return object;
}

/** A copy of a stored custom resource by the current schema of its storage version. */
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

/** Converts an object to the view's version, where no webhook is needed. Mutates. */
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
 * Converts objects by webhook before decodeInVersion() reads them; undefined when nothing needs conversion, as for most
 * kinds. Lists and watches share one conversion of a revision, as in upstream's watch cache. Other reads convert anew,
 * see readInVersion(). Rejects with the failure of the webhook.
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
 * The stored object in the view's version. A conversion webhook is called each time: its result is used for one request.
 * undefined where none is needed, and decodeInVersion() returns the object. Rejects with a 500.
 */
export function convertAnew(view: ResourceView, kv: KeyValue): Promise<Readonly<KubeObject>> | undefined {
  const { converter } = view.definition;
  return converter && needsConverter(view, kv) ? convertOne(view, converter, kv) : undefined;
}

/** As convertAnew; where no webhook is needed the object is shared, as in decodeInVersion(). */
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

/** A webhook receives objects in stored form, without the resourceVersion that the store adds. */
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
 * The object in its stored form. May change and return its argument. The object of a dry run keeps its resourceVersion,
 * and a webhook receives it.
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
  // Upstream defaults each time that it decodes; here the stored form already has the defaults.
  if (definition.custom) applyDefaults(storage.version.node, stored);
  return stored;
}

/** Result of a write in the view's version. Shared, as above. */
export function resultInVersion(view: ResourceView, result: ObjectResult): Readonly<KubeObject> {
  return result.type === "stored" ? (result.shown ?? decodeInVersion(view, result.kv)) : result.object;
}

/** Result of a write, converted for the response in the view's version. */
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

/** A copy of an object outside of the store, in another view of the same objects. */
export async function inOtherView(
  from: ResourceView,
  to: ResourceView,
  object: Readonly<KubeObject>,
): Promise<KubeObject> {
  const copy: KubeObject = cloneJson(object);
  const stored = from.version.storedForm?.toStored(copy) ?? copy;
  return to.version.storedForm?.fromStored(stored) ?? convertUnstored(to, stored);
}

/** Its JSON in the view's version; for DELETED events with the revision of the deletion. */
export function jsonInVersion(view: ResourceView, kv: KeyValue, revision: Revision = kv.modRevision): Buffer {
  if (isShownAsStored(view, kv)) return toJson(kv, revision);
  return Buffer.from(encodeObject(atRevision(decodeInVersion(view, kv), revision), memberOrder(view)));
}

/** The same with a newline. */
export function jsonLine(view: ResourceView, kv: KeyValue): Buffer {
  if (isShownAsStored(view, kv)) return toJson(kv, kv.modRevision, "\n");
  return Buffer.from(`${encodeObject(decodeInVersion(view, kv), memberOrder(view))}\n`);
}

/** Member order of stored objects. */
export const storedOrder = (definition: ResourceDefinition): MemberOrder | undefined =>
  memberOrder(storageView(definition));
