// Malicious archives and etcd snapshots: each is rejected, or read as far as it is valid, at a cost that its size bounds.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Collected, collect } from "../../src/features/import/sources/collect.ts";
import { readFiles } from "../../src/features/import/sources/files.ts";
import { DEFAULT_LIMITS, type SourceLimits } from "../../src/features/import/sources/limits.ts";
import { SourceError } from "../../src/features/import/sources/source.ts";
import { etcdFile } from "../support/etcd-file.ts";
import { Random } from "../support/random.ts";
import { type ZipFile, zipFile } from "../support/zip-file.ts";

const MEGABYTE = 1 << 20;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-archives-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function read(bytes: Uint8Array, limits?: SourceLimits, name = "archive"): Promise<Collected> {
  const path = join(folder, name);
  await writeFile(path, bytes);
  return await collect(readFiles(path, limits));
}

/** Returns names of objects and the reasons of skipped ones, or the reason why nothing can be read. */
async function outcome(
  bytes: Uint8Array,
  limits?: SourceLimits,
  name?: string,
): Promise<readonly string[] | string> {
  try {
    const { objects, skipped } = await read(bytes, limits, name);
    return [
      ...objects.map(({ metadata }) => metadata.name ?? ""),
      ...skipped.reasons.map(({ reason }) => reason),
    ];
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return error.message.replaceAll(`${folder}/`, "");
  }
}

const pod = (name: string) => `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}}\n`;
const file = (path: string, more: Partial<ZipFile> = {}): ZipFile => ({ path, content: pod("a"), ...more });

describe("a zip archive", () => {
  test("whose entries share bytes is refused before anything is unpacked", async () => {
    const content = Buffer.alloc(8 * MEGABYTE, "- a\n");
    const entries = Array.from({ length: 5000 }, (_, index) => ({
      ...{ path: `${index}.yaml`, content: index === 0 ? content : "" },
      ...(index === 0 ? {} : { said: { offset: 0, size: content.length } }),
    }));
    expect(await outcome(zipFile(entries))).toBe(
      "archive: cannot be read: the archive has entries that share bytes",
    );
  });

  test.each<[string, ZipFile, string]>([
    ["leads out of the archive", file("../../etc/x.yaml"), "has a path that leads out of the archive"],
    ["is absolute", file("/etc/x.yaml"), "has a path that leads out of the archive"],
    ["is absolute on Windows", file("C:\\x.yaml"), "has a path that leads out of the archive"],
    ["goes up with backslashes", file("a\\..\\..\\x.yaml"), "has a path that leads out of the archive"],
    ["is very long", file(`${"x/".repeat(3000)}x.yaml`), "has a path of more than 4096 bytes"],
    ["is that of a symbolic link", file("x.yaml", { mode: 0o120777 }), "is a symbolic link"],
    ["is that of an encrypted entry", file("x.yaml", { flags: 1 }), "is encrypted"],
    ["is packed otherwise", file("x.yaml", { method: 12 }), "is packed by method 12, which is not read"],
  ])("an entry whose path %s is skipped", async (_what, entry, reason) => {
    expect(await outcome(zipFile([entry, file("good.yaml", { content: pod("good") })]))).toEqual([
      "good",
      reason,
    ]);
  });

  test("the second of two entries of one name is skipped", async () => {
    const twice = [file("x.yaml"), file("x.yaml", { content: pod("b") })];
    expect(await outcome(zipFile(twice))).toEqual(["a", "has a name that another entry has, too"]);
  });

  test.each<[string, ZipFile]>([
    ["another name than its header", file("x.yaml", { said: { path: "y.yaml" } })],
    ["another size than its header", file("x.yaml", { said: { size: 10 } })],
    ["more packed bytes than there are", file("x.yaml", { said: { packedSize: 1 << 30 } })],
    ["a place outside of the file", file("x.yaml", { said: { offset: 1 << 30 } })],
    ["a size that only its 64-bit field could say", file("x.yaml", { said: { size: 0xffffffff } })],
  ])("a directory that says %s is refused", async (_what, entry) => {
    expect(await outcome(zipFile([entry]))).toMatch(/the archive is damaged|more times its own size/);
  });

  test("that unpacks to far more than it is, is refused by what its directory says", async () => {
    const bomb = file("x.yaml", { content: Buffer.alloc(80 * MEGABYTE, " ") });
    expect(await outcome(zipFile([bomb]))).toMatch(/more times its own size than 250; --import-ratio raises/);
  });
});

