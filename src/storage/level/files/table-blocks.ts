// LevelDB verifies the checksums of table blocks only on request, and nothing requests it. A damaged block
// then yields other entries, or fewer. So every block is verified before the tables are opened.
//
//   table   blocks | metaindex (which blocks are filters) | index (which hold entries) | footer of 48 bytes: where both are
//   block   bytes | type u8 (0 as it is, 1 packed with snappy) | checksum u32 of all before it
//   either  entries (shared length, rest's length, value's length, rest of the key, value = a block's place) | restarts
import { ByteReader } from "./byte-reader.ts";
import { maskedCrc32c } from "./crc32c.ts";
import { unpackSnappy } from "./snappy.ts";

const FOOTER_BYTES = 48;
const MAGIC = Buffer.from("57fb808b247547db", "hex");
const PACKED = 1;

interface Place {
  readonly at: number;
  readonly length: number;
}

/** Offset of the first damaged part; undefined when the table is valid. */
export function findDamagedBlock(table: Buffer): number | undefined {
  const footerAt = table.length - FOOTER_BYTES;
  if (footerAt < 0 || !table.subarray(-MAGIC.length).equals(MAGIC)) return Math.max(0, footerAt);
  try {
    const footer = new ByteReader(table.subarray(footerAt, -MAGIC.length));
    const indexes = [placeFrom(footer), placeFrom(footer)];
    const damaged = (place: Place): boolean => !isSound(table, place);
    const first = indexes.find(damaged) ?? indexes.flatMap((index) => placesIn(table, index)).find(damaged);
    return first?.at;
  } catch (error) {
    if (error instanceof RangeError) return footerAt;
    throw error;
  }
}

function placeFrom(reader: ByteReader): Place {
  return { at: reader.varint(), length: reader.varint() };
}

/** Whether the block's checksum is right. Throws RangeError when the block is outside the table. */
function isSound(table: Buffer, { at, length }: Place): boolean {
  const checksumAt = at + length + 1;
  return table.readUInt32LE(checksumAt) === maskedCrc32c(table, at, checksumAt);
}

/** The block handles in an index. */
function placesIn(table: Buffer, { at, length }: Place): Place[] {
  const bytes = table.subarray(at, at + length);
  const index = table[at + length] === PACKED ? unpackSnappy(bytes) : bytes;
  const restarts = index.readUInt32LE(index.length - 4);
  const reader = new ByteReader(index.subarray(0, index.length - 4 - 4 * restarts));
  const places: Place[] = [];
  while (!reader.done) {
    reader.varint(); // length of the prefix shared with the previous key
    const rest = reader.varint();
    reader.varint(); // length of the value, which its own content implies
    reader.skip(rest);
    places.push(placeFrom(reader));
  }
  return places;
}
