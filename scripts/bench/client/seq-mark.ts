// The number that a write carries as a label, so that its event can be told from others by its bytes.
const DIGITS = 8;

export const SEQ_LABEL = "egret-bench-seq";

export function seqValue(seq: number): string {
  return String(seq).padStart(DIGITS, "0");
}

/** What stands before the number in the JSON of the object; field names in managedFields do not look like this. */
const prefixBytes = Buffer.from(`"${SEQ_LABEL}":"`);
const MARK_BYTES = prefixBytes.length + DIGITS;

/** Calls back for each number in the bytes; returns the rest in which one may have begun. */
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
