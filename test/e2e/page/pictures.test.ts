// Screenshots of each view with a real server. `npm run pictures` writes them; otherwise the test checks that each view
// can be captured and has a picture below the size limit.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type EgretServer, startEgret } from "egret-apiserver/testing";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { VIEWS } from "../../../src/ui/frame/route.ts";
import { demoObjects } from "../../../src/ui/map/demo-objects.ts";
import { browserProblem, TestBrowser } from "../../support/page/browser.ts";

const problem = browserProblem();
if (problem !== undefined) process.stderr.write(`${problem}: test/e2e/page/pictures.test.ts is skipped\n`);

const ROOT = join(import.meta.dirname, "../../..");
const FOLDER = join(ROOT, "src/ui/pictures");
const WIDTH = 1280;
const HEIGHT = 720;
const QUALITY = 60;
const BYTES_MAX = 60_000;
const ALL_BYTES_MAX = 400_000;

interface View {
  /** Of the file, without its ending; a view has one that begins with its name. */
  readonly name: string;
  readonly path: string;
  /** What shows that all is there. */
  readonly sign: string;
  /** Coroutine before the screenshot is taken. */
  readonly first?: (page: Page, server: EgretServer) => Promise<unknown>;
}

const PICTURED: readonly View[] = [
  { name: "map", path: "map?sel=eip/mail", sign: ".reason-strip a", first: moveAway },
  { name: "o-list", path: "o/k8s.ovn.org/v1/egressips", sign: "tbody tr:nth-child(8)" },
  { name: "o-object", path: "o/k8s.ovn.org/v1/egressips/-/web?tab=fields", sign: "tr.fresh" },
  { name: "trace", path: "trace?from=pod/shop/front-0&to=203.0.113.9:443", sign: ".verdict" },
  { name: "whatif", path: "whatif?do=delete:node/node-a", sign: ".verdict" },
  { name: "time", path: "time", sign: "tbody tr:nth-child(8)" },
  { name: "lab", path: "lab", sign: "li.fired", first: armFault },
  { name: "traffic", path: "traffic", sign: ".warning", first: hurry },
];

/** One address is seen on another node than before. */
async function moveAway(_page: Page, { client }: EgretServer): Promise<void> {
  const status = { conditions: [{ type: "Ready", status: "False" }] };
  await client.patch("v1/Node", "node-b", { status }, { subresource: "status" });
}

async function armFault(page: Page, { url }: EgretServer): Promise<void> {
  await page.getByLabel("Fault as YAML").fill("match: {resource: secrets}\nerror: {code: 500}\n");
  await page.getByRole("button", { name: "Arm" }).click();
  await page.getByText("Fault armed: done.").waitFor();
  await fetch(`${url}/api/v1/secrets`);
}

async function hurry(_page: Page, { url }: EgretServer): Promise<void> {
  const headers = { "User-Agent": "hasty-controller/1.0" };
  for (let round = 0; round < 4; round++) await (await fetch(`${url}/api/v1/pods`, { headers })).text();
}

/** In the form that takes the fewest bytes; a driver knows it by the browser's own protocol alone. */
async function pictureOf(page: Page): Promise<Buffer> {
  await page.evaluate("document.fonts.ready");
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: QUALITY });
  return Buffer.from(data, "base64");
}

/** Of a WebP in the extended file format (RFC 9649), which says both less one. */
function sizeOf(picture: Buffer): { readonly width: number; readonly height: number } {
  expect([picture.toString("latin1", 0, 4), picture.toString("latin1", 8, 16)]).toEqual(["RIFF", "WEBPVP8X"]);
  return { width: picture.readUIntLE(24, 3) + 1, height: picture.readUIntLE(27, 3) + 1 };
}

test("each view has a picture, small and shown", async () => {
  const files = await readdir(FOLDER);
  expect(files.sort()).toEqual(PICTURED.map(({ name }) => `${name}.webp`).sort());
  for (const view of VIEWS)
    expect(
      files.some((file) => file.split(/[-.]/)[0] === view),
      view,
    ).toBe(true);
  const readmes = [
    await readFile(join(ROOT, "README.md"), "utf8"),
    await readFile(join(ROOT, "src/ui/README.md"), "utf8"),
  ];
  let all = 0;
  for (const file of files) {
    const picture = await readFile(join(FOLDER, file));
    expect(sizeOf(picture), file).toEqual({ width: WIDTH, height: HEIGHT });
    expect(picture.length, file).toBeLessThan(BYTES_MAX);
    all += picture.length;
    expect(
      readmes.some((text) => new RegExp(`!\\[[^\\]]{10,}\\]\\([\\w/]*pictures/${file}\\)`).test(text)),
      file,
    ).toBe(true);
  }
  expect(all).toBeLessThan(ALL_BYTES_MAX);
});

describe.skipIf(problem !== undefined)("a picture", () => {
  let server: EgretServer;
  let browser: TestBrowser;
  beforeAll(async () => {
    server = await startEgret();
    const answer = await fetch(`${server.url}/egret/v1/import?status=true`, {
      ...{ method: "POST", headers: { "Content-Type": "application/json" } },
      body: JSON.stringify(demoObjects()),
    });
    expect(answer.status).toBe(200);
    await answer.text();
    await server.waitFor({ kind: "k8s.ovn.org/v1/EgressIP", name: "web" }, "size(object.status.items) == 2");
    browser = await TestBrowser.open();
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  test.each(PICTURED)("of $name can be taken", async ({ name, path, sign, first }) => {
    const { page, complaints } = await browser.page(`${server.url}/egret/ui/${path}`, {
      ...{
        viewport: { width: WIDTH, height: HEIGHT },
        colorScheme: "light",
        locale: "en-GB",
        reducedMotion: "reduce",
      },
    });
    await page.getByText("● live").first().waitFor();
    await first?.(page, server);
    await page.locator(sign).first().waitFor();
    const picture = await pictureOf(page);
    expect(sizeOf(picture)).toEqual({ width: WIDTH, height: HEIGHT });
    if (process.env["EGRET_PICTURES"] === "write") await writeFile(join(FOLDER, `${name}.webp`), picture);
    if (process.env["EGRET_PICTURES_PNG"])
      await page.screenshot({ path: join(process.env["EGRET_PICTURES_PNG"], `${name}.png`) });
    expect(picture.length).toBeLessThan(BYTES_MAX);
    expect(complaints).toEqual([]);
  });
});
