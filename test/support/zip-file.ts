// Writes zip archives as zip programs do: each entry after its own header, and the central directory at the end. Every
// number can be overridden with a wrong one.
import { crc32, deflateRawSync } from "node:zlib";

export interface ZipFile {
  readonly path: string;
  readonly content: string | Buffer;
  /** 8 (deflated) unless given. */
  readonly method?: number;
  readonly flags?: number;
  /** The Unix file mode. */
  readonly mode?: number;
  /** Values that the central directory contains instead of the right ones. */
  readonly said?: {
    readonly size?: number;
    readonly packedSize?: number;
    readonly offset?: number;
    readonly path?: string;
  };
}

export function zipFile(files: readonly ZipFile[]): Buffer {
  const [entries, directory]: [Buffer[], Buffer[]] = [[], []];
  let offset = 0;
  for (const { path, content, method = 8, flags = 0, mode = 0, said = {} } of files) {
    const plain = Buffer.from(content);
    const packed = method === 8 ? deflateRawSync(plain) : plain;
    const header = factsOf({
      path,
      flags,
      method,
      sum: crc32(plain),
      packed: packed.length,
      size: plain.length,
    });
    const entry = Buffer.concat([Buffer.from("504b0304", "hex"), header, Buffer.from(path), packed]);
    const { size = plain.length, packedSize = packed.length, path: called = path } = said;
    const facts = factsOf({ path: called, flags, method, sum: crc32(plain), packed: packedSize, size });
    const place = Buffer.alloc(14);
    place.writeUInt16LE(mode, 8);
    place.writeUInt32LE(said.offset ?? offset, 10);
    directory.push(Buffer.concat([Buffer.from("504b01021400", "hex"), facts, place, Buffer.from(called)]));
    entries.push(entry);
    offset += entry.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("504b0506", "hex");
  end.writeUInt16LE(Math.min(directory.length, 0xfffe), 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...entries, listed, end]);
}

interface HeaderFacts {
  readonly path: string;
  readonly flags: number;
  readonly method: number;
  readonly sum: number;
  readonly packed: number;
  readonly size: number;
}

function factsOf({ path, flags, method, sum, packed, size }: HeaderFacts): Buffer {
  const facts = Buffer.alloc(26);
  facts.writeUInt16LE(flags, 2);
  facts.writeUInt16LE(method, 4);
  facts.writeUInt32LE(sum, 10);
  facts.writeUInt32LE(packed, 14);
  facts.writeUInt32LE(size, 18);
  facts.writeUInt16LE(Buffer.byteLength(path), 22);
  return facts;
}
