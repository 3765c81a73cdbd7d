// Part of the build: the licence notices of the packages whose code is in the bundles.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Metafile } from "esbuild";
import { packageFile } from "../src/apimachinery/meta/package-files.ts";

const FILE = "THIRD-PARTY-LICENSES";
const NOTICE = /^(?:licen[cs]e|copying|notice)/i;
const RULE = "-".repeat(80);
const HEAD = "Code of these packages is part of the files beside this one.\n";

/** The members of package.json that are used. */
interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly author?: string | { readonly name: string };
  readonly homepage?: string;
}

/** Throws when a package declares no licence. The file is written to dist/. */
export async function writeLicences(bundles: readonly Metafile[], file: string = FILE): Promise<void> {
  const all = await Promise.all([...foldersIn(bundles)].map(noticeOf));
  const notices = [...new Set(all)].sort(); // several folders can hold the same version
  await writeFile(packageFile("dist", file), [HEAD, ...notices].join(`\n${RULE}\n\n`));
}

/** The folders of the packages, relative to the build's working directory. */
function foldersIn(bundles: readonly Metafile[]): Set<string> {
  const folders = new Set<string>();
  for (const { inputs } of bundles.flatMap(({ outputs }) => Object.values(outputs))) {
    for (const path of Object.keys(inputs)) {
      const folder = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0];
      if (folder !== undefined) folders.add(folder);
    }
  }
  return folders;
}

async function noticeOf(folder: string): Promise<string> {
  const root = resolve(folder);
  const manifest: Manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const files = (await readdir(root)).filter((name) => NOTICE.test(name)).sort();
  const texts = await Promise.all(files.map((name) => readFile(join(root, name), "utf8")));
  const { name, version, license } = manifest;
  if (license === undefined) throw new Error(`${name} does not say what its licence is`);
  const notices = texts.length > 0 ? texts : [withoutText(manifest)];
  return [`${name} ${version} (${license})\n`, ...notices.map((text) => `${text.trim()}\n`)].join("\n");
}

/** For the few packages that only name their licence. */
function withoutText({ license, author, homepage }: Manifest): string {
  const by = typeof author === "object" ? author.name : author;
  return `Copyright ${by ?? "its authors"}. The package names the licence ${license} and brings no text of it: ${homepage}`;
}
