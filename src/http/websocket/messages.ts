// Where the messages end in what a watch writes: each event is one. A watch writes whole events, but a fault may hand on
// pieces of one: such a message is sent in parts.

/** Sends a part of a message; the last one ends it. */
export type SendPart = (part: Uint8Array, isLast: boolean) => void;

const LINE_END = 0x0a;

/** Messages of lines, the line end included, as a real server sends them. */
export function lineMessages(send: SendPart): (chunk: Uint8Array) => void {
  return (chunk) => {
    for (let at = 0; at < chunk.length; ) {
      const lineEnd = chunk.indexOf(LINE_END, at);
      const end = lineEnd < 0 ? chunk.length : lineEnd + 1;
      send(chunk.subarray(at, end), lineEnd >= 0);
      at = end;
    }
  };
}

const LENGTH_BYTES = 4;

/** Messages of what stands behind lengths, which a message on a WebSocket does without. */
export function lengthMessages(send: SendPart): (chunk: Uint8Array) => void {
  let lengthBytesLeft = LENGTH_BYTES;
  let left = 0;
  return (chunk) => {
    for (let at = 0; at < chunk.length; ) {
      if (lengthBytesLeft > 0) {
        left = left * 256 + (chunk[at++] ?? 0);
        lengthBytesLeft--;
        continue;
      }
      const part = chunk.subarray(at, at + left);
      at += part.length;
      left -= part.length;
      send(part, left === 0);
      if (left === 0) lengthBytesLeft = LENGTH_BYTES;
    }
  };
}
