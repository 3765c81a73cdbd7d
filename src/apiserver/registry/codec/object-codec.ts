// Stored form of an object: four bytes with the offset of resourceVersion, one byte of flags, one byte with the length
// of the leading kind and apiVersion, then its JSON in the storage version without resourceVersion.
//
//   [offset u32][flags u8][type meta u8]{"kind":"…","apiVersion":"…","metadata":{…,"name":"x",▲"uid":"…"},"spec":…}
//
// A response is built by splicing `"resourceVersion":"42",` in at ▲, so that GET, LIST and every watcher receive the bytes
// that were encoded once for the commit. Built-in kinds start with their type meta, because items of their lists omit it.
// Custom resources have all keys sorted.
import { isObject } from "../../../apimachinery/json/json.ts";
import { decodeJson } from "../../../apimachinery/json/json-decode.ts";
import {
  encodeJson,
  escapeHtml,
  keysInOrder,
  type MemberOrder,
  orderWithin,
} from "../../../apimachinery/json/json-encode.ts";
import { encodeJsonInTurns } from "../../../apimachinery/json/json-in-turns.ts";
import { LEVELS_MAX } from "../../../apimachinery/meta/max-nesting-depth.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import type { Revision } from "../../../apimachinery/meta/revision.ts";
import { ownTurn } from "../../../apimachinery/scheduling/event-loop.ts";
import { structOrder } from "../../../apimachinery/schema/go/go-struct.ts";
import type { KeyValue } from "../../../storage/store.ts";
import type { ResourceView } from "../definition/resource-definition.ts";
import { DecodedForms } from "./decoded-forms.ts";
import { MANAGERS, managersText, managersTextInTurns, reuseEntries } from "./stored-managers.ts";

export const HEADER_BYTES = 6;
const FLAG_BIG_INTEGERS = 1;
/**
 * No member of metadata follows resourceVersion, so it has no trailing comma. Only objects that another server stored are
 * so.
 */
