// The sequence number that a write carries as a label, so that its event can be recognized by its bytes.
const DIGITS = 8;

export const SEQ_LABEL = "egret-bench-seq";

export function seqValue(seq: number): string {
  return String(seq).padStart(DIGITS, "0");
}

/** The bytes before the number in the JSON of the object; field names in managedFields look different. */
const prefixBytes = Buffer.from(`"${SEQ_LABEL}":"`);
const MARK_BYTES = prefixBytes.length + DIGITS;

/** Calls `onSeq` for each number in the bytes. Returns the rest, in which a number may have begun. */
export function readSeqs(bytes: Buffer, onSeq: (seq: number) => void): Buffer {
  let from = 0;
  for (;;) {
    const at = bytes.indexOf(prefixBytes, from);
    if (at < 0) return bytes.subarray(Math.max(from, bytes.length - prefixBytes.length + 1));
    if (at + MARK_BYTES > bytes.length) return bytes.subarray(at);
    onSeq(Number(bytes.toString("latin1", at + prefixBytes.length, at + MARK_BYTES)));
    from = at + MARK_BYTES;
  }
}
