// V8's compiled code is cached in a folder that only its owner can write, and is loaded from no other folder.
import {
  chmod,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  rm,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  claimCache,
  keepInCache,
  keptInCache,
  leaveCache,
} from "../../../../src/server/launch/code-cache.ts";

const COMPILED = Buffer.from("compiled");
const isRoot = process.getuid?.() === 0;

let base: string;
let folder: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "egret-cache-"));
  folder = join(base, "egret");
  vi.stubEnv("XDG_CACHE_HOME", base);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(base, { recursive: true, force: true });
});

const modeOf = async (path: string): Promise<number> => (await lstat(path)).mode & 0o777;
const onlyFile = async (): Promise<string> => join(folder, (await readdir(folder))[0] ?? "");

test("what was kept is there for the same code, and for no other", () => {
  expect(keptInCache("one")).toBeUndefined();
  keepInCache("one", COMPILED);
  expect(keptInCache("one")).toEqual(COMPILED);
  expect(keptInCache("two")).toBeUndefined();
});

test("folder and file are the user's alone", async () => {
  keepInCache("one", COMPILED);
  expect(await modeOf(folder)).toBe(0o700);
  expect(await readdir(folder)).toHaveLength(1);
  expect(await modeOf(await onlyFile())).toBe(0o600);
});

test("a folder that others could read is closed to them", async () => {
  await mkdir(folder, { mode: 0o755 });
  keepInCache("one", COMPILED);
  expect(await modeOf(folder)).toBe(0o700);
});

test("one process at a time makes it, unless it is kept already", async () => {
  expect(claimCache("one", false)).toBe(true);
  expect(claimCache("one", false)).toBe(false);
  expect(claimCache("two", false)).toBe(true);
  leaveCache("one");
  keepInCache("one", COMPILED);
  expect(claimCache("one", false)).toBe(false);
  expect(claimCache("one", true)).toBe(true); // V8 has refused it
  const claim = (await readdir(folder)).find((name) => name.startsWith("two-")) ?? "";
  await writeFile(join(folder, claim), "4194305"); // no system has so many processes
  expect(claimCache("two", false)).toBe(true);
});

test("the base is made where it is missing", () => {
  vi.stubEnv("XDG_CACHE_HOME", join(base, "not", "there"));
  keepInCache("one", COMPILED);
  expect(keptInCache("one")).toEqual(COMPILED);
});

test("the newest six stay", async () => {
  for (let n = 0; n < 8; n++) {
    keepInCache(`code-${n}`, COMPILED);
    for (const name of await readdir(folder)) {
      if (name.startsWith(`code-${n}-`)) await utimes(join(folder, name), n, n);
    }
  }
  keepInCache("last", COMPILED);
  expect((await readdir(folder)).map((name) => name.split("-v")[0])).toEqual(
    expect.arrayContaining(["code-3", "code-4", "code-5", "code-6", "code-7", "last"]),
  );
  expect(await readdir(folder)).toHaveLength(6);
});

describe("nothing is kept, and nothing fails", () => {
  test.each([
    ["when Node is told to keep none", "NODE_DISABLE_COMPILE_CACHE", "1"],
    ["below a file", "XDG_CACHE_HOME", import.meta.filename],
    ["where no folder can be made", "XDG_CACHE_HOME", "/proc/nowhere"],
  ])("%s", (_when, name, value) => {
    vi.stubEnv(name, value);
    keepInCache("one", COMPILED);
    expect(keptInCache("one")).toBeUndefined();
  });

  test("in a folder that others can write", async () => {
    keepInCache("one", COMPILED);
    await chmod(folder, 0o777);
    expect(keptInCache("one")).toBeUndefined();
    keepInCache("two", COMPILED);
    expect(await readdir(folder)).toHaveLength(1);
  });

  test("below a base that others can write", async () => {
    await chmod(base, 0o777);
    keepInCache("one", COMPILED);
    expect(await readdir(base)).toEqual([]);
  });

  test("through a symbolic link in the place of the folder, or of the file", async () => {
    const other = join(base, "other");
    await mkdir(other);
    await symlink(other, folder);
    keepInCache("one", COMPILED);
    expect(await readdir(other)).toEqual([]);
    await rm(folder);

    keepInCache("one", COMPILED);
    const file = await onlyFile();
    await rm(file);
    await writeFile(join(other, "planted"), "planted", { mode: 0o600 });
    await symlink(join(other, "planted"), file);
    expect(keptInCache("one")).toBeUndefined();
  });

  test("from a file that others can write", async () => {
    keepInCache("one", COMPILED);
    await chmod(await onlyFile(), 0o666);
    expect(keptInCache("one")).toBeUndefined();
  });

  test.skipIf(!isRoot)("in what is another user's", async () => {
    keepInCache("one", COMPILED);
    const file = await onlyFile();
    await chown(file, 65_534, 65_534);
    expect(keptInCache("one")).toBeUndefined();
    await rm(file);
    await chown(folder, 65_534, 65_534);
    keepInCache("one", COMPILED);
    expect(await readdir(folder)).toEqual([]);
    await rm(folder, { recursive: true });
    await chown(base, 65_534, 65_534);
    keepInCache("one", COMPILED);
    expect(await readdir(base)).toEqual([]);
  });
});

describe("a folder above the cache", () => {
  test.each([
    [0o777, false],
    [0o1777, true],
    [0o755, true],
  ])("with mode %o lets the cache be used: %s", async (mode, isUsed) => {
    keepInCache("one", COMPILED);
    await chmod(base, mode);
    expect(keptInCache("one")).toEqual(isUsed ? COMPILED : undefined);
  });

  test.skipIf(!isRoot)("of another user keeps it from being used", async () => {
    keepInCache("one", COMPILED);
    await chown(base, 65_534, 65_534);
    expect(keptInCache("one")).toBeUndefined();
  });
});
