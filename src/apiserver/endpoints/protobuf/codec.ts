// application/vnd.kubernetes.protobuf: four magic bytes, then runtime.Unknown, which contains the type of its raw bytes.
//
//   6b 38 73 00 | 1: { 1: apiVersion, 2: kind } | 2: the object | 3: content encoding | 4: content type
//
// Objects are passed and returned in their JSON form. A watch frame is a length-delimited metav1.WatchEvent that
// contains such an envelope.
import { isObject, type JsonObject, textOf } from "../../../apimachinery/json/json.ts";
import type { MessageType } from "./message-type.ts";
import { messageOfKind } from "./type-library.ts";
import {
  DELIMITED,
  decoding,
  newCounter,
  newReader,
  newWriter,
  ProtobufDecodeError,
  type Reader,
  readFields,
  STRING,
  type TypeIdentity,
  type Writer,
  within,
} from "./value-types.ts";

export const PROTOBUF_TYPE = "application/vnd.kubernetes.protobuf";

const MAGIC = Buffer.from([0x6b, 0x38, 0x73, 0x00]);

/** Whether the bytes begin with the magic bytes of an envelope. */
export const isEnvelope = (bytes: Uint8Array): boolean =>
  bytes.length >= MAGIC.length && MAGIC.every((byte, index) => bytes[index] === byte);

/** Whether objects of the kind can be encoded as protobuf. */
export function hasProtobuf(apiVersion: string, kind: string): boolean {
  return messageOfKind(apiVersion, kind) !== undefined;
}

/** The envelope of an object, list or Status in its JSON form. The kind must have a message. */
export const encodeProtobuf = (apiVersion: string, kind: string, value: Readonly<JsonObject>): Buffer =>
  finish(envelope({ apiVersion, kind }, value));

/** Like encodeProtobuf, with the apiVersion of another version that has the same fields. */
export const encodeProtobufAs = (
  said: TypeIdentity,
  { apiVersion, kind }: TypeIdentity,
  value: Readonly<JsonObject>,
): Buffer => finish(envelope({ apiVersion, kind }, value, newWriter(), said));

/** The envelope of an encoded message. */
export const encodeMessage = (type: TypeIdentity, message: Uint8Array): Buffer =>
  finish(writeEnd(writeType(newWriter().raw(MAGIC), type).uint32(18).bytes(message)));

/** The number of bytes that encodeProtobuf returns. */
export const protobufLength = (apiVersion: string, kind: string, value: Readonly<JsonObject>): number =>
  envelope({ apiVersion, kind }, value, newCounter()).len;

function envelope(
  type: TypeIdentity,
  value: Readonly<JsonObject>,
  into = newWriter(),
  said: TypeIdentity = type,
): Writer {
  const message = knownMessage(type);
  const writer = writeType(into.raw(MAGIC), said);
  message.write(writer.uint32(18), value);
  return writeEnd(writer);
}

function knownMessage({ apiVersion, kind }: TypeIdentity): MessageType {
  const message = messageOfKind(apiVersion, kind);
  if (message === undefined) throw new Error(`${apiVersion} ${kind} has no protobuf message`);
  return message;
}

const writeType = (writer: Writer, { apiVersion, kind }: TypeIdentity): Writer =>
  writer.uint32(10).fork().uint32(10).string(apiVersion).uint32(18).string(kind).ldelim();
const writeEnd = (writer: Writer): Writer => writer.uint32(26).string("").uint32(34).string("");

/** Like encodeProtobuf, for values with apiVersion and kind. */
export function toProtobuf(value: unknown): Buffer {
  if (!isObject(value)) throw new Error("only objects have a protobuf form");
  return encodeProtobuf(String(value["apiVersion"] ?? ""), String(value["kind"] ?? ""), value);
}

/** The encoded items of a list message. The kind of the list must have a message. */
export function listItemsMessage(list: TypeIdentity, items: readonly unknown[]): Buffer {
  return messageFields(list, { items }).subarray(messageFields(list, {}).length);
}

