// Slow watcher: a client opens a watch and reads nothing. The server buffers a bounded amount for it, terminates the
// watch, counts that in its metrics, and lets the client resume.
import { connect } from "node:net";
import { expect, test } from "vitest";
import { startEgret } from "../support/egret-process.ts";
import { eventually } from "../support/eventually.ts";

const PATH = "/api/v1/namespaces/default/configmaps";
const OBJECTS = 8;
const VALUE_BYTES = 100_000;
/** More than a watch may leave unread, plus the content of buffers between. */
const CHANGES = 1000;
const LONG = 60_000;

async function change(url: string, object: number, count: number): Promise<void> {
  const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: `slow-${object}` }, data: {} };
  const headers = { "content-type": "application/json" };
  await (await fetch(`${url}${PATH}`, { method: "POST", headers, body: JSON.stringify(body) })).arrayBuffer();
  for (let turn = 1; turn < count; turn++) {
    const patch = { data: { turn: `${turn}`, text: "x".repeat(VALUE_BYTES) } };
    const answer = await fetch(`${url}${PATH}/slow-${object}`, {
      method: "PATCH",
      headers: { "content-type": "application/merge-patch+json" },
      body: JSON.stringify(patch),
    });
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`a patch was answered with ${answer.status}`);
  }
}

/** The value of a metric; of one with labels that of ConfigMaps, 0 where there is none. */
async function figure(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name}(?:{.*resource="configmaps".*})? (\\d+)$`, "m").exec(text)?.[1] ?? 0);
}

const openWatches = (url: string) => figure(url, "apiserver_longrunning_requests");

async function revision(url: string): Promise<number> {
  const { metadata } = (await (await fetch(`${url}${PATH}?limit=1`)).json()) as {
    metadata: { resourceVersion: string };
  };
  return Number(metadata.resourceVersion);
}

/** The revisions of the events of a watch, up to the last one or to its end; the watch can be left unread at first. */
function watch(url: string, from: number, last: number) {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  const revisions: number[] = [];
  let text = "";
  socket.setEncoding("latin1");
  const ended = new Promise<number[]>((resolve) => {
    socket.on("data", (chunk: string) => {
      const lines = (text + chunk).split("\n");
      text = lines.pop() ?? "";
      for (const line of lines) {
        const found = /"resourceVersion":"(\d+)"/.exec(line)?.[1];
        if (found !== undefined) revisions.push(Number(found));
      }
      if ((revisions.at(-1) ?? 0) >= last) socket.destroy();
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(revisions));
  });
  socket.write(`GET ${PATH}?watch=1&resourceVersion=${from} HTTP/1.1\r\nhost: ${hostname}:${port}\r\n\r\n`);
  return { socket, ended };
}

test("who reads nothing is sent away, and misses nothing when he comes back", { timeout: LONG }, async () => {
  await using egret = await startEgret([
    ...["--in-memory", "--kubeconfig", "", "--controllers", ""],
    ...["--log-level", "info"],
  ]);
  const { url } = egret;
  const from = await revision(url);
  const idle = watch(url, from, Number.POSITIVE_INFINITY);
  idle.socket.pause();
  await eventually(
    () => openWatches(url),
    (open) => open === 1,
  );

  const changing = Array.from({ length: OBJECTS }, (_, object) => change(url, object, CHANGES / OBJECTS));
  await Promise.all(changing);
  const last = await revision(url);
  expect(last - from).toBe(CHANGES);
  await eventually(
    () => figure(url, "egret_store_watches_dropped_total"),
    (dropped) => dropped === 1,
  );

  idle.socket.resume();
  const before = await idle.ended;
  expect(await openWatches(url)).toBe(0);
  expect(before.length).toBeLessThan(CHANGES);
  const after = await watch(url, before.at(-1) ?? from, last).ended;
  expect([...before, ...after]).toEqual(Array.from({ length: CHANGES }, (_, index) => from + 1 + index));

  const { stderr } = await egret.stop();
  const told = stderr.split("\n").filter((line) => line.includes("dropped"));
  expect(told).toEqual([expect.stringMatching(/^\{"level":"info",.*configmaps.*"msg":"a watch was dropped/)]);
});
