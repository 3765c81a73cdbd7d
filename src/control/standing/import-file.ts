// A file that somebody sends is imported as `egret import` reads it: a dump, a must-gather, an archive, a copy of etcd. Some of
// these are read by random access, so it lies on the disk until it is read.
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { KubeObject } from "../../meta/object-meta.ts";
import { badRequest, entityTooLarge, tooManyRequests } from "../../meta/status.ts";
import { pauseForOthers } from "../../meta/turns.ts";
import { type BytesRequest, type ControlRoute, route, text, type WholeAnswer } from "../control-route.ts";
import { Arrivals } from "./arrivals.ts";
import { IMPORT_LINES_QUERY, type StandingImports, told } from "./imports.ts";
import { IMPORT_REPORT, type ImportReport } from "./report.ts";

/** As much as of lines, which are the other way in. */
const FILE_BYTES_MAX = 2 * 1024 * 1024 * 1024;
const NAME_CHARACTERS_MAX = 100;
const RETRY_SECONDS = 5;

export interface ReadFile {
  readonly objects: readonly KubeObject[];
  readonly skipped: ImportReport["skipped"];
}

export interface FileImportDeps {
  readonly imports: StandingImports;
  /** Throws a 400 for what nobody can read. */
  readonly readFile: (path: string) => Promise<ReadFile>;
}

/** For those who may do everything, as of lines. */
export function importFileRoute({ imports, readFile }: FileImportDeps): ControlRoute {
  let isBusy = false;
  return route("POST /import/file", "importFile", {
    summary: "Writes the objects of a file as they stood: a dump, a must-gather, an archive, a copy of etcd.",
    query: { name: text("What the file is called; it may tell what is in it."), ...IMPORT_LINES_QUERY },
    body: { description: "The file, of any type." },
    bodyForm: "bytes",
    answer: ["What has become of it.", IMPORT_REPORT],
    handle: () => {
      throw badRequest("a body is needed");
    },
    bytes: async (request) => {
      if (isBusy) throw tooManyRequests("another file is being read", RETRY_SECONDS);
      isBusy = true;
      try {
        return await importFile(request, imports, readFile);
      } finally {
        isBusy = false;
      }
    },
  });
}

async function importFile(
  { raw: { query }, bytes }: BytesRequest,
  imports: StandingImports,
  readFile: FileImportDeps["readFile"],
): Promise<ImportReport | WholeAnswer> {
  const { objects, skipped } = await keptForAWhile(fileNameOf(query.get("name")), bytes, readFile);
  if (objects.length === 0) throw badRequest(nothingFound(skipped));
  const arrivals = new Arrivals();
  for (const object of objects) {
    arrivals.add(object);
    const pause = pauseForOthers();
    if (pause !== undefined) await pause;
  }
  const options = { secrets: query.flag("secrets"), webhooks: query.flag("webhooks") };
  const work = async (onProgress?: (done: number, total: number) => void): Promise<ImportReport> => {
    const report = await imports.layIn(arrivals, onProgress ? { ...options, onProgress } : options);
    const all = [...skipped, ...report.skipped].sort((a, b) => b.count - a.count);
    return { ...report, skipped: all };
  };
  return query.flag("progress") ? told(work) : work();
}

const nothingFound = ([first]: ReadFile["skipped"]): string =>
  `nothing was found to import${first === undefined ? "" : `: it ${first.reason}`}`;

/** What could be a way to another place is not kept of it. */
export function fileNameOf(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? "";
  return (
    last
      .replace(/[^\w.-]/g, "_")
      .replace(/^\.+/, "")
      .slice(-NAME_CHARACTERS_MAX) || "file"
  );
}

/** The file lies in a folder that nobody else may read, and is gone when it was read. */
async function keptForAWhile(
  name: string,
  bytes: AsyncIterable<Uint8Array>,
  readFile: FileImportDeps["readFile"],
): Promise<ReadFile> {
  const folder = await mkdtemp(join(tmpdir(), "egret-import-"));
  try {
    const path = join(folder, name);
    await write(path, bytes);
    const { objects, skipped } = await readFile(path);
    const place = join(folder, "/");
    const told = (origin: string) => origin.replace(place, "");
    return { objects, skipped: skipped.map((one) => ({ ...one, origins: one.origins.map(told) })) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Throws 413. */
async function write(path: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    let length = 0;
    for await (const part of bytes) {
      length += part.length;
      if (length > FILE_BYTES_MAX)
        throw entityTooLarge(`Request entity too large: limit is ${FILE_BYTES_MAX}`);
      await file.writeFile(part);
    }
    if (length === 0) throw badRequest("a body is needed");
  } finally {
    await file.close();
  }
}
