// Splits watch output into WebSocket messages, one per event. A watch writes whole events, but an injected fault may
// pass on a part of one: such a message is sent in fragments.

/** Sends a fragment of a message. */
export type SendPart = (part: Uint8Array, isLast: boolean) => void;

const LINE_END = 0x0a;

/** Messages delimited by line ends, which are included, as from a kube-apiserver. */
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

/** Length-delimited messages. The length is omitted: a WebSocket message carries its own. */
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
