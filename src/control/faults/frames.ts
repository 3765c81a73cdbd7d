// The events of a watch on the wire, told apart: lines of JSON, or protobuf messages behind their lengths. What a watch
// writes at once is always a number of whole events.
import { PROTOBUF_TYPE } from "../../apiserver/protobuf/codec.ts";
import type { MediaType } from "../../apiserver/request/negotiation.ts";

const LINE_END = 0x0a;
const LENGTH_BYTES = 4;
/** {"type":" */
const JSON_TYPE_AT = 9;
const QUOTE = 0x22;
const INITIAL_EVENTS_END = "k8s.io/initial-events-end";

export type FrameKind = "event" | "bookmark" | "initialEventsEnd" | "error";

export class Frames {
  readonly mediaType: MediaType;

  /** The header says what an answer's body is made of. */
  constructor(contentType: string) {
    this.mediaType = contentType.startsWith(PROTOBUF_TYPE) ? PROTOBUF_TYPE : "application/json";
  }

  *split(chunk: Uint8Array): Generator<Buffer> {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    const protobuf = this.mediaType === PROTOBUF_TYPE;
    for (let at = 0; at < bytes.length; ) {
      const lineEnd = protobuf ? -1 : bytes.indexOf(LINE_END, at);
      const end = protobuf ? at + LENGTH_BYTES + bytes.readUInt32BE(at) : lineEnd + 1 || bytes.length;
      yield bytes.subarray(at, end);
      at = end;
    }
  }

  kindOf(frame: Buffer): FrameKind {
    const type = this.mediaType === PROTOBUF_TYPE ? protobufType(frame) : jsonType(frame);
    if (type === "ERROR") return "error";
    if (type !== "BOOKMARK") return "event";
    return frame.includes(INITIAL_EVENTS_END) ? "initialEventsEnd" : "bookmark";
  }
}

function jsonType(frame: Buffer): string {
  return frame.toString("latin1", JSON_TYPE_AT, frame.indexOf(QUOTE, JSON_TYPE_AT));
}

/** Field 1 of the message: a tag, a length below 128, the letters. */
function protobufType(frame: Buffer): string {
  const length = frame[LENGTH_BYTES + 1] ?? 0;
  return frame.toString("latin1", LENGTH_BYTES + 2, LENGTH_BYTES + 2 + length);
}
