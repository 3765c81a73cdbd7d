// A zip archive of one file.
import { crc32, deflateRawSync } from "node:zlib";

export function zipOf(path: string, content: Buffer): Buffer {
  const [name, packed] = [Buffer.from(path), deflateRawSync(content)];
  const facts = Buffer.alloc(26);
  facts.writeUInt16LE(8, 4);
  facts.writeUInt32LE(crc32(content), 10);
  facts.writeUInt32LE(packed.length, 14);
  facts.writeUInt32LE(content.length, 18);
  facts.writeUInt16LE(name.length, 22);
  const entry = Buffer.concat([Buffer.from("504b0304", "hex"), facts, name, packed]);
  const listed = Buffer.concat([Buffer.from("504b01021400", "hex"), facts, Buffer.alloc(14), name]);
  const end = Buffer.alloc(22);
  end.write("504b0506", "hex");
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(entry.length, 16);
  return Buffer.concat([entry, listed, end]);
}
