// Imports an uploaded file as `egret import` does: a dump, a must-gather, an archive, an etcd snapshot. Some formats
// need random access, so the file is on disk until it is read.
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { badRequest, entityTooLarge, StatusError, tooManyRequests } from "../../apimachinery/meta/status.ts";
import { yieldIfDue } from "../../apimachinery/scheduling/event-loop.ts";
import {
  type BytesRequest,
  type ControlRoute,
  route,
  text,
  type WholeAnswer,
} from "../control-surface/control-route.ts";
import { Arrivals } from "./arrivals.ts";
import { IMPORT_LINES_QUERY, type StandingImports, told } from "./imports.ts";
import { IMPORT_REPORT, type ImportReport } from "./report.ts";

/** The same limit as for newline-delimited bodies. */
const FILE_BYTES_MAX = 2 * 1024 * 1024 * 1024;
const NAME_CHARACTERS_MAX = 100;
const RETRY_SECONDS = 5;

/**
 * Reads a file that is not changed meanwhile. Rejects with a 400 for an unreadable file, with a 413, and when the
 * signal aborts.
 */
export type FileReader = (
  path: string,
  reading: {
    readonly signal: AbortSignal | undefined;
    /** Receives whole lines, each with one object. */
    readonly take: (lines: Uint8Array) => Promise<void>;
  },
) => Promise<ImportReport["skipped"]>;

export interface FileImportDeps {
  readonly imports: StandingImports;
  readonly readFile: FileReader;
}

/** Requires the permission to do everything, as imports of lines do. */
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
  { raw: { query, gone }, bytes }: BytesRequest,
  imports: StandingImports,
  readFile: FileReader,
): Promise<ImportReport | WholeAnswer> {
  const arrivals = new Arrivals();
  const take = linesInto(arrivals);
  const skipped = await keptForAWhile(fileNameOf(query.get("name")), bytes, (path) =>
    readFile(path, { signal: gone?.(), take }),
  );
  if (arrivals.all.length === 0 && arrivals.skips.count === 0) throw badRequest(nothingFound(skipped));
  const options = { secrets: query.flag("secrets"), webhooks: query.flag("webhooks") };
  const work = async (onProgress?: (done: number, total: number) => void): Promise<ImportReport> => {
    const report = await imports.restoreRaw(arrivals, onProgress ? { ...options, onProgress } : options);
    const all = [...skipped, ...report.skipped].sort((a, b) => b.count - a.count);
    return { ...report, skipped: all };
  };
  return query.flag("progress") ? told(work) : work();
}

const NEW_LINE = 0x0a;

/** Adds lines without copying their bytes. Throws 413 above FILE_BYTES_MAX. */
function linesInto(arrivals: Arrivals): (lines: Uint8Array) => Promise<void> {
  let [number, bytes] = [0, 0];
  return async (lines) => {
    bytes += lines.length;
    if (bytes > FILE_BYTES_MAX) throw entityTooLarge(`Request entity too large: limit is ${FILE_BYTES_MAX}`);
    for (let from = 0, end = lines.indexOf(NEW_LINE); end >= 0; end = lines.indexOf(NEW_LINE, from)) {
      arrivals.addLine(lines.subarray(from, end), `object ${++number}`);
      from = end + 1;
      const pause = yieldIfDue();
      if (pause !== undefined) await pause;
    }
  };
}

const nothingFound = ([first]: ImportReport["skipped"]): string =>
  `nothing was found to import${first === undefined ? "" : `: it ${first.reason}`}`;

/** Removes path separators and leading dots. */
export function fileNameOf(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? "";
  return (
    last
      .replace(/[^\w.-]/g, "_")
      .replace(/^\.+/, "")
      .slice(-NAME_CHARACTERS_MAX) || "file"
  );
}

/** The file is in a folder that no other user may read, and is removed after reading. */
async function keptForAWhile(
  name: string,
  bytes: AsyncIterable<Uint8Array>,
  read: (path: string) => Promise<ImportReport["skipped"]>,
): Promise<ImportReport["skipped"]> {
  const folder = await mkdtemp(join(tmpdir(), "egret-import-"));
  try {
    const path = join(folder, name);
    await write(path, bytes);
    const place = join(folder, "/");
    const shown = (text: string) => text.replaceAll(place, "");
    const skipped = await read(path).catch((error: unknown) => {
      throw error instanceof StatusError && error.code === 400 ? badRequest(shown(error.message)) : error;
    });
    return skipped.map((one) => ({ ...one, origins: one.origins.map(shown) }));
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
