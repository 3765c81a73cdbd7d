// Files of a server are readable only by their owner, from the first moment. Files or links that another local user has
// placed do not redirect it.
import { execFileSync } from "node:child_process";
import {
  chmod,
  chown,
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
const isRoot = process.getuid?.() === 0;

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

/** The modes of a folder and of its content, as a set of strings. */
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

const DUMP = `apiVersion: v1
kind: Secret
metadata: {name: s, namespace: default}
stringData: {password: hidden}
`;

describe("what an export writes", () => {
  async function withSecret() {
    const egret = await startEgret([...flags(), "--in-memory"]);
    const secret = join(folder, "secret.yaml");
    await writeFile(secret, DUMP);
    expect((await runEgret(["apply", "--kubeconfig", kubeconfig, "-f", secret])).code).toBe(0);
    return egret;
  }

  test.each(["state.yaml", "state.json", "state.jsonl", "tree/"])("%s is its owner's alone", async (name) => {
    await using _egret = await withSecret();
    const place = join(folder, name);
    // An earlier file that others may read, and have opened.
    if (!name.endsWith("/")) await writeFile(place, "old", { mode: 0o666 });
    const { code, stderr } = await runEgret(["export", "--kubeconfig", kubeconfig, "--secrets", place]);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^1 object in /)]);
    expect(await modesBelow(place)).toEqual(name.endsWith("/") ? OWNERS_ALONE : ["file 600"]);
  });

  test("goes into a named pipe of one's own", async () => {
    await using _egret = await withSecret();
    const pipe = join(folder, "pipe.yaml");
    makePipe(pipe);
    const [text, { code }] = await Promise.all([
      readFile(pipe, "utf8"),
      runEgret(["export", "--kubeconfig", kubeconfig, "--secrets", pipe]),
    ]);
    expect([code, text]).toEqual([0, expect.stringContaining("kind: Secret")]);
  });

  test.skipIf(!isRoot)("does not follow a link of another user, or feed that user's pipe", async () => {
    await using _egret = await startEgret([...flags(), "--in-memory"]);
    const [victim, place, pipe] = ["victim", "state.yaml", "pipe.yaml"].map((name) => join(folder, name));
    await writeFile(victim ?? "", "precious");
    await symlink(victim ?? "", place ?? "");
    await lchown(place ?? "", NOBODY, NOBODY);
    expect((await runEgret(["export", "--kubeconfig", kubeconfig, place ?? ""])).code).toBe(0);
    expect(await readFile(victim ?? "", "utf8")).toBe("precious");
    makePipe(pipe ?? "");
    await chown(pipe ?? "", NOBODY, NOBODY);
    const { code, stderr } = await runEgret(["export", "--kubeconfig", kubeconfig, pipe ?? ""]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("belongs to another user (uid 65534)")]);
  });
});

const makePipe = (path: string): void => void execFileSync("sh", ["-c", 'mkfifo -- "$1"', "sh", path]);

/** The modes of a file, or of a folder and everything below it, as a set of strings. */
async function modesBelow(path: string): Promise<string[]> {
  const found = await stat(path);
  const own = `${found.isDirectory() ? "folder" : "file"} ${await modeOf(path)}`;
  const names = found.isDirectory() ? await readdir(path) : [];
  const below = await Promise.all(names.map((name) => modesBelow(join(path, name))));
  return [...new Set([own, ...below.flat()])].sort();
}

