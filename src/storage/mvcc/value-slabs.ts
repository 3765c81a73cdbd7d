// Memory of stored values. A buffer of its own costs several hundred bytes beside its contents. A buffer from Node's
// pool keeps all of the pool's eight kilobytes in memory, most of which were needed only briefly. So small values are
// copied into slabs that hold nothing else. A slab is freed when none of its values is referenced any more.

const SLAB_BYTES = 8 * 1024;
/**
 * Larger values get a buffer of their own, where the overhead is small. The limit keeps the unused end of a slab to at
 * most an eighth.
 */
const PACKED_BYTES_MAX = SLAB_BYTES / 8;

let slab = Buffer.alloc(0);
let used = 0;

/**
 * The same bytes in memory that may be kept as long as they are stored. The caller's buffer is either free afterwards,
 * or is the result itself.
 */
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
