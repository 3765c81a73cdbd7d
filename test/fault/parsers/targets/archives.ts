// Archives and compressed files: each input is a file, of which every entry is read.
import { deflateRawSync, gzipSync } from "node:zlib";
import { readFiles } from "../../../../src/features/import/sources/files.ts";
import { SourceError } from "../../../../src/features/import/sources/source.ts";
import { mustHold, type ParserTarget, texts } from "../target.ts";
import { fileWith } from "../temporary-file.ts";

const YAML = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  namespace: b\n";
const FILES: Readonly<Record<string, string>> = {
  "m/version": "x",
  "m/namespaces/b/core/configmaps.yaml": YAML,
  "m/cluster-scoped-resources/core/nodes/n.yaml": "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n",
};

async function readAll(input: Buffer, name: string): Promise<void> {
  let found = 0;
  for await (const _item of readFiles(fileWith(input, name))) found++;
  mustHold(found <= input.length * 20 + 10, "there are no more items than bytes allow");
}

const isExpected = (error: unknown): boolean => error instanceof SourceError;

function tar(files: Readonly<Record<string, string>>, extra: readonly Buffer[] = []): Buffer {
  const entries = Object.entries(files).flatMap(([path, text]) => tarEntry(path, Buffer.from(text), "0"));
  return Buffer.concat([...extra, ...entries, Buffer.alloc(1024)]);
}

function tarEntry(path: string, bytes: Buffer, type: string): Buffer[] {
  const head = Buffer.alloc(512);
  head.write(path.slice(0, 100));
  head.write(`${bytes.length.toString(8).padStart(11, "0")}\0`, 124);
  head.write(type, 156);
  head.write("ustar\u000000", 257);
  head.fill(" ", 148, 156);
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return [head, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)];
}

function zip(files: Readonly<Record<string, string>>, method: number): Buffer {
  const [entries, directory]: [Buffer[], Buffer[]] = [[], []];
  let offset = 0;
  for (const [path, text] of Object.entries(files)) {
    const packed = method === 8 ? deflateRawSync(text) : Buffer.from(text);
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(method, 4);
    facts.writeUInt32LE(packed.length, 14);
    facts.writeUInt32LE(Buffer.byteLength(text), 18);
    facts.writeUInt16LE(path.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from("504b01021400", "hex"), facts, place, Buffer.from(path)]));
    entries.push(Buffer.concat([Buffer.from("504b0304", "hex"), facts, Buffer.from(path), packed]));
    offset += entries.at(-1)?.length ?? 0;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("504b0506", "hex");
  end.writeUInt16LE(directory.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...entries, listed, end]);
}

const PAX = tarEntry("x", Buffer.from("18 path=m/version\n"), "x");
const LONG = tarEntry("././@LongLink", Buffer.from("m/namespaces/b/core/configmaps.yaml\0"), "L");

export const TAR_TARGET: ParserTarget = {
  seeds: () => [tar(FILES), tar(FILES, PAX), tar(FILES, LONG)],
  tokens: [
    "ustar\u000000",
    "\0",
    "77777777777\0",
    "\x80\xff\xff\xff\xff\xff\xff\xff",
    "18 path=a\n",
    "999999 size=1\n",
    "L",
    "x",
  ],
  run: (input) => readAll(input, "a.tar"),
  isExpected,
};

export const ZIP_TARGET: ParserTarget = {
  seeds: () => [zip(FILES, 0), zip(FILES, 8)],
  tokens: [
    "PK\x01\x02",
    "PK\x03\x04",
    "PK\x05\x06",
    "PK\x06\x06",
    "PK\x06\x07",
    "\x01\x00\x08\x00",
    "m/a.yaml",
    "../",
  ],
  run: (input) => readAll(input, "a.zip"),
  isExpected,
};

export const GZIP_TARGET: ParserTarget = {
  seeds: () => [gzipSync(YAML), gzipSync(tar(FILES))],
  tokens: ["\x1f\x8b\x08", "\x00\x00\x00\x00", "\x03\x00"],
  run: (input) => readAll(input, "a.gz"),
  isExpected,
};

/** Texts are read in portions, and their beginning decides between JSON and YAML. */
export const TEXT_FILE_TARGET: ParserTarget = {
  seeds: () =>
    texts(
      YAML,
      `${YAML}---\n${YAML}`,
      `{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}}]}`,
      `kind: List\nitems:\n- ${YAML.replaceAll("\n", "\n  ")}\n`,
    ),
  tokens: ["---\n", "items:\n", "- ", '"items":[', "{", "}", "\ufeff", "\u0000", "kind: List\n", "\n"],
  run: (input) => readAll(input, "a.yaml"),
  isExpected,
};
