// The files of the page, as the build has left them: dist/ui. A file is read when it is asked for; while no page is open
// nothing is kept of them. They are for everybody: what they show is asked of the API, with the rights of whoever looks.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { type ApiRequest, type ApiResponse, methodNotAllowed } from "../../apiserver/api-request.ts";
import { lookupTable } from "../../meta/json.ts";
import { pathNotFound } from "../../meta/status.ts";
import { PAGE_PATH } from "./login.ts";

const WITHOUT_SLASH = PAGE_PATH.slice(0, -1);
const INDEX = "index.html";
const ASSETS = "assets/";

const TYPES: Readonly<Record<string, string>> = lookupTable({
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".map": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".txt": "text/plain; charset=utf-8",
});

/**
 * Nothing of another place, nothing that stands in the page itself, and no other page around this one. A text becomes code or
 * markup by no way (Trusted Types): the one policy that the page may have passes the address of its own worker, and nothing else.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types egret-worker",
].join("; ");

const GUARDED = {
  "content-security-policy": POLICY,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

/** As the build writes them beside a file, the smaller first. */
const ENCODINGS = [
  ["br", ".br"],
  ["gzip", ".gz"],
] as const;

/** Folders and a name with a known ending. A part cannot begin with a dot. */
const NAME = /^(?:[\w-][\w.-]*\/)*[\w-][\w.-]*$/;
/** A name with a hash of what the file holds never holds anything else. */
const HASHED = /[.-][0-9A-Za-z_]{8,}\.\w+$/;

const YEAR_SECONDS = 365 * 24 * 3600;
const FOR_EVER = `public, max-age=${YEAR_SECONDS}, immutable`;

export class PageFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Whether the path is one of the page's. */
  has(path: string): boolean {
    return path.startsWith(PAGE_PATH) || path === WITHOUT_SLASH;
  }

  /** undefined: the path is none of the page's. Rejects with 404 and 405. */
  handle(request: ApiRequest): Promise<ApiResponse> | undefined {
    return this.has(request.path) ? this.#answer(request) : undefined;
  }

  async #answer({ method, path, headers }: ApiRequest): Promise<ApiResponse> {
    if (method !== "GET" && method !== "HEAD") throw methodNotAllowed();
    if (path === WITHOUT_SLASH) return { status: 308, headers: { location: PAGE_PATH }, body: undefined };
    const rest = path.slice(PAGE_PATH.length);
    // What somebody goes to in the page has an address of its own, which the page itself reads.
    const isView = headers["accept"]?.includes("text/html") === true && !rest.startsWith(ASSETS);
    const name = rest === "" || isView ? INDEX : rest;
    const type = TYPES[extname(name)];
    if (type === undefined || !NAME.test(name)) throw pathNotFound();
    const { bytes, encoding } = await this.#read(name, headers["accept-encoding"] ?? "");
    const etag = `"${createHash("sha256").update(bytes).digest("base64url")}"`;
    const about = {
      ...GUARDED,
      etag,
      vary: "accept-encoding",
      "cache-control": HASHED.test(name) ? FOR_EVER : "no-cache",
    };
    if (headers["if-none-match"]?.includes(etag)) return { status: 304, headers: about, body: undefined };
    const coded = encoding === undefined ? {} : { "content-encoding": encoding };
    return { status: 200, headers: { ...about, ...coded, "content-type": type }, body: bytes };
  }

  async #read(name: string, accepted: string): Promise<{ bytes: Buffer; encoding?: string }> {
    for (const [encoding, ending] of ENCODINGS) {
      const bytes = accepts(accepted, encoding) ? await this.#bytesOf(name + ending) : undefined;
      if (bytes !== undefined) return { bytes, encoding };
    }
    const bytes = await this.#bytesOf(name);
    if (bytes === undefined) throw pathNotFound();
    return { bytes };
  }

  /** undefined: there is no such file. */
  async #bytesOf(name: string): Promise<Buffer | undefined> {
    try {
      return await readFile(join(this.#folder, name));
    } catch {
      return undefined;
    }
  }
}

/** Whether an Accept-Encoding names the encoding, and does not forbid it. */
function accepts(header: string, encoding: string): boolean {
  const named = header.split(",").map((each) =>
    each
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/),
  );
  return named.some(([name, weight = "q=1"]) => name === encoding && !/^q=0(?:\.0*)?$/.test(weight));
}
