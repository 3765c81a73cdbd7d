// However the output of a watch is split into chunks, each WebSocket message is complete and unchanged.
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  lengthMessages,
  lineMessages,
  type SendPart,
} from "../../../../../src/apiserver/http/websocket/messages.ts";

const line = fc.string().map((text) => Buffer.from(`${text.replaceAll("\n", "")}\n`));
const message = fc.uint8Array({ minLength: 1, maxLength: 300 }).map((bytes) => Buffer.from(bytes));

function withLength(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function messagesOf(
  reader: (send: SendPart) => (chunk: Uint8Array) => void,
  bytes: Buffer,
  cuts: readonly number[],
): Buffer[] {
  const messages: Buffer[] = [];
  let parts: Uint8Array[] = [];
  const write = reader((part, isLast) => {
    expect(part.length).toBeGreaterThan(0);
    parts.push(part);
    if (!isLast) return;
    messages.push(Buffer.concat(parts));
    parts = [];
  });
  let from = 0;
  for (const cut of [...cuts.map((each) => each % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]) {
    write(bytes.subarray(from, cut));
    from = cut;
  }
  return messages;
}

test("lines", () => {
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.nat()), (lines, cuts) => {
      expect(messagesOf(lineMessages, Buffer.concat(lines), cuts)).toEqual(lines);
    }),
  );
});

test("messages behind lengths", () => {
  fc.assert(
    fc.property(fc.array(message), fc.array(fc.nat()), (messages, cuts) => {
      expect(messagesOf(lengthMessages, Buffer.concat(messages.map(withLength)), cuts)).toEqual(messages);
    }),
  );
});