describe.skipIf(!isRoot)("a data folder in which another user could write", () => {
  const start = (...more: string[]) => runEgret([...flags(), "--listen", "127.0.0.1:0", ...more]);

  /** Creates a link of the other user to a file of this one. */
  async function laid(path: string): Promise<string> {
    const victim = join(folder, "victim");
    await writeFile(victim, "precious", { mode: 0o644 });
    await symlink(victim, path);
    await lchown(path, NOBODY, NOBODY);
    return victim;
  }

  test.each(["CURRENT", "LOG", "LOCK", "000003.log", "MANIFEST-000001"])(
    "may not hold a link as %s",
    async (name) => {
      await mkdir(data, { mode: 0o777 });
      await chmod(data, 0o1777);
      const path = join(data, name);
      const victim = await laid(path);
      const { code, stderr } = await start();
      expect([code, stderr]).toEqual([
        1,
        `egret: the data folder ${data} cannot be used: ${path} is a link, and a store has none: remove it\n`,
      ]);
      expect([await readFile(victim, "utf8"), await modeOf(victim)]).toEqual(["precious", "644"]);
    },
  );

  test("may hold no link of one's own either: it may have come with a repository", async () => {
    await mkdir(data);
    const victim = join(folder, "victim");
    await writeFile(victim, "precious");
    await symlink(victim, join(data, "000001.dbtmp"));
    expect(await start()).toMatchObject({ code: 1, stderr: expect.stringMatching(/dbtmp is a link, and a/) });
    expect(await readFile(victim, "utf8")).toBe("precious");
  });

  test("is closed to writes of others, also where it holds other things", async () => {
    await mkdir(data);
    await chmod(data, 0o777);
    await writeFile(join(data, "notes.txt"), "mine");
    await using _egret = await startEgret(flags());
    expect(await modeOf(data)).toBe("755");
  });

  test("may not hold a store or keys of another user than its own", async () => {
    await mkdir(join(data, "pki"), { recursive: true });
    await writeFile(join(data, "CURRENT"), "MANIFEST-000001\n");
    await chown(join(data, "CURRENT"), NOBODY, NOBODY);
    expect((await start()).stderr).toMatch(/CURRENT belongs to another user \(uid 65534\): remove it/);
    await rm(join(data, "CURRENT"));
    await writeFile(join(data, "pki", "ca.key"), "known to the other user");
    await chown(join(data, "pki", "ca.key"), NOBODY, NOBODY);
    const { code, stderr } = await start("--secure");
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/ca\.key belongs to another user \(uid 65534\)/),
    ]);
  });

  test("may not be reached by another user's link", async () => {
    const link = join(folder, "link");
    await mkdir(join(folder, "target"));
    await symlink(join(folder, "target"), link);
    await lchown(link, NOBODY, NOBODY);
    data = join(link, "data");
    expect((await start()).stderr).toContain(`${link} is a link of another user (uid 65534): remove it`);
    expect(await readdir(join(folder, "target"))).toEqual([]);
  });

  test.each(["sa.key", "page-sessions.json", "ca.crt"])("and its keys: no link as pki/%s", async (name) => {
    await mkdir(join(data, "pki"), { recursive: true });
    const victim = await laid(join(data, "pki", name));
    const process = await start("--secure");
    expect(process).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`${name} is a link of another user`),
    });
    expect(await readFile(victim, "utf8")).toBe("precious");
  });
});

describe("the file of a ready server", () => {
  test.skipIf(!isRoot)("is not written through another user's link", async () => {
    const [victim, ready] = [join(folder, "victim"), join(folder, "ready.json")];
    await writeFile(victim, "precious");
    await symlink(victim, ready);
    await lchown(ready, NOBODY, NOBODY);
    await using egret = await startEgret([...flags(), "--in-memory", "--ready-file", ready]);
    expect(await readFile(victim, "utf8")).toBe("precious");
    expect(JSON.parse(await readFile(ready, "utf8"))).toMatchObject({ url: egret.url });
  });

  test("in the working directory: a kubeconfig that is a link is replaced, for it may have come with a repository", async () => {
    const victim = join(folder, "victim");
    await writeFile(victim, "precious");
    await mkdir(join(folder, ".egret"));
    await symlink("../victim", join(folder, ".egret/kubeconfig"));
    await using egret = await startEgret(["--in-memory", "--controllers="], { cwd: folder });
    expect(await readFile(victim, "utf8")).toBe("precious");
    expect(await readFile(join(folder, ".egret/kubeconfig"), "utf8")).toContain(egret.url);
  });
});
