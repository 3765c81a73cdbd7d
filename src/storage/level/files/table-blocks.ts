// LevelDB checks the blocks of a table only when it is asked to, and nothing asks it; a damaged block then has other
// entries, or fewer. So every block is held against its checksum before the tables are opened.
//
//   table   blocks, the last of which is the index | footer of 48 bytes: where the metaindex and the index are
//   block   bytes | type u8 (0 as it is, 1 packed with snappy) | checksum u32 of all before it
//   index   entries (shared length, rest's length, value's length, rest of the key, value = a block's place) | restarts
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

/** Where the first damaged part begins; undefined when the table is sound. */
export function findDamagedBlock(table: Buffer): number | undefined {
  const footerAt = table.length - FOOTER_BYTES;
  if (footerAt < 0 || !table.subarray(-MAGIC.length).equals(MAGIC)) return Math.max(0, footerAt);
  let places: Place[];
  try {
    const footer = new ByteReader(table.subarray(footerAt));
    const metaindex = placeFrom(footer);
    const index = placeFrom(footer);
    if (!isSound(table, index)) return index.at;
    places = [...entriesOf(contentOf(table, index)), metaindex];
  } catch (error) {
    if (error instanceof RangeError) return footerAt;
    throw error;
  }
  return places.find((place) => !isSound(table, place))?.at;
}

function placeFrom(reader: ByteReader): Place {
  return { at: reader.varint(), length: reader.varint() };
}

function isSound(table: Buffer, { at, length }: Place): boolean {
  const checksumAt = at + length + 1;
  if (checksumAt + 4 > table.length) return false;
  return table.readUInt32LE(checksumAt) === maskedCrc32c(table, at, checksumAt);
}

function contentOf(table: Buffer, { at, length }: Place): Buffer {
  const bytes = table.subarray(at, at + length);
  return table[at + length] === PACKED ? unpackSnappy(bytes) : bytes;
}

/** The places that an index names. */
function* entriesOf(index: Buffer): Generator<Place> {
  const restarts = index.readUInt32LE(index.length - 4);
  const reader = new ByteReader(index.subarray(0, index.length - 4 - 4 * restarts));
  while (!reader.done) {
    reader.varint(); // what the key shares with the one before
    const rest = reader.varint();
    const length = reader.varint();
    reader.take(rest);
    yield placeFrom(new ByteReader(reader.take(length)));
  }
}