const FLAG_LAST = 2;
const LONG_DIGITS = /[:[,]-?\d{16}/;

/** JSON of a member of the object or of its metadata. */
type TextOf = (value: unknown, order: MemberOrder | undefined, key: string) => string;

const textOfMember: TextOf = (value, order, key) =>
  key === MANAGERS ? managersText(value, order) : encodeJson(value, order);

/** Encodes an object for the store. resourceVersion is left out. Without an order the keys are sorted. */
export function encodeStored(
  object: KubeObject,
  order: MemberOrder | undefined,
  textOf: TextOf = textOfMember,
): Buffer {
  const [before, after] = metadataText(object.metadata, orderWithin(order, "metadata"), textOf);
  let front = "";
  let back = "";
  let typeMetaLength = 0;
  let isBehind = false;
  for (const key of keysInOrder(object, order)) {
    const value = object[key];
    if (key === "metadata") isBehind = true;
    if (value === undefined || key === "metadata") continue;
    const member = `${JSON.stringify(key)}:${textOf(value, orderWithin(order, key), key)}`;
    if (isBehind) back += `,${member}`;
    else front += `${member},`;
    if (order !== undefined && (key === "kind" || key === "apiVersion")) typeMetaLength = front.length;
  }
  const isLast = after === "";
  const head = escapeHtml(`{${front}"metadata":{${isLast ? before.slice(0, -1) : before}`);
  const tail = escapeHtml(`${after}}${back}}`);
  const offset = Buffer.byteLength(head);
  const out = Buffer.allocUnsafe(HEADER_BYTES + offset + Buffer.byteLength(tail));
  out.writeUInt32BE(offset, 0);
  const hasBig = LONG_DIGITS.test(head) || LONG_DIGITS.test(tail);
  out[4] = (hasBig ? FLAG_BIG_INTEGERS : 0) | (isLast ? FLAG_LAST : 0);
  out[5] = typeMetaLength;
  out.write(head, HEADER_BYTES);
  out.write(tail, HEADER_BYTES + offset);
  return out;
}

/** Both parts of metadata; the first ends with a comma if it is not empty. */
function metadataText(metadata: object, order: MemberOrder | undefined, textOf: TextOf): [string, string] {
  const members = metadata as Record<string, unknown>; // walked by name
  const place = order?.members?.get("resourceVersion")?.place ?? 0;
  const isBefore = (key: string): boolean =>
    order === undefined ? key < "resourceVersion" : (order.members?.get(key)?.place ?? place) < place;
  let head = "";
  let tail = "";
  for (const key of keysInOrder(metadata, order)) {
    if (members[key] === undefined || key === "resourceVersion") continue;
    const member = `${JSON.stringify(key)}:${textOf(members[key], orderWithin(order, key), key)}`;
    if (isBefore(key)) head += `${member},`;
    else tail += `${tail === "" ? "" : ","}${member}`;
  }
  return [head, tail];
}

/** JSON of members of an object and of its metadata. */
export type MemberTexts = Map<unknown, string>;

/** As encodeStored, with yielding. Members with a cached text are not encoded again. */
export async function encodeStoredInTurns(
  object: KubeObject,
  order: MemberOrder | undefined,
  texts: MemberTexts,
): Promise<Buffer> {
  const { metadata, ...others } = object;
  const parts = [
    ...Object.entries(metadata).map(([key, value]) => ({
      ...{ key, value },
      order: orderWithin(orderWithin(order, "metadata"), key),
    })),
    ...Object.entries(others).map(([key, value]) => ({ key, value, order: orderWithin(order, key) })),
  ];
  for (const { key, value, order } of parts) {
    const isPart = typeof value === "object" && value !== null;
    if (isPart && !texts.has(value)) {
      const write = key === MANAGERS ? managersTextInTurns : encodeJsonInTurns;
      texts.set(value, await write(value, order));
    }
  }
  await ownTurn();
  return encodeStored(object, order, (value, within) => texts.get(value) ?? encodeJson(value, within));
}

/** Number of bytes that writeJson() writes. */
export function jsonLength(kv: KeyValue, revision: Revision = kv.modRevision): number {
  return kv.value.length - HEADER_BYTES + splice(kv.value, revision).length;
}

/** Number of bytes that writeListItem() writes. */
export function listItemLength(kv: KeyValue): number {
  return jsonLength(kv) - (kv.value[5] ?? 0);
}

/** Copies the object's JSON with its resourceVersion into target; returns the position after it. */
export function writeJson(
  kv: KeyValue,
  target: Buffer,
  at: number,
  revision: Revision = kv.modRevision,
): number {
  return writeFrom(kv.value, target, at, splice(kv.value, revision), HEADER_BYTES);
}

/** As writeJson, without kind and apiVersion, which items of a built-in kind's list omit. */
export function writeListItem(kv: KeyValue, target: Buffer, at: number): number {
  const typeMeta = kv.value[5] ?? 0;
  if (typeMeta === 0) return writeJson(kv, target, at);
  target[at] = OPENING_BRACE;
  const member = splice(kv.value, kv.modRevision);
  return writeFrom(kv.value, target, at + 1, member, HEADER_BYTES + 1 + typeMeta);
}

/** Writes a stored value from an offset on, with the member for resourceVersion; returns the position after it. */
function writeFrom(value: Uint8Array, target: Buffer, at: number, member: string, from: number): number {
  const offset = HEADER_BYTES + readOffset(value);
  target.set(value.subarray(from, offset), at);
  let position = at + offset - from;
  position += target.write(member, position, "latin1");
  target.set(value.subarray(offset), position);
  return position + value.length - offset;
}

/** The object's JSON with its resourceVersion (for a DELETED event: the revision of the deletion), followed by `end`. */
export function toJson(kv: KeyValue, revision: Revision = kv.modRevision, end: "" | "\n" = ""): Buffer {
  const member = splice(kv.value, revision);
  const out = Buffer.allocUnsafe(kv.value.length - HEADER_BYTES + member.length + end.length);
  const position = writeFrom(kv.value, out, 0, member, HEADER_BYTES);
  if (end !== "") out.write(end, position, "latin1");
  return out;
}

/** The object with another resourceVersion. */
export const atRevision = <T extends Readonly<KubeObject>>(object: T, revision: Revision): T => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion: String(revision) },
});

function splice(value: Uint8Array, revision: Revision): string {
  const member = `"resourceVersion":"${revision}"`;
  if (((value[4] ?? 0) & FLAG_LAST) === 0) return `${member},`;
  return value[HEADER_BYTES + readOffset(value) - 1] === OPENING_BRACE ? member : `,${member}`;
}

const OPENING_BRACE = 0x7b;

export function readOffset(value: Uint8Array): number {
  return (((value[0] ?? 0) << 24) | ((value[1] ?? 0) << 16) | ((value[2] ?? 0) << 8) | (value[3] ?? 0)) >>> 0;
}