/** One header of 512 bytes; numbers are octal texts unless bytes are given. */
function tarHeader(path: string, size: string | Buffer, type = "0"): Buffer {
  const header = Buffer.alloc(512);
  header.write(path, 0, 100);
  header.write("0000644\0", 100);
  if (typeof size === "string") header.write(size, 124, 12);
  else size.copy(header, 124);
  header.write(type, 156);
  header.write("ustar\0", 257);
  header.write("        ", 148);
  const sum = header.reduce((all, byte) => all + byte, 0);
  header.write(sum.toString(8).padStart(6, "0"), 148);
  header[154] = 0;
  return header;
}

const padded = (text: string) =>
  Buffer.concat([Buffer.from(text), Buffer.alloc((512 - (text.length % 512)) % 512)]);
const octal = (size: number) => size.toString(8).padStart(11, "0");
const tarEntry = (path: string, text: string, type?: string) =>
  Buffer.concat([tarHeader(path, octal(text.length), type), padded(text)]);
const base256 = (...bytes: number[]) => Buffer.from([...bytes, ...Buffer.alloc(12)]).subarray(0, 12);
const pax = (text: string) => tarEntry("pax", `${String(text.length + 4).padStart(2, "0")} ${text}\n`, "x");

describe("a tar archive", () => {
  const good = tarEntry("good.yaml", pod("good"));
  const damaged = /the archive is damaged|ends in the middle|holds no objects/;

  test.each<[string, Buffer]>([
    ["a negative size", tarHeader("x.yaml", base256(0xff, 0xff, 0xff))],
    ["a size of ninety bits", tarHeader("x.yaml", base256(0x80, 0xff, 0xff, 0xff, 0xff))],
    ["a size that is no number", tarHeader("x.yaml", "9x999999999")],
    ["a size beyond the end", tarHeader("x.yaml", "77777777777")],
    ["a long name of a terabyte", tarHeader("x.yaml", base256(0x80, 0, 0, 0, 0, 0, 1), "L")],
    ["a size in pax that is none", Buffer.concat([pax("size=-5"), tarEntry("x.yaml", pod("a"))])],
    ["a size in pax that is no integer", Buffer.concat([pax("size=1e3"), tarEntry("x.yaml", pod("a"))])],
  ])("with %s ends there", async (_what, bytes) => {
    const found = await outcome(Buffer.concat([good, bytes, Buffer.alloc(2048)]));
    expect(String(found)).toMatch(damaged);
    expect(found).toContain("good");
  });

  test("with a sparse file says how it could be read", async () => {
    const found = await outcome(
      Buffer.concat([good, tarHeader("x.yaml", octal(0), "S"), Buffer.alloc(1024)]),
    );
    expect(String(found)).toContain("pack it without --sparse");
  });

  test("links and devices are passed over, paths out of it are skipped", async () => {
    const links = ["1", "2", "3", "6"].map((type) => tarHeader(`link-${type}.yaml`, octal(0), type));
    const slip = tarEntry("../../x.yaml", pod("slip"));
    const found = await outcome(Buffer.concat([...links, slip, good, Buffer.alloc(1024)]));
    expect(found).toEqual(["good", "has a path that leads out of the archive"]);
  });

  test("with more entries than are read is refused by a limit that can be raised", async () => {
    const many = gzipSync(
      Buffer.concat(Array.from({ length: 101 }, (_, index) => tarEntry(`${index}`, "x"))),
    );
    const limits = { ...DEFAULT_LIMITS, entriesMax: 100 };
    expect(String(await outcome(many, limits))).toContain(
      "more entries than 100; --import-entries raises the limit",
    );
  });
});

