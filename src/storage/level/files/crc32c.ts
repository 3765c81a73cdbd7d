// The checksum of LevelDB's own files (Castagnoli's polynomial), as they store it: turned and moved, so that a checksum
// of bytes that hold checksums is still a good one.
import { lazy } from "../../../meta/once-per.ts";

const POLYNOMIAL = 0x82f63b78;
const MASK_DELTA = 0xa282ead8;

/** For files that are looked at, which is not at every start. */
const tableOfBytes = lazy(() =>
  new Uint32Array(256).map((_, byte) => {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
    return crc >>> 0;
  }),
);

/** Of the bytes from `start` to before `end`. */
export function maskedCrc32c(bytes: Uint8Array, start: number, end: number): number {
  const table = tableOfBytes();
  let crc = 0xffffffff;
  for (let at = start; at < end; at++) crc = (crc >>> 8) ^ (table[(crc ^ (bytes[at] ?? 0)) & 0xff] ?? 0);
  crc = ~crc >>> 0;
  return (((crc >>> 15) | (crc << 17)) + MASK_DELTA) >>> 0;
}
