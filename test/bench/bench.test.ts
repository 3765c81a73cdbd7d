// The bench runs and measures its named rows, against the built server and against a running one; its own runs measure the
// speed.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startEgret } from "../support/egret-process.ts";
import { etcdProblem } from "../support/etcd.ts";
import { RUN_MS_MAX, runBench } from "./run-bench.ts";

const ROWS_OF_ANY_SERVER = [
  ...["create", "least", "get", "patch", "apply", "status"].flatMap((verb) => [`${verb}/1`, `${verb}/16`]),
  "delete/16",
  ...["json", "table", "label", "namespace", "page"].map((shape) => `list/${shape}`),
  "watch/1",
  "watch/20",
  "watch-paced/20",
  ...["namespace", "name", "label"].map((bystander) => `bystanders/${bystander}`),
  ...["get", "create", "patch"].flatMap((verb) => [`size/${verb}/50`, `size/${verb}/200`]),
];
const ROWS_OF_OURS = [
  "start/answer",
  "start/memory",
  "start/stop",
  ...ROWS_OF_ANY_SERVER,
  "memory/200",
  "memory/200/reopened",
  "reopen/200",
  "patch-memory/16",
  "apply-memory/16",
  "controllers/create/16",
  "controllers/writes",
  "files/egret",
  ...["start/5", "discovery", "openapi-v2", "openapi-v3", "changed", "memory"].map(
    (row) => `definitions/${row}`,
  ),
  "engine/one",
  "engine/assigned",
  "engine/drained",
  ...["explain", "trace", "plan"].flatMap((verb) => [`verdict/${verb}/first`, `verdict/${verb}/again`]),
  "testing/start",
  "testing/reset/100",
  "demo/small/rest",
  "demo/small/work",
  "demo/small/memory",
  "stall/yaml/flow-keys",
  "stall/object/labels",
  "stall/server/openapi",
  "stall/memory",
];
/** Only where an etcd can be started. */
const ROWS_OF_ETCD = [
  ...["get", "get-cached", "create"].flatMap((verb) => [`etcd/${verb}/1`, `etcd/${verb}/16`]),
  "etcd/list/1",
  "etcd/list-cached/1",
  "etcd/watch/20",
  ...["get", "get-cached", "create"].flatMap((verb) => [1, 2].map((n) => `etcd/processes-${verb}/${n}`)),
];
/** Only where kubectl is installed. */
const BY_KUBECTL = "files/kubectl";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-bench-test-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function bench(...flags: readonly string[]) {
  const json = join(folder, "bench.json");
  const stdout = await runBench("--json", json, "--folder", folder, ...flags);
  return { stdout, report: JSON.parse(await readFile(json, "utf8")) };
}

interface Row {
  readonly id: string;
  readonly operation: string;
  readonly perSecond?: number;
  readonly value?: number;
}

test("a quick run prints a row for every operation and writes them as JSON", {
  timeout: RUN_MS_MAX,
}, async () => {
  const { stdout, report } = await bench("--generator", "node");
  expect(report).toMatchObject({ quick: true, own: true, runs: 1 });
  const rows: Row[] = report.rows;
  expect(
    rows
      .map(({ id }) => id)
      .filter((id) => id !== BY_KUBECTL)
      .sort(),
  ).toEqual([...ROWS_OF_OURS, ...(etcdProblem() === undefined ? ROWS_OF_ETCD : [])].sort());
  for (const { id, operation, perSecond, value } of rows) {
    expect(perSecond ?? value, id).toBeGreaterThan(0);
    expect(stdout).toContain(operation);
  }
});

test("a server with TLS and tokens is measured by its kubeconfig, and left as it was", {
  timeout: RUN_MS_MAX,
}, async () => {
  const kubeconfig = join(folder, "kubeconfig");
  const flags = ["--data-dir", join(folder, "data"), "--kubeconfig", kubeconfig, "--secure"];
  await using _egret = await startEgret([...flags, "--controllers", ""]);
  const only = ["objects", "lists", "watches", "engine"].flatMap((name) => ["--only", name]);
  const { stdout, report } = await bench("--kubeconfig", kubeconfig, "--markdown", ...only);
  expect(report).toMatchObject({
    own: false,
    server: expect.stringMatching(/^https:/),
  });
  const measured = ROWS_OF_ANY_SERVER.filter((id) => !/^(bystanders|size)/.test(id));
  expect(report.rows.map(({ id }: Row) => id).sort()).toEqual(measured.sort());
  expect(stdout).toMatch(/^\| operation +\|/m);
  expect(stdout).toMatch(/^\| watchers +\|/m);
});
