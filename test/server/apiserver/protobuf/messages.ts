// Protobuf as a client encodes and decodes it that knows only the messages: with protobufjs, from a .proto text.
import protobuf from "protobufjs";
import { expect } from "vitest";

/** The envelopes of every object, and of every event of a watch. */
const ENVELOPES = `
syntax = "proto2";
message TypeMeta { optional string apiVersion = 1; optional string kind = 2; }
message Unknown {
  optional TypeMeta typeMeta = 1;
  optional bytes raw = 2;
  optional string contentEncoding = 3;
  optional string contentType = 4;
}
message RawExtension { optional bytes raw = 1; }
message WatchEvent { optional string type = 1; optional RawExtension object = 2; }
`;
const MAGIC = Buffer.from("k8s\0");
const LENGTH_BYTES = 4;

export class Messages {
  readonly #root: protobuf.Root;

  constructor(text: string) {
    this.#root = protobuf.parse(ENVELOPES + text).root;
  }

  encode(type: string, value: object): Uint8Array {
    const message = this.#root.lookupType(type);
    return message.encode(message.fromObject(value)).finish();
  }

  decode<T>(type: string, bytes: Uint8Array): T {
    const message = this.#root.lookupType(type);
    return message.toObject(message.decode(bytes), { longs: Number }) as T; // as the message says
  }

  seal(kind: string, value: object): Buffer {
    const unknown = { typeMeta: { apiVersion: "v1", kind }, raw: this.encode(kind, value) };
    return Buffer.concat([MAGIC, this.encode("Unknown", unknown)]);
  }

  /** Decodes the envelope's content as the type that it names, or as another message with some of its members. */
  open<T>(bytes: Uint8Array, type?: string): { readonly kind: string; readonly value: T } {
    expect(Buffer.from(bytes.subarray(0, MAGIC.length))).toEqual(MAGIC);
    const envelope = bytes.subarray(MAGIC.length);
    const { typeMeta, raw } = this.decode<{ typeMeta: { kind: string }; raw: Uint8Array }>(
      "Unknown",
      envelope,
    );
    return { kind: typeMeta.kind, value: this.decode<T>(type ?? typeMeta.kind, raw) };
  }

  /** The events of a watch. Each has its length as a prefix of four bytes; its object is in an envelope. */
  async *events<T>(
    body: AsyncIterable<Uint8Array> | null,
    type?: string,
  ): AsyncGenerator<{ readonly type: string; readonly value: T }> {
    let pending = Buffer.alloc(0);
    for await (const chunk of body ?? []) {
      pending = Buffer.concat([pending, chunk]);
      while (pending.length >= LENGTH_BYTES && pending.length >= LENGTH_BYTES + pending.readUInt32BE(0)) {
        const end = LENGTH_BYTES + pending.readUInt32BE(0);
        const event = this.decode<{ type: string; object: { raw: Uint8Array } }>(
          "WatchEvent",
          pending.subarray(LENGTH_BYTES, end),
        );
        yield { type: event.type, value: this.open<T>(event.object.raw, type).value };
        pending = pending.subarray(end);
      }
    }
  }
}
