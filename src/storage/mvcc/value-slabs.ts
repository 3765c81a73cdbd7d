// Where the bytes of stored values lie. A buffer of its own costs several hundred bytes beside what it holds, and one that
// Node cuts from its pool keeps all of the pool's eight kilobytes, most of which were needed for a moment only. So small
// values are put together in slabs that hold nothing else; a slab goes when none of its values is held any more.

const SLAB_BYTES = 8 * 1024;
/** What is larger has a buffer of its own: little of it is lost so, and at most an eighth of a slab behind the last value. */
const PACKED_BYTES_MAX = SLAB_BYTES / 8;

let slab = Buffer.alloc(0);
let used = 0;

/** The same bytes, for as long as they are stored. The buffer that they came in is not needed any more, or is theirs. */
export function storedBytes(value: Uint8Array): Uint8Array {
  const { byteLength } = value;
  if (byteLength <= PACKED_BYTES_MAX) return packed(value);
  return value.buffer.byteLength - byteLength < byteLength / 8 ? value : alone(value);
}

function packed(value: Uint8Array): Buffer {
  const end = used + value.byteLength;
  if (end > slab.byteLength) {
    slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
    used = 0;
    return packed(value);
  }
  const bytes = slab.subarray(used, end);
  bytes.set(value);
  used = end;
  return bytes;
}

function alone(value: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafeSlow(value.byteLength);
  bytes.set(value);
  return bytes;
}
