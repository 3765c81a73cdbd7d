// The content of the published package: the build, also from a fresh clone, and all targets of links in its documents.
import { access, readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { installedFolder, packedPackage } from "../../support/package/packed-package.ts";

const MINUTES_MS = 240_000;

async function pagesOf(root: string): Promise<string[]> {
  const names = await readdir(root, { recursive: true });
  return names.filter((name) => name.endsWith(".md") && !name.includes("node_modules"));
}

test("a fresh clone is built before it is packed, and installed where versions of Node are taken seriously", {
  timeout: MINUTES_MS,
}, async () => {
  expect(await packedPackage()).toMatch(/egret-apiserver-\d+\.\d+\.\d+\.tgz$/);
  const root = await installedFolder();
  const { bin, exports } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const named = [bin.egret, ...JSON.stringify(exports).matchAll(/"(\.\/[^"]*\.(?:ts|js|json))"/g)];
  expect(named.length).toBeGreaterThan(4);
  for (const name of named) await access(join(root, String(Array.isArray(name) ? name[1] : name)));
});

test("what the packages ask for whose code is in the bundles is there", { timeout: MINUTES_MS }, async () => {
  const root = await installedFolder();
  const licences = await readFile(join(root, "dist/THIRD-PARTY-LICENSES"), "utf8");
  const notices = new Map(
    licences.split(/^-{80}$/m).map((notice) => [notice.trim().replace(/ [\s\S]*/, ""), notice]),
  );
  const late = await readdir(join(root, "dist/late"));
  const bundles = await Promise.all(
    ["egret.cjs", "apart.cjs", "worker.js", "reader.js", ...late.map((name) => `late/${name}`)].map((name) =>
      readFile(join(root, "dist", name), "utf8"),
    ),
  );
  const bundled = bundles.join("").matchAll(/"(?:[^"\s]*\/)?node_modules\/((?:@[^/"]+\/)?[^/"]+)\//g);
  const names = new Set([...bundled].map(([, name = ""]) => name));
  expect(names.size).toBeGreaterThan(40);
  for (const name of names) {
    const notice = notices.get(name) ?? "";
    expect(notice, name).toMatch(/^\n*\S+ \d+\.\d+\.\d+\S* \(\S.*\)\n\n/);
    expect(notice, name).toMatch(/copyright|apache license/i);
  }
});

test("every page finds what it links to", { timeout: MINUTES_MS }, async () => {
  const root = await installedFolder();
  const pages = await pagesOf(root);
  expect(pages).toContain("README.md");
  const dead: string[] = [];
  for (const page of pages) {
    const text = await readFile(join(root, page), "utf8");
    const links = [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, link = ""]) => link);
    for (const link of links.filter((target) => !/^\w+:/.test(target))) {
      await access(join(root, dirname(page), link)).catch(() => dead.push(`${page}: ${link}`));
    }
  }
  expect(dead).toEqual([]);
});

test("the manifests that pages speak of are there", { timeout: MINUTES_MS }, async () => {
  const root = await installedFolder();
  const missing: string[] = [];
  for (const page of await pagesOf(root)) {
    const text = await readFile(join(root, page), "utf8");
    for (const [path] of text.matchAll(/\btest\/(?:e2e\/manifests|samples)[\w./-]*/g)) {
      await access(join(root, path)).catch(() => missing.push(`${page}: ${path}`));
    }
  }
  expect(missing).toEqual([]);
});
