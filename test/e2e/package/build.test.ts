// `npm start` builds first and skips outputs that exist.
import { execFile } from "node:child_process";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../../..");
const MINUTES_MS = 120_000;

const build = () =>
  promisify(execFile)(process.execPath, ["--import", "tsx", "scripts/build.ts"], {
    cwd: ROOT,
    timeout: MINUTES_MS,
  });

async function builtAt(): Promise<Record<string, number>> {
  const dist = join(ROOT, "dist");
  const files = (await readdir(dist, { withFileTypes: true })).filter((entry) => entry.isFile());
  const times = files.map(async ({ name }) => [name, (await stat(join(dist, name))).mtimeMs] as const);
  return Object.fromEntries(await Promise.all(times));
}

/** Of all that a browser may load of the page, compressed. */
const PAGE_BYTES_MAX = 200_000;
/** Of what it loads before it shows anything. */
const FIRST_BYTES_MAX = 85_000;

test("the page is small enough to be there at once", async () => {
  const assets = join(ROOT, "dist", "ui", "assets");
  const names = (await readdir(assets)).filter((name) => name.endsWith(".gz"));
  const sizes = new Map(
    await Promise.all(names.map(async (name) => [name, (await stat(join(assets, name))).size] as const)),
  );
  const sum = (wanted: (name: string) => boolean): number =>
    [...sizes].reduce((bytes, [name, size]) => (wanted(name) ? bytes + size : bytes), 0);
  expect(sum(() => true)).toBeGreaterThan(20_000);
  expect(sum(() => true)).toBeLessThan(PAGE_BYTES_MAX);
  expect(sum((name) => /^(page|feed)-/.test(name))).toBeLessThan(FIRST_BYTES_MAX);
});

test("a build without a change makes nothing", { timeout: 2 * MINUTES_MS }, async () => {
  await build();
  const before = await builtAt();
  expect(before).toHaveProperty(["main.js"]);
  await build();
  expect(await builtAt()).toEqual(before);
});
