// `egret ui`, and what the server leaves out with --no-ui.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openerFor } from "../../../src/commands/ui.ts";
import type { ServerOptions } from "../../../src/server/options/options.ts";
import { createServer, type Server } from "../../../src/server/server.ts";
import { MEMORY_SERVER } from "../../support/memory-server.ts";
import { printedBy } from "../../unit/commands/printed.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-ui-"));
  await writeFile(join(folder, "index.html"), "<!doctype html>");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const start = (options: Partial<ServerOptions>, pageFolder = folder): Promise<Server> =>
  createServer({ ...MEMORY_SERVER, kubeconfig: join(folder, "kubeconfig"), ...options }, { pageFolder });
const printed = (...args: string[]) =>
  printedBy(["ui", ...args], { EGRET_KUBECONFIG: join(folder, "kubeconfig") });

describe("egret ui", () => {
  test("prints where the page is", async () => {
    await using server = await start({});
    expect(await printed("--no-open")).toBe(`${server.url}/egret/ui/\n`);
    const page = await fetch(`${server.url}/egret/ui`);
    expect([page.url, await page.text()]).toEqual([`${server.url}/egret/ui/`, "<!doctype html>"]);
  });

  test("prints a link that is good once, where people are asked who they are", async () => {
    const tokenAuthFile = join(folder, "tokens.csv");
    await writeFile(tokenAuthFile, 'root,admin,1,"system:masters"\n');
    await using server = await start({ tokenAuthFile });
    const link = await printed();
    const code = link.trim().split(`${server.url}/egret/ui/#code=`)[1];
    const logIn = () =>
      fetch(`${server.url}/egret/v1/ui/login`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ code }),
      });
    const first = await logIn();
    expect([first.status, first.headers.get("set-cookie")]).toEqual([
      204,
      expect.stringMatching(/^egret-\d+=/),
    ]);
    expect((await logIn()).status).toBe(401);
    expect((await fetch(`${server.url}/egret/ui/`)).status).toBe(200); // for everybody
  });

  test("says so where there is no page", async () => {
    await using _without = await start({}, join(folder, "nowhere"));
    await expect(printed()).rejects.toThrow("this server has no page");
    await expect(printed("now")).rejects.toThrow("takes flags alone");
  });

  test.each([
    ["darwin", {}, ["open"]],
    ["linux", { DISPLAY: ":0" }, ["xdg-open"]],
    ["linux", { WAYLAND_DISPLAY: "wayland-0" }, ["xdg-open"]],
    ["linux", { DISPLAY: "" }, undefined],
  ] as const)("on %s with %j it is opened by %j", (platform, env, opener) => {
    expect(openerFor(platform, env)).toEqual(opener);
  });
});

test("--no-ui leaves the page and its logins out", async () => {
  await using server = await start({ noUi: true });
  for (const [method, path] of [
    ["GET", "/egret/ui/"],
    ["GET", "/egret/ui"],
    ["GET", "/egret/v1/ui/session"],
    ["POST", "/egret/v1/ui/login"],
  ]) {
    expect((await fetch(`${server.url}${path}`, { method: method ?? "" })).status, path).toBe(404);
  }
});