describe("a text", () => {
  test.each([
    ["JSON", "", "["],
    ["JSON objects", "", '{"a":'],
    ["JSON behind a broken string", '"\n', "["],
    ["YAML", "a: ", "["],
  ])("that is nested without an end is refused, packed or not (%s)", async (_what, head, level) => {
    const text = Buffer.from(head + level.repeat(1_000_000));
    for (const bytes of [text, gzipSync(text)]) {
      const before = process.memoryUsage().rss;
      expect(typeof (await outcome(bytes))).toBe("string");
      expect(process.memoryUsage().rss - before).toBeLessThan(400 * MEGABYTE);
    }
  });

  test("that unpacks to far more than it is, is refused while it unpacks", async () => {
    const found = await outcome(gzipSync(Buffer.alloc(100 * MEGABYTE, " ")));
    expect(found).toMatch(/more times its own size than 250/);
  });

  test("packed twice says so", async () => {
    expect(await outcome(gzipSync(gzipSync(pod("a"))))).toBe(
      "archive: is compressed twice: unpack it once with gzip -d",
    );
  });

  test("is refused by the bytes that it has, which can be raised", async () => {
    const limits = { ...DEFAULT_LIMITS, unpackedBytesMax: MEGABYTE };
    const text = Buffer.alloc(2 * MEGABYTE, "# comment\n");
    expect(await outcome(text, limits)).toMatch(
      /unpacks to more than 1 MB; --import-unpacked-mb raises the limit/,
    );
  });
});

describe("a copy of etcd", () => {
  const object = (name: string) => ({
    key: `/registry/configmaps/default/${name}`,
    value: Buffer.from(
      JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" } }),
    ),
  });
  const copy = etcdFile(
    Array.from({ length: 60 }, (_, index) => object(`c-${index}`)),
    { pageSize: 1024, perPage: 4 },
  );

  test("of which bytes were changed is read as far as it is sound, or refused", async () => {
    const random = new Random(11);
    for (let round = 0; round < 400; round++) {
      const bytes = Buffer.from(copy);
      for (let changes = random.below(6) + 1; changes > 0; changes--) {
        // The numbers of a page are in its first bytes, and in those of its elements.
        const page = 2 + random.below(bytes.length / 1024 - 2);
        const at = page * 1024 + random.below(random.chance(0.7) ? 80 : 1024);
        bytes[at] = random.one([0, 1, 2, 0x7f, 0x80, 0xff, random.below(256)]);
      }
      const cut = random.chance(0.1) ? bytes.subarray(0, random.below(bytes.length)) : bytes;
      const found = await outcome(cut, undefined, "snapshot.db");
      if (typeof found !== "string") expect(found.length).toBeLessThan(200);
    }
  });

  test("whose pages carry each other on is refused before they are read again and again", async () => {
    const pages = 4000;
    const bytes = Buffer.concat([copy, Buffer.alloc(pages * 1024)]);
    const claimed = Buffer.from(bytes);
    for (let page = 4; page < copy.length / 1024; page++) claimed.writeUInt32LE(pages, page * 1024 + 12);
    for (const at of [0, 1024]) sealMeta(claimed, at, bytes.length / 1024);
    const found = await outcome(claimed, undefined, "snapshot.db");
    expect(String(found)).toMatch(/damaged|ends in the middle/);
  });
});

/** Writes the number of pages, and the checksum that makes a meta page valid. */
function sealMeta(file: Buffer, page: number, pages: number): void {
  const at = page + 16;
  if (file.readUInt32LE(at) !== 0xed0cdaed) return;
  file.writeBigUInt64LE(BigInt(pages), at + 40);
  let sum = 0xcbf29ce484222325n;
  for (const byte of file.subarray(at, at + 56))
    sum = ((sum ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
  file.writeBigUInt64LE(sum, at + 56);
}
