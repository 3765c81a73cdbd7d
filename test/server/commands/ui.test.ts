// `egret ui`, and the effect of --no-ui.
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openerFor, pageUrl } from "../../../src/cli/ui.ts";
import type { ServerOptions } from "../../../src/server/options/options.ts";
import { createServer, type Server } from "../../../src/server/server.ts";
import { MEMORY_SERVER } from "../../support/memory-server.ts";
import { printedBy } from "../../unit/cli/printed.ts";

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
    await using server = await start({ tokenAuthFile, secure: false });
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
    expect((await fetch(`${server.url}/egret/ui/`)).status).toBe(200); // served without authentication
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

describe("the address that a server answers with", () => {
  test.each([
    "file:///etc/passwd",
    "javascript:alert(1)",
    "https://example.com/",
    "http://127.0.0.1:1/egret/ui/#code=$(id)",
    "http://127.0.0.1:1/egret/ui/?a=b&calc.exe",
    "http://127.0.0.1:1/egret/ui/../../x",
    "http://user@127.0.0.1:1/egret/ui/",
    "-e",
    "",
    17,
    undefined,
  ])("is not shown and not opened where it is no page: %s", (url) => {
    expect(pageUrl(url)).toBeUndefined();
  });

  test.each([
    ["http://127.0.0.1:8080/egret/ui/", true],
    ["https://[::1]:8080/egret/ui/#code=a-b_C9", true],
    ["http://localhost:8080/egret/ui/", true],
    ["http://0.0.0.0:8080/egret/ui/", true],
    ["https://192.0.2.1:8080/egret/ui/", false],
    ["https://127.0.0.1.example.com/egret/ui/", false],
  ])("%s may be opened: %s", (url, isLocal) => {
    expect(pageUrl(url)).toEqual({ href: url, isLocal });
  });

  test("is refused by the command", async () => {
    const { port, [Symbol.dispose]: close } = await answering({ url: "file:///etc/passwd" });
    try {
      const path = join(folder, "elsewhere");
      const server = `http://127.0.0.1:${port}`;
      const config = { clusters: [{ name: "c", cluster: { server } }], "current-context": "x" };
      await writeFile(
        path,
        JSON.stringify({ ...config, contexts: [{ name: "x", context: { cluster: "c" } }] }),
      );
      await expect(printedBy(["ui"], { EGRET_KUBECONFIG: path })).rejects.toThrow(
        "the server has answered with something else than its page",
      );
    } finally {
      close();
    }
  });
});

/** A server that answers every request with this value. */
async function answering(value: object) {
  const server = createHttpServer((_request, response) => response.end(JSON.stringify(value)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on a port
  return { port, [Symbol.dispose]: () => void server.close() };
}

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
