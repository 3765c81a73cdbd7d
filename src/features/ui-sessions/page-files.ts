// The built files of the web UI: dist/ui. A file is read per request; nothing is cached while the web UI is unused. The
// files are served without authentication: all data comes from the API with the user's permissions.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { lookupTable } from "../../apimachinery/json/json.ts";
import { pathNotFound } from "../../apimachinery/meta/status.ts";
import {
  type ApiRequest,
  type ApiResponse,
  methodNotAllowed,
} from "../../apiserver/endpoints/api-request.ts";
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
 * Content security policy: no external resources, no inline scripts or styles, no framing. Trusted Types block strings
 * as code or markup. The one allowed policy passes the URL of the UI's own worker only.
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

/** The build writes these beside a file; the smaller encoding is first. */
const ENCODINGS = [
  ["br", ".br"],
  ["gzip", ".gz"],
] as const;

/** Folders and a file name; the extension is checked separately. No part begins with a dot, so "..", too, is rejected. */
const NAME = /^(?:[\w-][\w.-]*\/)*[\w-][\w.-]*$/;
/** A name with a content hash is immutable. */
const HASHED = /[.-][0-9A-Za-z_]{8,}\.\w+$/;

const YEAR_SECONDS = 365 * 24 * 3600;
const FOR_EVER = `public, max-age=${YEAR_SECONDS}, immutable`;

export class PageFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Reports whether the path belongs to the web UI. */
  has(path: string): boolean {
    return path.startsWith(PAGE_PATH) || path === WITHOUT_SLASH;
  }

  /** undefined: the path is outside the web UI. Rejects with 404 and 405. */
  handle(request: ApiRequest): Promise<ApiResponse> | undefined {
    return this.has(request.path) ? this.#answer(request) : undefined;
  }

  async #answer({ method, path, headers }: ApiRequest): Promise<ApiResponse> {
    if (method !== "GET" && method !== "HEAD") throw methodNotAllowed();
    if (path === WITHOUT_SLASH) return { status: 308, headers: { location: PAGE_PATH }, body: undefined };
    const rest = path.slice(PAGE_PATH.length);
    // Views of the web UI have their own URLs, which the client-side router reads.
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

  /** undefined: the file does not exist. */
  async #bytesOf(name: string): Promise<Buffer | undefined> {
    try {
      return await readFile(join(this.#folder, name));
    } catch {
      return undefined;
    }
  }
}

/** Reports whether an Accept-Encoding header accepts the encoding: it is named, and its weight is not 0. */
function accepts(header: string, encoding: string): boolean {
  const named = header.split(",").map((each) =>
    each
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/),
  );
  return named.some(([name, weight = "q=1"]) => name === encoding && !/^q=0(?:\.0*)?$/.test(weight));
}
