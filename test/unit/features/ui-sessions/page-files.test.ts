// Static files of the web UI: their headers and encodings, and paths that are no files.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PageFiles } from "../../../../src/features/ui-sessions/page-files.ts";
import { askedFor } from "../../../support/asked-for.ts";

const INDEX = "<!doctype html><title>Egret</title>";
const CODE = "export {};";
const ONE_YEAR = "public, max-age=31536000, immutable";

let folder: string;
let files: PageFiles;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-page-"));
  const ui = join(folder, "ui");
  await mkdir(join(ui, "assets"), { recursive: true });
  const given: Record<string, string | Buffer> = {
    "../secret.json": "{}",
    ".hidden.json": "{}",
    "index.html": INDEX,
    "main-AB12CD34.js": CODE,
    "main-AB12CD34.js.br": brotliCompressSync(CODE),
    "main-AB12CD34.js.gz": gzipSync(CODE),
    "assets/egret.svg": "<svg/>",
    "notes.unknown": "?",
  };
  for (const [name, bytes] of Object.entries(given)) await writeFile(join(ui, name), bytes);
  files = new PageFiles(ui);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const get = (path: string, headers: Readonly<Record<string, string>> = {}, method = "GET") =>
  files.handle({ ...askedFor(method, path), headers, body: undefined, user: { name: "", groups: [] } });

test.each([
  ["/egret/ui/", "text/html; charset=utf-8", "no-cache", INDEX],
  ["/egret/ui/index.html", "text/html; charset=utf-8", "no-cache", INDEX],
  ["/egret/ui/main-AB12CD34.js", "text/javascript; charset=utf-8", ONE_YEAR, CODE],
  ["/egret/ui/assets/egret.svg", "image/svg+xml", "no-cache", "<svg/>"],
])("%s is %s, kept: %s", async (path, type, kept, text) => {
  const { status, headers, body } = (await get(path)) ?? {};
  expect([status, headers?.["content-type"], headers?.["cache-control"]]).toEqual([200, type, kept]);
  expect(Buffer.from(body as Uint8Array).toString()).toBe(text); // no file is streamed
});

test.each(["map", "o/apps/v1/deployments/shop/web.js", "nothing.html"])(
  "who goes to %s gets the page, which knows what that is",
  async (view) => {
    const browser = "text/html,application/xhtml+xml,*/*;q=0.8";
    const { headers, body } = (await get(`/egret/ui/${view}`, { accept: browser })) ?? {};
    expect(headers?.["content-type"]).toBe("text/html; charset=utf-8");
    expect(Buffer.from(body as Uint8Array).toString()).toBe(INDEX); // no file is streamed
    await expect(get("/egret/ui/assets/map", { accept: browser })).rejects.toMatchObject({ code: 404 });
  },
);

test("nothing of other places runs in it, and no other page may hold it", async () => {
  expect((await get("/egret/ui/"))?.headers).toMatchObject({
    "content-security-policy":
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types egret-worker",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
  });
});

test.each([
  ["gzip, deflate, br", "br", brotliCompressSync(CODE)],
  ["gzip;q=0.5, br;q=0", "gzip", gzipSync(CODE)],
  ["identity", undefined, Buffer.from(CODE)],
])("it is sent as the build has packed it: %s", async (accepted, encoding, bytes) => {
  const answer = await get("/egret/ui/main-AB12CD34.js", { "accept-encoding": accepted });
  expect(answer?.headers["content-encoding"]).toBe(encoding);
  expect(answer?.headers["vary"]).toBe("accept-encoding");
  expect(Buffer.compare(answer?.body as Uint8Array, bytes)).toBe(0);
});

test("what a browser has already is not sent again", async () => {
  const etag = String((await get("/egret/ui/"))?.headers["etag"]);
  const answer = await get("/egret/ui/", { "if-none-match": `"x", W/${etag}` });
  expect(answer).toMatchObject({ status: 304, body: undefined, headers: { etag } });
  await writeFile(join(folder, "ui", "index.html"), `${INDEX}!`);
  expect(await get("/egret/ui/", { "if-none-match": etag })).toMatchObject({ status: 200 });
});

test.each([
  "/egret/ui/nothing.html",
  "/egret/ui/assets/",
  "/egret/ui/assets",
  "/egret/ui/../secret.json",
  "/egret/ui/assets/../index.html",
  "/egret/ui//index.html",
  "/egret/ui/.hidden.json",
  "/egret/ui/notes.unknown",
  "/egret/ui/main-AB12CD34.js.br",
  "/egret/ui/index.html\0.svg",
])("%j is not there", async (path) => {
  await expect(get(path)).rejects.toMatchObject({ code: 404 });
});

test("other methods are refused, other paths are not its own", async () => {
  await expect(get("/egret/ui/", {}, "POST")).rejects.toMatchObject({ code: 405 });
  expect(await get("/egret/ui")).toMatchObject({ status: 308, headers: { location: "/egret/ui/" } });
  expect(get("/egret/uix/index.html")).toBeUndefined();
});
