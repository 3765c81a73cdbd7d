// Time and memory of verdicts about a large cluster other than Egret, which a server in this process plays.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { slowness } from "../../scripts/bench/machine-speed.ts";
import { minimalRole } from "../../src/cli/read-cluster.ts";
import { DEEP_STACK } from "../../src/server/launch/node-flags.ts";
import { createServer, type Server } from "../../src/server/server.ts";
import { largeCluster } from "../support/large-cluster.ts";
import { MEMORY_SERVER } from "../support/memory-server.ts";

const SIZE = { nodes: 500, namespaces: 500, pods: 20_000, egressIps: 2000 };
const COMMAND = join(import.meta.dirname, "../../dist/main.js");
const SECONDS_MAX = 5 * slowness();
const MEGABYTES_MAX = 500;

let folder: string;
let kubeconfig: string;
let server: Server;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-size-"));
  const [tokens, admin] = [join(folder, "tokens.csv"), join(folder, "admin")];
  kubeconfig = join(folder, "reader");
  await writeFile(tokens, "token-of-reader,reader,\ntoken-of-admin,admin,,system:masters\n");
  const options = {
    ...MEMORY_SERVER,
    secure: true,
    tokenAuthFile: tokens,
    kubeconfig: admin,
    dataDir: folder,
  };
  server = await createServer(options);
  const binding = {
    ...{
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: "reader" },
    },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "egret-reader" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "reader" }],
  };
  const objects = [minimalRole(), binding, ...largeCluster(SIZE)];
  await server.control.imports.import(objects);
  await writeFile(kubeconfig, (await readFile(admin, "utf8")).replace(/token: .*/, "token: token-of-reader"));
});
afterAll(async () => {
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Peak resident memory of a process in megabytes; 0 where /proc is not available. */
async function peakMegabytes(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return (Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024) / 1e6;
}

/** Processor time that a process has used, in seconds; 0 where /proc is not available. Ticks are 10 ms. */
async function processorSeconds(pid: number | undefined): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 13)
    .map(Number);
  return (user + system) / 100;
}

async function ask(...words: string[]) {
  const before = server.control.requests.last;
  const child = spawn(process.execPath, [DEEP_STACK, COMMAND, ...words, "--kubeconfig", kubeconfig]);
  let megabytes = 0;
  const looks: { at: number; processor: number }[] = [];
  const looking = setInterval(async () => {
    looks.push({ at: Date.now(), processor: await processorSeconds(child.pid) });
    megabytes = Math.max(megabytes, await peakMegabytes(child.pid));
  }, 20);
  const [[code], stdout, stderr] = await Promise.all([
    once(child, "close"),
    readAll(child.stdout),
    readAll(child.stderr),
  ]);
  clearInterval(looking);
  const last = server.control.requests.entries({ since: before }).at(-1);
  const listed = Date.parse(last?.time ?? "") + (last?.durationMs ?? 0);
  const whenListed = looks.findLast(({ at }) => at <= listed)?.processor ?? 0;
  const processor = Math.max(0, ...looks.map((look) => look.processor)) - whenListed;
  const seconds = (Date.now() - listed) / 1000;
  return { code, stdout, stderr, megabytes: Math.round(megabytes), seconds, processor };
}

test.each([
  [["explain", "egressip", "egress-1234"], /^10\.0\.104\.210 on each node/m],
  [["explain", "node", "worker-17"], /worker-17/],
  [["trace", "pod/team-17/web-7d4b9c6f5d-00017", "--to", "192.0.2.1:443"], /with source 10\.0\.\d+\.\d+/],
])("%j is answered soon after the lists, in little memory", async (words, answer) => {
  const { code, stdout, stderr, megabytes, seconds } = await ask(...words);
  console.log(`${words.join(" ")}: ${seconds.toFixed(1)} s after the lists, ${megabytes} MB`);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(answer);
  expect(seconds).toBeLessThan(SECONDS_MAX);
  expect(megabytes).toBeLessThan(MEGABYTES_MAX);
});

test("a plan is made of it with little work of the processor, in little memory", async () => {
  const { code, stdout, stderr, megabytes, seconds, processor } = await ask(
    "plan",
    "--delete",
    "node/worker-17",
    "-o",
    "json",
  );
  console.log(
    `plan: ${seconds.toFixed(1)} s after the lists, ${processor.toFixed(1)} s of the processor, ${megabytes} MB`,
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(JSON.parse(stdout).moved).toHaveLength(4);
  expect(processor).toBeLessThan(SECONDS_MAX);
  expect(megabytes).toBeLessThan(MEGABYTES_MAX);
}, 180_000);
