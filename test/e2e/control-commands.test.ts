// The commands that use the control surface of a running server.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type EgretProcess, runEgret, startEgret } from "../support/egret-process.ts";

let folder: string;
let kubeconfig: string;
let readyFile: string;
let server: EgretProcess;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-asking-"));
  kubeconfig = join(folder, "kubeconfig");
  readyFile = join(folder, "ready.json");
  server = await startEgret([
    "--in-memory",
    "--secure",
    "--kubeconfig",
    kubeconfig,
    "--ready-file",
    readyFile,
  ]);
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => void (await egret("reset")));

const egret = (...words: string[]) => runEgret(words, { env: { EGRET_KUBECONFIG: kubeconfig } });
const file = async (text: string): Promise<string> => {
  const path = join(folder, "objects.yaml");
  await writeFile(path, text);
  return path;
};
const configMap = (name: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n  namespace: default\n`;

describe("egret apply and egret export", () => {
  test("objects go in and come out", async () => {
    const path = await file(`${configMap("a")}---\n${configMap("b")}`);
    expect(await egret("apply", "-f", path)).toMatchObject({
      code: 0,
      stdout: "configmap/a created (default)\nconfigmap/b created (default)\n",
    });
    expect((await egret("apply", "-f", path)).stdout).toMatch(/^configmap\/a (unchanged|configured)/);
    const { code, stdout } = await egret("export", "configmaps", "-n", "default");
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${configMap("a")}---\n${configMap("b")}` });
    const json = JSON.parse((await egret("export", "cm", "--full", "-o", "json")).stdout);
    expect(json.items[0].metadata).toHaveProperty("uid");
  });

  test("what is refused is told, the rest is applied", async () => {
    const path = await file(`${configMap("A_B")}---\n${configMap("b")}`);
    const { code, stdout, stderr } = await egret("apply", "-f", path);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "configmap/b created (default)\n" });
    expect(stderr).toMatch(/^configmap\/A_B failed \(default\): ConfigMap "A_B" is invalid/);
  });

  test("a status is taken as a real server takes it, and --status sets every one", async () => {
    const meta = "metadata: {name: a, namespace: default}";
    const path = await file(`apiVersion: v1
kind: Node
metadata: {name: a}
status: {conditions: [{type: Ready, status: "True"}]}
---
apiVersion: k8s.ovn.org/v1
kind: EgressIP
metadata: {name: a}
spec: {egressIPs: [192.168.1.1], namespaceSelector: {}}
status: {items: [{egressIP: 192.168.1.1, node: a}]}
---
apiVersion: v1
kind: Pod
${meta}
spec: {containers: [{name: a, image: a}]}
status: {phase: Running}
`);
    const statusOf = async (kind: string) => {
      const { stdout } = await egret("export", kind, "--full", "-o", "json");
      const items: { metadata: { name: string }; status: object }[] = JSON.parse(stdout).items;
      return items.find(({ metadata }) => metadata.name === "a")?.status;
    };
    await egret("faults", "add", "{match: {verb: update, resource: egressips}, error: {code: 429}}");
    expect((await egret("apply", "-f", path)).code).toBe(0);
    expect(await statusOf("nodes")).toMatchObject({ conditions: [{ type: "Ready", status: "True" }] });
    expect(await statusOf("pods")).toMatchObject({ phase: "Pending" });
    expect((await egret("apply", "--status", "-f", path)).code).toBe(0);
    expect(await statusOf("pods")).toMatchObject({ phase: "Running" });
    await egret("faults", "clear");
  });

  test("more than one request can hold goes in several", async () => {
    const big = (name: string) => `${configMap(name)}data:\n  text: ${"x".repeat(700_000)}\n`;
    const path = await file([big("a"), big("b"), big("c"), big("d"), big("e")].join("---\n"));
    expect((await egret("apply", "-f", path)).stdout.match(/created/g)).toHaveLength(5);
  });

  test.each([
    [["apply"], /say what to apply/],
    [["apply", "-f", "/nowhere"], /\/nowhere cannot be read/],
    [["export", "nothing"], /nothing names no kind that is served/],
    [["export", "-o", "xml"], /--output xml is none of/],
    [["reset", "--to", "none"], /snapshots\.egret "none" not found/],
    [["snapshot", "paint", "x"], /say what to do/],
    [["restore", "none"], /none is no file, and no snapshot either: .* not found/],
    [["reset", "--kubeconfig", "/nowhere"], /the kubeconfig \/nowhere cannot be read/],
  ])("egret %j is one line and exit 1", async (words, line) => {
    const { code, stderr } = await egret(...words);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^egret: [^\n]+\n$/);
    expect(stderr).toMatch(line);
  });
});

test("egret snapshot saves, lists, restores and deletes; egret restore takes the name, too", {
  timeout: 60_000, // a dozen processes, one after the other
}, async () => {
  await egret("apply", "-f", await file(configMap("a")));
  expect((await egret("snapshot", "save", "one")).stdout).toMatch(/^one holds the state at revision \d+\n$/);
  expect((await egret("snapshot", "save", "one")).code).toBe(1);
  expect((await egret("snapshot", "save", "--replace", "one")).code).toBe(0);
  expect((await egret("snapshot")).stdout).toMatch(/^NAME +REVISION +SAVED +KEYS\none +\d+ /);
  await egret("reset");
  expect((await egret("export")).stdout).toBe("");
  expect((await egret("restore", "one")).stdout).toMatch(/^revision \d+: 1 created, 0 updated, 0 deleted\n$/);
  await egret("reset", "--to", "empty", "--expire-watches");
  expect((await egret("snapshot", "restore", "one")).stdout).toContain("1 created");
  expect((await egret("export")).stdout).toBe(configMap("a"));
  expect((await egret("snapshot", "delete", "one")).code).toBe(0);
  expect((await egret("snapshot", "list")).stdout).not.toContain("one");
});

describe("egret kubeconfig", () => {
  test("prints that of the server, by its own path or by the ready file", async () => {
    const text = await readFile(kubeconfig, "utf8");
    expect(await egret("kubeconfig")).toMatchObject({ code: 0, stdout: text });
    expect((await runEgret(["kubeconfig", "--ready-file", readyFile])).stdout).toBe(text);
    expect((await runEgret(["snapshot", "--ready-file", readyFile])).code).toBe(0);
  });

  test("makes one for a server that has written none", async () => {
    const path = join(folder, "other.json");
    await using other = await startEgret(["--in-memory", "--kubeconfig", "", "--ready-file", path]);
    const { stdout } = await runEgret(["kubeconfig", "--ready-file", path]);
    expect(stdout).toContain(`server: ${other.url}\n`);
    await other.stop();
    expect(await runEgret(["kubeconfig", "--ready-file", path])).toMatchObject({ code: 1, stdout: "" });
  });
});