/** Maximal distance in bytes from the offset of resourceVersion to its neighbor uid. */
const UID_REACH = 64;
const UID_MEMBER = '"uid":"';
const UID_BEFORE = /"uid":"([^"]*)",?$/;
const UID_BEHIND = /^"uid":"([^"]*)"/;

/** The uid in a stored value without decoding it; undefined when the value is no object. */
export function uidOf({ value }: Pick<KeyValue, "value">): string | undefined {
  const at = HEADER_BYTES + readOffset(value);
  if (at > value.length) return undefined;
  const { buffer, byteOffset, length } = value;
  const bytes = Buffer.from(buffer, byteOffset, length);
  const from = Math.max(at - UID_REACH, 0);
  const behind = UID_BEHIND.exec(bytes.toString("latin1", at, Math.min(at + UID_REACH, length)));
  const found = behind ?? UID_BEFORE.exec(bytes.toString("latin1", from, at));
  if (found === null) return undefined;
  const start = (behind === null ? from : at) + found.index + UID_MEMBER.length;
  // Decoded again: a substring would keep the whole text in memory, and many callers hold uids.
  return bytes.toString("latin1", start, start + (found[1]?.length ?? 0));
}

const decoded = new DecodedForms<KubeObject>();

/** Decodes a stored value, with its resourceVersion. The object is shared by all readers and must not be changed. */
export const decodeStored = (kv: KeyValue): Readonly<KubeObject> =>
  knownObject(kv) ?? decoded.hold(kv, parseStored(kv));

const knownObject = (kv: KeyValue): KubeObject | undefined =>
  kv instanceof RawValue ? kv.object : decoded.get(kv);

/**
 * A stored value that holds its object, for a store in memory. It is encoded at the first access to its bytes, which most
 * objects never see. The object must be equal to the decoded one, and must not be changed afterwards.
 */
export class RawValue implements KeyValue {
  readonly key: string;
  readonly createRevision: Revision;
  readonly modRevision: Revision;
  readonly object: KubeObject;
  readonly #order: MemberOrder | undefined;
  #value: Uint8Array | undefined;

  constructor(key: string, { object, order }: OrderedObject, revision: Revision) {
    this.key = key;
    this.createRevision = revision;
    this.modRevision = revision;
    this.#order = order;
    const metadata = { ...object.metadata, resourceVersion: String(revision) };
    this.object = { ...object, metadata };
  }

  get value(): Uint8Array {
    this.#value ??= encodeStored(this.object, this.#order);
    return this.#value;
  }
}

/** An object, and the member order of its encoding. */
export interface OrderedObject {
  readonly object: Readonly<KubeObject>;
  readonly order: MemberOrder | undefined;
}

/** As decodeStored, but a newly decoded object is not cached. */
export const peekStored = (kv: KeyValue): Readonly<KubeObject> => knownObject(kv) ?? parseStored(kv);

function parseStored(kv: KeyValue): KubeObject {
  const object = parseWithoutRevision(kv);
  object.metadata.resourceVersion = String(kv.modRevision);
  reuseEntries(kv, object.metadata.managedFields);
  return object;
}

/** Decodes a stored value, which has no resourceVersion. The result is not shared. */
export function parseWithoutRevision({ key, value: bytes }: Pick<KeyValue, "key" | "value">): KubeObject {
  const text = jsonWithoutRevision(bytes).toString("utf8");
  const value: unknown =
    ((bytes[4] ?? 0) & FLAG_BIG_INTEGERS) !== 0
      ? decodeJson(text, { depthMax: LEVELS_MAX }).value
      : JSON.parse(text);
  if (!isObject(value) || !isObject(value["metadata"]))
    throw new Error(`the stored value of ${key} is no object`);
  return value as KubeObject; // it was a KubeObject when it was encoded
}

/** The object's JSON without its resourceVersion: a slice of the stored value. */
export const jsonWithoutRevision = ({ buffer, byteOffset, length }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset + HEADER_BYTES, length - HEADER_BYTES);

/** Member order of the view's objects; undefined for custom resources, whose keys are sorted. */
export const memberOrder = ({ definition, version }: ResourceView): MemberOrder | undefined =>
  definition.custom ? undefined : structOrder(version.node);

/** The object's whole JSON, with metadata.resourceVersion if it is set. */
export const encodeObject = (object: KubeObject, order: MemberOrder | undefined): string =>
  escapeHtml(encodeJson(object, order));
