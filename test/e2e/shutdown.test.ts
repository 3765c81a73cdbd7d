// Shutdown with clients that do not read any more: a suspended process, as under a debugger.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import http from "node:http";
import https from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type EgretProcess, startEgret } from "../support/egret-process.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-shutdown-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Opens what the arguments say and prints a line once it is open: a path to watch, or nothing for an idle connection. */
const CLIENT = `
const [url, token, path] = process.argv.slice(1);
const headers = { authorization: "Bearer " + token };
const opened = () => console.log("open");
if (url.startsWith("https")) {
  const session = require("node:http2").connect(url, { rejectUnauthorized: false });
  session.on("goaway", () => console.log("goaway"));
  const stream = session.request({ ":path": path || "/livez", ...headers });
  stream.on("response", opened).resume();
} else {
  const agent = new (require("node:http").Agent)({ keepAlive: true });
  require("node:http").get(url + (path || "/livez"), { headers, agent }, (answer) => answer.resume().on("error", () => {}) && opened());
}
setInterval(() => {}, 1000);
`;

const WATCH = "/api/v1/configmaps?watch=1";

class Client implements Disposable {
  readonly process: ChildProcess;
  printed = "";

  private constructor(child: ChildProcess) {
    this.process = child;
    child.stdout?.on("data", (chunk) => (this.printed += chunk));
  }

  static async open(url: string, token: string, path = ""): Promise<Client> {
    const child = spawn(process.execPath, ["-e", CLIENT, url, token, path], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const client = new Client(child);
    await once(child.stdout as NodeJS.ReadableStream, "data");
    return client;
  }

  /** Resolves once the process takes no more steps. */
  async freeze(): Promise<void> {
    this.process.kill("SIGSTOP");
    const state = async () => (await readFile(`/proc/${this.process.pid}/stat`, "utf8")).split(" ")[2];
    while ((await state()) !== "T") await sleep(5);
  }

  [Symbol.dispose](): void {
    this.process.kill("SIGKILL");
  }
}

async function start(...flags: string[]): Promise<{ egret: EgretProcess; token: string }> {
  const kubeconfig = join(folder, "kubeconfig");
  const egret = await startEgret(["--in-memory", "--controllers=", "--kubeconfig", kubeconfig, ...flags]);
  return { egret, token: /token: "?([^"\s]+)/.exec(await readFile(kubeconfig, "utf8"))?.[1] ?? "" };
}

/** More than the window of a stream and of a connection takes, so that the end of a watch cannot leave. */
async function write(url: string, token: string, count: number): Promise<void> {
  const body = { metadata: { generateName: "c-" }, data: { text: "x".repeat(100_000) } };
  const headers = {
    "content-type": "application/json",
    ...(token ? { authorization: `Bearer ${token}` } : {}),
  };
  const { request } = url.startsWith("https") ? https : http;
  for (let at = 0; at < count; at++) {
    const options = { method: "POST", headers, rejectUnauthorized: false };
    const sent = request(`${url}/api/v1/namespaces/default/configmaps`, options);
    sent.end(JSON.stringify(body));
    const [answer] = await once(sent, "response");
    expect(answer.resume().statusCode).toBe(201);
  }
}

test.each([
  ["with an idle connection of HTTP/2", ["--secure"], "", 3000],
  ["with a watch by HTTP/2", ["--secure"], WATCH, 4000],
  ["with a watch by HTTP/1.1", [], WATCH, 4000],
])("a frozen client %s does not keep the server from stopping", async (_name, flags, path, msMax) => {
  const { egret, token } = await start("--shutdown-timeout=1s", ...flags);
  await using _egret = egret;
  using client = await Client.open(egret.url, token, path);
  await client.freeze();
  if (path !== "") await write(egret.url, token, 10);
  const startedMs = performance.now();
  expect(await egret.stop()).toMatchObject({ code: 0 });
  expect(performance.now() - startedMs).toBeLessThan(msMax);
});

test("a client that reads is told by GOAWAY, and waits for nobody else", async () => {
  const { egret, token } = await start("--secure", "--shutdown-timeout=30s");
  await using _egret = egret;
  using client = await Client.open(egret.url, token, WATCH);
  const startedMs = performance.now();
  expect(await egret.stop()).toMatchObject({ code: 0 });
  expect(performance.now() - startedMs).toBeLessThan(3000);
  expect(client.printed).toContain("goaway");
});

test("a second signal ends a server at once that waits for a frozen client", async () => {
  const { egret, token } = await start("--secure", "--shutdown-timeout=1h");
  await using _egret = egret;
  using client = await Client.open(egret.url, token, WATCH);
  await client.freeze();
  await write(egret.url, token, 10);
  process.kill(egret.pid, "SIGTERM");
  await sleep(1500);
  const startedMs = performance.now();
  expect(await egret.stop("SIGINT")).toMatchObject({ code: 1 });
  expect(performance.now() - startedMs).toBeLessThan(1000);
});
