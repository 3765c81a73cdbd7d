// Node versions: one that is too old gets an error in one line, and any other stores its compiled code.
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type EgretProcess, type Exit, runEgret, startEgret } from "../../support/egret-process.ts";
import { eventually } from "../../support/eventually.ts";

const DIST = join(import.meta.dirname, "../../../dist");
const MEMORY = ["--in-memory", "--kubeconfig", ""];

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-node-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe("a Node below the floor", () => {
  /** Where a Node that is truly too old is at hand it is taken, and else this one under another name. */
  const oldNode = process.env["OLD_NODE"];

  async function runOld(args: readonly string[]): Promise<Exit> {
    const pretend = join(folder, "pretend.cjs");
    await writeFile(
      pretend,
      'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "18.20.8" } });',
    );
    const [file, flags] = oldNode === undefined ? [process.execPath, ["-r", pretend]] : [oldNode, []];
    return new Promise((resolve) => {
      execFile(file, [...flags, ...args], { cwd: folder }, (error, stdout, stderr) =>
        resolve({ code: typeof error?.code === "number" ? error.code : 0, stdout, stderr }),
      );
    });
  }

  test.each([[[]], [["serve"]], [["--help"]], [["run", "--", "true"]]])(
    "gets one line from egret %j",
    async (args) => {
      expect(await runOld([join(DIST, "main.js"), ...args])).toEqual({
        code: 1,
        stdout: "",
        stderr: expect.stringMatching(/^egret: Node 20\.19 or newer is needed, and \S+ is Node \d+\.\S+\n$/),
      });
      expect((await readdir(folder)).filter((name) => name !== "pretend.cjs")).toEqual([]);
    },
  );

  test.each([
    ["require", "server.js"],
    ["require", "testing.js"],
    ["import", "server.js"],
    ["import", "testing.js"],
  ])("cannot %s %s, and reads why", async (how, name) => {
    const load = `(async () => ${how}(${JSON.stringify(join(DIST, name))}))()`;
    const tell = `${load}.catch((error) => console.log(error.message));`;
    expect(await runOld(["-e", tell])).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        /^egret-apiserver: Node 20\.19 or newer is needed, and \S+ is Node \d+\.\S+\n$/,
      ),
      stderr: "",
    });
  });
});

describe("what another V8 than that of the build compiles", () => {
  /** Other flags make another V8 of it. */
  const env = () => ({ XDG_CACHE_HOME: folder, NODE_OPTIONS: "--expose-gc" });
  const kept = async (): Promise<string[]> => await readdir(join(folder, "egret")).catch(() => []);
  const start = (): Promise<EgretProcess> => startEgret(MEMORY, { env: env() });
  const once = (names: string[]): boolean =>
    names.length === 1 && names.every((name) => name.endsWith(".cache"));

  test("is kept at its first start and taken by the next", async () => {
    await using first = await start();
    const [name = ""] = await eventually(kept, once);
    await first.stop();
    const file = join(folder, "egret", name);
    const { ino, mode } = await stat(file);
    expect(mode & 0o777).toBe(0o600);
    await using second = await start();
    await second.stop();
    // What is refused is written anew.
    expect((await stat(file)).ino).toBe(ino);
  });

  test("is written down by another process than the one that serves", async () => {
    const hook = join(folder, "hook.cjs");
    const pids = join(folder, "pids");
    await writeFile(
      hook,
      `const { Script } = require("node:vm");
const { createCachedData } = Script.prototype;
Script.prototype.createCachedData = function () {
  require("node:fs").appendFileSync(${JSON.stringify(pids)}, process.pid + "\\n");
  return createCachedData.call(this);
};`,
    );
    const hooked = { ...env(), NODE_OPTIONS: `--expose-gc --require ${hook}` };
    await using egret = await startEgret(MEMORY, { env: hooked });
    await eventually(kept, once);
    const [pid = "", ...more] = (await readFile(pids, "utf8")).trim().split("\n");
    expect([Number(pid) > 0, pid === String(egret.pid), more]).toEqual([true, false, []]);
  });

  test("is written anew when it is damaged", async () => {
    await using first = await start();
    const [name = ""] = await eventually(kept, once);
    await first.stop();
    const file = join(folder, "egret", name);
    await writeFile(file, "damaged");
    await using second = await start();
    await eventually(
      () => stat(file),
      ({ size }) => size > 1_000_000,
    );
    await second.stop();
  });

  test("is not kept where there is no place for it", async () => {
    const nowhere = { ...env(), XDG_CACHE_HOME: "/proc/nowhere" };
    await using egret = await startEgret(MEMORY, { env: nowhere });
    expect(await egret.stop()).toMatchObject({ code: 0, stderr: "" });
  });

  test("is not kept by a command that does not serve", async () => {
    expect(await runEgret(["--help"], { env: env() })).toMatchObject({ code: 0 });
    expect(await kept()).toEqual([]);
  });
});

test("what the V8 of the build compiles is shipped, and nothing is kept", async () => {
  await using egret = await startEgret(MEMORY, { env: { XDG_CACHE_HOME: folder } });
  await egret.stop();
  const shipped = (await readdir(DIST)).filter((name) => name.endsWith(".cache"));
  expect(shipped.length).toBeGreaterThan(0);
  const isOurs = shipped.every((name) => name.includes(process.versions.v8));
  expect((await readdir(folder)).length).toBe(isOurs ? 0 : 1);
});
