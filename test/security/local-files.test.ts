// What a server leaves on the disk is for its owner alone, from the first moment, and what another user of the machine has
// put in its way does not lead it elsewhere.
import {
  chmod,
  lchown,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runEgret, startEgret } from "../support/egret-process.ts";

const NOBODY = 65_534;

let folder: string;
let data: string;
let kubeconfig: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-files-"));
  data = join(folder, "data");
  kubeconfig = join(folder, "kubeconfig");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const flags = () => ["--data-dir", data, "--kubeconfig", kubeconfig, "--controllers", ""];
const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

/** The modes of a folder and of all that is in it, as one set of words. */
async function modesIn(path: string): Promise<string[]> {
  const modes = new Set([`folder ${await modeOf(path)}`]);
  for (const name of await readdir(path)) {
    if (name !== "pki") modes.add(`file ${await modeOf(join(path, name))}`);
  }
  return [...modes].sort();
}

const OWNERS_ALONE = ["file 600", "folder 700"];

describe("the store", () => {
  test("is its owner's alone while a server runs, after it, and when it was made from a backup", async () => {
    await using egret = await startEgret(flags());
    expect(await modesIn(data)).toEqual(OWNERS_ALONE);
    const file = join(folder, "backup");
    expect((await runEgret(["backup", "--kubeconfig", kubeconfig, file])).code).toBe(0);
    expect(await modeOf(file)).toBe("600");
    await egret.stop();
    expect(await modesIn(data)).toEqual(OWNERS_ALONE);
    const restored = join(folder, "restored");
    expect((await runEgret(["restore", "--data-dir", restored, file])).code).toBe(0);
    expect(await modesIn(restored)).toEqual(OWNERS_ALONE);
  });

  test("of an earlier server is taken from everybody else at the start", async () => {
    await (await startEgret(flags())).stop();
    await chmod(data, 0o755);
    for (const name of await readdir(data)) await chmod(join(data, name), 0o644);
    await using _egret = await startEgret(flags());
    expect(await modesIn(data)).toEqual(OWNERS_ALONE);
  });

  test("leaves a folder as it is that holds other things too", async () => {
    await mkdir(data, { mode: 0o755 });
    await chmod(data, 0o755);
    const other = join(data, "notes.txt");
    await writeFile(other, "mine", { mode: 0o644 });
    await using _egret = await startEgret(flags());
    expect([await modeOf(data), await modeOf(other), await modeOf(join(data, "CURRENT"))]).toEqual([
      "755",
      "644",
      "600",
    ]);
  });
});

describe("the kubeconfig", () => {
  test("replaces one that everybody can read, so that nobody who has opened that sees the token", async () => {
    await writeFile(kubeconfig, "old", { mode: 0o644 });
    const { ino } = await stat(kubeconfig);
    await using _egret = await startEgret([...flags(), "--secure"]);
    expect(await modeOf(kubeconfig)).toBe("600");
    expect((await stat(kubeconfig)).ino).not.toBe(ino);
    expect((await readdir(folder)).sort()).toEqual(["data", "kubeconfig"]);
  });

  test("is written where a link of one's own leads", async () => {
    const target = join(folder, "target");
    await writeFile(target, "old", { mode: 0o644 });
    await symlink(target, kubeconfig);
    await using _egret = await startEgret(flags());
    expect((await lstat(kubeconfig)).isSymbolicLink()).toBe(true);
    expect(await readFile(target, "utf8")).toContain("kind: Config");
    expect(await modeOf(target)).toBe("600");
  });

  test.skipIf(process.getuid?.() !== 0)("never follows a link that somebody else has laid", async () => {
    const victim = join(folder, "victim");
    await writeFile(victim, "precious");
    await symlink(victim, kubeconfig);
    await lchown(kubeconfig, NOBODY, NOBODY);
    await using _egret = await startEgret(flags());
    expect(await readFile(victim, "utf8")).toBe("precious");
    expect((await lstat(kubeconfig)).isFile()).toBe(true);
    expect(await readFile(kubeconfig, "utf8")).toContain("kind: Config");
  });
});