/** The bytes before and after list items with a total of `itemsBytes`. */
export function listEnvelope(
  list: TypeIdentity,
  metadata: object,
  itemsBytes: number,
): [head: Buffer, tail: Buffer] {
  const before = messageFields(list, { metadata });
  const head = writeType(newWriter().raw(MAGIC), list)
    .uint32(18)
    .uint32(before.length + itemsBytes);
  return [finish(head.raw(before)), finish(writeEnd(newWriter()))];
}

/** The message without its length. */
function messageFields(type: TypeIdentity, value: Readonly<JsonObject>): Buffer {
  const writer = newWriter();
  knownMessage(type).writeFields(writer, value);
  return finish(writer);
}

/** One framed watch event. */
export function encodeWatchFrame(type: string, envelope: Uint8Array): Buffer {
  const writer = newWriter();
  writer.fixed32(0); // the length follows once it is known
  writer.uint32(10).string(type);
  writer.uint32(18).fork().uint32(10).bytes(envelope).ldelim();
  const frame = finish(writer);
  frame.writeUInt32BE(frame.length - 4, 0);
  return frame;
}

function finish(writer: Writer): Buffer {
  const bytes = writer.finish();
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** An envelope whose object is not decoded. */
export interface OpenedEnvelope {
  readonly identity: TypeIdentity;
  readonly raw: Uint8Array;
}

/** Opens a body. Missing parts of its type come from the fallback. Throws ProtobufDecodeError. */
export function openEnvelope(body: Uint8Array, fallback: TypeIdentity): OpenedEnvelope {
  if (body.length === 0) throw new ProtobufDecodeError("empty data");
  if (!isEnvelope(body)) {
    throw new ProtobufDecodeError(
      `provided data does not appear to be a protobuf message, expected prefix [${[...MAGIC].join(" ")}]`,
    );
  }
  if (body.length === MAGIC.length) throw new ProtobufDecodeError("empty body");
  const reader = newReader(body.subarray(MAGIC.length));
  const { apiVersion, kind, raw } = decoding(undefined, () => readUnknown(reader));
  const usable = apiVersion !== "" && apiVersion.split("/").length <= 2;
  const identity = { apiVersion: usable ? apiVersion : fallback.apiVersion, kind: kind || fallback.kind };
  return { identity, raw };
}

/** Decodes a body to its JSON form, before conversion to its kind. Throws ProtobufDecodeError. */
export function decodeProtobuf(
  body: Uint8Array,
  fallback: TypeIdentity,
): TypeIdentity & { value: JsonObject } {
  const { identity, raw } = openEnvelope(body, fallback);
  return { ...identity, value: decodeMessage(identity, raw) };
}

/** Decodes the content of an envelope as an object of that type. Throws ProtobufDecodeError. */
export function decodeMessage(identity: TypeIdentity, raw: Uint8Array): JsonObject {
  const { apiVersion, kind } = identity;
  const message = messageOfKind(apiVersion, kind);
  if (message === undefined) {
    const version = JSON.stringify(apiVersion);
    throw new ProtobufDecodeError(
      `no kind ${JSON.stringify(kind)} is registered for version ${version} in scheme "pkg/api/legacyscheme/scheme.go:30"`,
      identity,
    );
  }
  const value: JsonObject = { kind, apiVersion };
  decoding(identity, () => message.readFields(newReader(raw), value, 0));
  return value;
}

function readUnknown(reader: Reader): { apiVersion: string; kind: string; raw: Uint8Array } {
  const [types, raws] = readFields(reader, [
    { wireType: DELIMITED, read: readTypeMeta },
    { wireType: DELIMITED, read: () => reader.bytes() },
  ]);
  const { apiVersion, kind } = (types?.at(-1) ?? { apiVersion: "", kind: "" }) as TypeIdentity; // its type is TypeIdentity
  return { apiVersion, kind, raw: (raws?.at(-1) ?? new Uint8Array()) as Uint8Array };
}

function readTypeMeta(reader: Reader): TypeIdentity {
  const [apiVersions, kinds] = within(reader, () => readFields(reader, [STRING, STRING]));
  return { apiVersion: textOf(apiVersions?.at(-1)), kind: textOf(kinds?.at(-1)) };
}
