// The commands `run` and `check`, and how serving reports readiness to a program that waits for it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { access, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runEgret, startEgret } from "../support/egret-process.ts";
import { httpGet } from "../support/sockets/raw-http.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-commands-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const script = async (text: string): Promise<string> => {
  const path = join(folder, "script.mjs");
  await writeFile(path, text);
  return path;
};

describe("egret run", () => {
  test("runs a command that finds a fresh server, and passes its exit code", async () => {
    const path = await script(`
      import { readFileSync } from "node:fs";
      const server = /server: (\\S+)/.exec(readFileSync(process.env.KUBECONFIG, "utf8"))[1];
      const answer = await fetch(server + "/api/v1/namespaces/default");
      console.log(answer.status, process.env.USE_EXISTING_CLUSTER, server === process.env.EGRET_URL);
      process.exit(7);
    `);
    const { code, stdout } = await runEgret(["run", "--controllers=", "--", process.execPath, path]);
    expect({ code, stdout }).toEqual({ code: 7, stdout: "200 true true\n" });
  });

  test("leaves nothing behind", async () => {
    const path = await script(`console.log(process.env.KUBECONFIG)`);
    const { stdout } = await runEgret(["run", "--", process.execPath, path]);
    await expect(access(stdout.trim())).rejects.toThrow("ENOENT");
  });

  test("a signal goes to the command, and what ended it is told as a shell tells it", async () => {
    const path = await script(`process.kill(process.ppid, "SIGTERM"); setInterval(() => {}, 1000);`);
    expect((await runEgret(["run", "--", process.execPath, path])).code).toBe(128 + 15);
  });

  test.each([
    ["nothing to run", ["run", "--controllers="], /egret run \[flags\] -- COMMAND/],
    [
      "a word that is no command",
      ["colour"],
      /there is no command colour; there are serve, run, envtest, demo, /,
    ],
  ])("%s is one line and exit 1", async (_what, args, line) => {
    const { code, stderr } = await runEgret(args);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^egret: [^\n]+\n$/);
    expect(stderr).toMatch(line);
  });
});

test("the ready file is there once all is ready, and goes with the server", async () => {
  const path = join(folder, "ready.json");
  const flags = ["--in-memory", "--kubeconfig", "", "--ready-file", path];
  await using egret = await startEgret(flags);
  expect(JSON.parse(await readFile(path, "utf8"))).toEqual({
    url: egret.url,
    kubeconfig: "",
    pid: egret.pid,
  });
  expect((await httpGet(`${egret.url}/readyz`)).body).toBe("ok");
  await egret.stop();
  await expect(access(path)).rejects.toThrow("ENOENT");
});

test("egret check tells a sound store from one that is not there", async () => {
  const dataDir = join(folder, "data");
  const egret = await startEgret(["--data-dir", dataDir, "--kubeconfig", "", "--controllers", ""]);
  expect((await runEgret(["check", "--data-dir", dataDir])).stderr).toContain("in use by another process");
  await egret.stop();
  const { code, stdout } = await runEgret(["check", "--data-dir", dataDir]);
  expect(stdout).toMatch(
    /format 1, \d+ records, \d+ objects\nrevisions \d+ to \d+ can be read\nnothing is wrong\n$/,
  );
  expect(code).toBe(0);
  expect((await runEgret(["check", "--data-dir", folder])).code).toBe(1);
});

test("a backup of a running server becomes a store of its own", async () => {
  const dataDir = join(folder, "data");
  const file = join(folder, "store.backup");
  const kubeconfig = join(folder, "kubeconfig");
  await using egret = await startEgret(["--data-dir", dataDir, "--kubeconfig", kubeconfig]);
  const namespace = `${egret.url}/api/v1/namespaces/default`;
  const before = JSON.parse((await httpGet(namespace)).body);
  expect(await runEgret(["backup", "--kubeconfig", kubeconfig, file])).toMatchObject({ code: 0, stderr: "" });
  await egret.stop();

  const copy = join(folder, "copy");
  expect(await runEgret(["restore", "--data-dir", copy, file])).toMatchObject({ code: 0, stderr: "" });
  expect((await runEgret(["check", "--data-dir", copy])).code).toBe(0);
  await using restored = await startEgret(["--data-dir", copy, "--kubeconfig", ""]);
  expect(JSON.parse((await httpGet(`${restored.url}/api/v1/namespaces/default`)).body)).toEqual(before);
  const again = await runEgret(["restore", "--data-dir", copy, file]);
  expect(again).toMatchObject({ code: 1, stdout: "" });
  expect(again.stderr).toMatch(/^egret: [^\n]+ holds a store already[^\n]*\n$/);
});

test("half a backup makes no store", async () => {
  const file = join(folder, "half.backup");
  await writeFile(file, '{"egretBackup":1,"compacted":1,"revision":2}\n');
  const { code, stderr } = await runEgret(["restore", "--data-dir", join(folder, "data"), file]);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^egret: [^\n]+ is no whole backup: its end is missing\n$/);
  await expect(access(join(folder, "data"))).rejects.toThrow("ENOENT");
});

test("egret run ends when the process dies that has started it", async () => {
  const path = await script(`console.log(process.pid); setInterval(() => {}, 1000);`);
  const main = join(import.meta.dirname, "../../dist/main.js");
  const starter = spawn(
    process.execPath,
    [
      "-e",
      `const { spawn } = require("node:child_process");
       spawn(process.execPath, ${JSON.stringify([main, "run", "--", process.execPath, path])}, { stdio: ["ignore", "inherit", "inherit"] });`,
    ],
    { stdio: ["ignore", "pipe", "ignore"] },
  );
  const [chunk] = await once(starter.stdout, "data");
  starter.kill("SIGKILL");
  await once(starter.stdout, "close"); // closes when no process holds the pipe: the command and its runner have ended
  expect(() => process.kill(Number(String(chunk)), 0)).toThrow("ESRCH");
});
