// Part of the build: the web UI as static files. Names contain a hash of the content, so that browsers may cache them;
// compressed variants are next to them.
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { build, type Plugin } from "esbuild";
import { packageFile } from "../src/apimachinery/meta/package-files.ts";
import { writeLicences } from "./third-party-licences.ts";

const SOURCE = packageFile("src", "ui");
const TARGET = packageFile("dist", "ui");
/** The path under which a server serves them. */
const ADDRESS = "/egret/ui";
/** Smaller files get no compressed variant. */
const COMPRESSED_BYTES_MIN = 1024;

/** Functions that need Node are left out with their imports, because the web UI does not call them. */
const withoutNode: Plugin = {
  name: "without Node",
  setup({ onResolve }) {
    onResolve({ filter: /^node:/ }, ({ path }) => ({ path, external: true, sideEffects: false }));
  },
};

await rm(TARGET, { recursive: true, force: true });
const { metafile, outputFiles } = await build({
  entryPoints: {
    page: join(SOURCE, "main.tsx"),
    feed: join(SOURCE, "data", "worker.ts"),
    icon: join(SOURCE, "icon.svg"),
  },
  loader: { ".svg": "copy" },
  bundle: true,
  splitting: true,
  format: "esm",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  minify: true,
  charset: "utf8",
  metafile: true,
  write: false,
  entryNames: "[name]-[hash]",
  chunkNames: "part-[hash]",
  outdir: join(TARGET, "assets"),
  logLevel: "error",
  plugins: [withoutNode],
});
const needed = Object.values(metafile.outputs).flatMap(({ imports }) =>
  imports.filter(({ external }) => external),
);
if (needed.length > 0) throw new Error(`the page needs ${needed.map(({ path }) => path).join(", ")}`);
await mkdir(join(TARGET, "assets"), { recursive: true });
for (const { path, contents } of outputFiles) await writeWithCompressed(path, contents);
const names = outputFiles.map(({ path }) => relative(TARGET, path));
const index = await readFile(join(SOURCE, "index.html"), "utf8");
const filled = index.replace(/\{\{(\w+)\.(\w+)\}\}/g, (_all, entry: string, type: string) => {
  const name = names.find((name) => basename(name).startsWith(`${entry}-`) && name.endsWith(`.${type}`));
  if (name === undefined) throw new Error(`the page has no ${entry}.${type}`);
  return `${ADDRESS}/${name}`;
});
await writeWithCompressed(join(TARGET, "index.html"), Buffer.from(filled));
await writeLicences([metafile], join("ui", "THIRD-PARTY-LICENSES"));

async function writeWithCompressed(path: string, contents: Uint8Array): Promise<void> {
  await writeFile(path, contents);
  if (contents.length < COMPRESSED_BYTES_MIN) return;
  await writeFile(`${path}.gz`, await promisify(gzip)(contents, { level: constants.Z_BEST_COMPRESSION }));
  await writeFile(`${path}.br`, await promisify(brotliCompress)(contents));
}
