// Decompresses snappy blocks of LevelDB: the uncompressed length, then literals and copies of earlier output.
import { ByteReader } from "./byte-reader.ts";

const LITERAL = 0;
const COPY_NEAR = 1;
/** Literal lengths from here on are encoded in extra bytes. */
const LONG_LITERAL = 60;

/** Throws RangeError when the bytes are not valid snappy. */
export function unpackSnappy(packed: Buffer): Buffer {
  const reader = new ByteReader(packed);
  const length = reader.varint();
  if (length > packed.length * 100) throw new RangeError("no packed bytes grow so much");
  const out = Buffer.alloc(length);
  let at = 0;
  while (!reader.done) {
    const tag = reader.byte();
    const kind = tag & 3;
    if (kind === LITERAL) {
      const short = tag >> 2;
      const count = 1 + (short < LONG_LITERAL ? short : reader.fixed(short - LONG_LITERAL + 1));
      const from = reader.skip(count);
      for (let n = 0; n < count; n++) out[at + n] = packed[from + n] ?? 0; // for short literals faster than copy()
      at += count;
      continue;
    }
    const near = kind === COPY_NEAR;
    const count = near ? 4 + ((tag >> 2) & 7) : 1 + (tag >> 2);
    const back = near ? ((tag >> 5) << 8) + reader.byte() : reader.fixed(kind === 2 ? 2 : 4);
    if (back === 0 || back > at) throw new RangeError("a piece repeats what is not there");
    for (const end = at + count; at < end; at++) out[at] = out[at - back] ?? 0; // source and target may overlap
  }
  if (at !== length) throw new RangeError("the unpacked bytes are not as many as said");
  return out;
}
