// A process with few file descriptors, which anonymous clients try to exhaust with idle connections, half a head, or half
// a body. Others are served, the process keeps running, and the store continues when descriptors are free again.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { type BuiltServer, startBuiltServer } from "../built-server.ts";

const OPEN_FILES_MAX = 256;
const CLIENTS = 400;
const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

let server: BuiltServer;
let folder: string;
const sockets: Socket[] = [];

async function start(flags: readonly string[] = []): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), "egret-descriptors-"));
  server = await startBuiltServer(["--data-dir", folder, ...flags], { openFilesMax: OPEN_FILES_MAX });
}
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

async function openMany(text: string, count = CLIENTS): Promise<void> {
  for (let from = 0; from < count; from += 50) {
    const opened = Array.from({ length: 50 }, async () => {
      const socket = connect(server.port, "127.0.0.1");
      socket.on("error", () => {});
      sockets.push(socket);
      await once(socket, "connect");
      socket.write(text);
    });
    await Promise.all(opened);
  }
  await sleep(200);
}

/** More than LevelDB writes to one log: it has to open further files. */
async function rotate(name: string): Promise<void> {
  const data = { large: "x".repeat(900_000) };
  for (let index = 0; index < 8; index++) {
    const body = { metadata: { name: `${name}-${index}` }, data };
    const { status, text } = await server.send("POST", CONFIG_MAPS, body);
    expect([status, text.slice(0, 200)]).toEqual([201, expect.anything()]);
  }
}

async function expectServed(name: string): Promise<void> {
  expect((await server.send("GET", "/readyz")).text).toBe("ok");
  const session = await server.send("POST", "/egret/v1/ui/login", {}, { token: "low" });
  expect(session.status).toBe(204);
  expect((await server.send("POST", "/egret/v1/ui/login", {}, { token: "" })).status).toBe(401);
  expect((await server.send("GET", "/metrics")).status).toBe(200);
  await rotate(name);
}

const HEAD = "GET /version HTTP/1.1\r\nhost: 127.0.0.1\r\n";
const LOGIN = "POST /egret/v1/ui/login HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 100\r\n\r\n{";

describe("all descriptors are wanted by", () => {
  test.each([
    ["idle connections", "", []],
    ["requests whose heads do not end", HEAD, []],
    ["anonymous logins whose bodies do not come", LOGIN, []],
    ["answered requests on connections that stay", `${HEAD}\r\n`, []],
    ["idle connections, with a log", "", ["--log-level", "debug"]],
  ])("%s", async (_what, text, flags) => {
    await start(flags);
    await openMany(text);
    await expectServed("during");
    await openMany(text, 100);
    await expectServed("again");
  });
});

test("watches of one user do not keep others out", async () => {
  await start();
  await server.grant([{ apiGroups: [""], resources: ["configmaps"], verbs: ["watch"] }]);
  const watch = `GET ${CONFIG_MAPS}?watch=1 HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer low\r\n\r\n`;
  await openMany(watch);
  await expectServed("watched");
});

test("connections beyond --max-connections close the oldest idle ones", async () => {
  await start(["--max-connections=20", "--max-connections-per-address=10"]);
  await openMany("", 50);
  await eventually(
    () => sockets.filter(({ destroyed, readableEnded }) => !destroyed && !readableEnded).length,
    (open) => open <= 10,
  );
  for (const socket of sockets) socket.resume();
  await expectServed("few");
});

const hasPrlimit = (): boolean => {
  try {
    execFileSync("bash", ["-c", "prlimit --version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

test.skipIf(!hasPrlimit())("writes wait while no descriptor is left, and go on afterwards", async () => {
  await start();
  const limit = (count: number) =>
    execFileSync("bash", ["-c", `prlimit --pid=${server.process.pid} --nofile=${count}:${OPEN_FILES_MAX}`]);
  await rotate("before");
  const agent = await server.send("GET", "/readyz"); // fetch keeps this connection for the requests below
  expect(agent.text).toBe("ok");
  await new Promise(setImmediate); // only then fetch treats the connection as free
  limit(1);
  const login = await server.send("POST", "/egret/v1/ui/login", {}, { token: "low" });
  expect([204, 500]).toContain(login.status); // sessions are kept in a file
  const during = rotate("during");
  await sleep(1500);
  expect((await server.send("GET", `${CONFIG_MAPS}/before-0`)).status).toBe(200);
  limit(OPEN_FILES_MAX);
  await during;
  await expectServed("after");
});
