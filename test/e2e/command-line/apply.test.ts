// The inputs of egret apply: files, folders, several of them, the standard input, and none.
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type EgretProcess, runEgret, startEgret } from "../../support/egret-process.ts";

let folder: string;
let kubeconfig: string;
let server: EgretProcess;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-apply-"));
  kubeconfig = join(folder, "kubeconfig");
  server = await startEgret(["--in-memory", "--controllers=", "--kubeconfig", kubeconfig]);
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const MAIN = join(import.meta.dirname, "../../../dist/main.js");
const apply = (...args: string[]) => runEgret(["apply", "--kubeconfig", kubeconfig, ...args]);
const configMap = (name: string, more = "") =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}${more}}\n`;

test("a folder, all below it, as --load does, and several -f", async () => {
  await mkdir(join(folder, "d/below"), { recursive: true });
  await writeFile(join(folder, "d/b.yaml"), configMap("b", ", namespace: made"));
  await writeFile(
    join(folder, "d/below/ns.yml"),
    "apiVersion: v1\nkind: Namespace\nmetadata: {name: made}\n",
  );
  await writeFile(join(folder, "d/c.json"), '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"}}');
  await writeFile(join(folder, "d/readme.txt"), "not an object");
  await writeFile(join(folder, "e.yaml"), configMap("e"));
  const { code, stdout } = await apply("-f", join(folder, "d"), "-f", join(folder, "e.yaml"));
  expect(code).toBe(0);
  expect(stdout.trimEnd().split("\n")).toEqual([
    "namespace/made created",
    "configmap/b created (made)",
    "configmap/c created (default)",
    "configmap/e created (default)",
  ]);
});

const piped = (input: string, ...args: string[]) =>
  spawnSync(process.execPath, [MAIN, "apply", "--kubeconfig", kubeconfig, ...args], {
    input,
    encoding: "utf8",
  });

test("the standard input", () => {
  expect(piped(configMap("from-input"), "-f", "-")).toMatchObject({
    status: 0,
    stdout: "configmap/from-input created (default)\n",
    stderr: "",
  });
});

test.each(["", "# a comment\n", "---\n---\n"])("%j holds nothing, and that is said", (text) => {
  const { status, stdout, stderr } = piped(text, "-f", "-");
  expect({ status, stdout, stderr }).toEqual({
    status: 1,
    stdout: "",
    stderr: "egret: no objects passed to apply\n",
  });
});
