// How commands find a running server: several in one folder, kubeconfigs of other servers, none at all.
import { access, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runEgret, startEgret } from "../../support/egret-process.ts";
import { httpGet } from "../../support/sockets/raw-http.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-servers-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const serverOf = async (path: string) => /server: (\S+)/.exec(await readFile(path, "utf8"))?.[1];
const inFolder = () => ({ cwd: folder });
const memory = () => startEgret(["--in-memory"], inFolder());

describe("the kubeconfig of a server", () => {
  test("that lives is left alone by another server, which says where its own is", async () => {
    await using first = await memory();
    const second = await memory();
    const own = `.egret/kubeconfig-${new URL(second.url).port}`;
    expect(second.greeting[1]).toBe(`kubeconfig: ${own}`);
    expect(await serverOf(join(folder, ".egret/kubeconfig"))).toBe(first.url);
    expect(await serverOf(join(folder, own))).toBe(second.url);
    const { stderr } = await second.stop();
    expect(stderr).toBe(
      `egret: .egret/kubeconfig belongs to the server at ${first.url}, which runs; this one has written ${own}\n`,
    );
    expect(await readdir(join(folder, ".egret"))).toEqual(["kubeconfig"]);
    expect(await serverOf(join(folder, ".egret/kubeconfig"))).toBe(first.url);
  });

  test("can be read at any moment of a restart, on the same port", async () => {
    const path = join(folder, ".egret/kubeconfig");
    const first = await memory();
    const config = await readFile(path, "utf8");
    let problem: unknown;
    const reading = setInterval(() => {
      readFile(path, "utf8").then(
        (text) => (problem ??= text.includes(`server: ${first.url}\n`) ? undefined : text),
        (error) => (problem ??= error),
      );
    }, 1);
    await first.stop();
    expect((await readFile(path, "utf8")).endsWith(config)).toBe(true);
    await using next = await startEgret(["--in-memory", "--listen", new URL(first.url).host], inFolder());
    clearInterval(reading);
    expect([problem, next.greeting[1]]).toEqual([undefined, "kubeconfig: .egret/kubeconfig"]);
    expect((await runEgret(["status"], inFolder())).code).toBe(0);
  });

  test("that has stopped is free for the next one, whatever runs on its port, and one that was killed, too", async () => {
    const path = join(folder, ".egret/kubeconfig");
    const first = await memory();
    await first.stop();
    expect((await runEgret(["clock"], inFolder())).stderr).toMatch(/^egret: \S+ does not answer /);
    const elsewhere = ["--in-memory", "--kubeconfig=", "--listen", new URL(first.url).host];
    await using _other = await startEgret(elsewhere);
    expect((await runEgret(["clock"], inFolder())).stderr).toMatch(/is not the server that has written/);
    const killed = await memory();
    expect(killed.greeting[1]).toBe("kubeconfig: .egret/kubeconfig");
    await killed.stop("SIGKILL");
    expect(await serverOf(path)).toBe(killed.url);
    await using next = await memory();
    expect(next.greeting[1]).toBe("kubeconfig: .egret/kubeconfig");
    expect(await serverOf(path)).toBe(next.url);
  });

  test("is the way to the server also in the ready file and for egret run's command", async () => {
    await using _first = await memory();
    const env = { EGRET_KUBECONFIG: join(folder, ".egret/kubeconfig") };
    const script = 'test "$KUBECONFIG" = "$EGRET_KUBECONFIG" && cat ready.json && cat "$KUBECONFIG"';
    const args = ["run", "--ready-file", "ready.json", "--", "sh", "-c", script];
    const { code, stdout } = await runEgret(args, { ...inFolder(), env });
    expect(code).toBe(0);
    const ready = JSON.parse(stdout.split("\n")[0] ?? "");
    expect(ready.kubeconfig).toMatch(/\.egret\/kubeconfig-\d+$/);
    expect(stdout).toContain(`server: ${ready.url}\n`);
    await expect(access(join(folder, "ready.json"))).rejects.toThrow("ENOENT");
  });

  test("takes nobody else's place", async () => {
    const path = join(folder, "config");
    const theirs =
      "apiVersion: v1\nkind: Config\nclusters:\n- name: prod\n  cluster:\n    server: https://prod:6443\n";
    await writeFile(path, theirs);
    const { code, stderr } = await runEgret(["--in-memory", "--port", "0", "--kubeconfig", path]);
    expect(code).toBe(1);
    expect(stderr).toBe(
      `egret: ${path} is not a kubeconfig that egret has written: name another file by --kubeconfig\n`,
    );
    expect(await readFile(path, "utf8")).toBe(theirs);
  });
});

describe("egret status", () => {
  test("says what runs here, all of it", async () => {
    await using first = await startEgret(["--profile", "openshift-4.13"], inFolder());
    await using second = await memory();
    const { code, stdout } = await runEgret(["status"], inFolder());
    expect(code).toBe(0);
    for (const text of [first.url, String(first.pid), "openshift-4.13", join(folder, ".egret/data")])
      expect(stdout).toContain(text);
    expect(stdout).toMatch(/^Objects: +\d+\nRevision: +\d+$/m);
    const json = JSON.parse((await runEgret(["status", "-o", "json"], inFolder())).stdout);
    expect(json).toMatchObject([
      { url: first.url, pid: first.pid, profile: "openshift-4.13", dataDir: join(folder, ".egret/data") },
      { url: second.url, pid: second.pid, dataDir: "", version: expect.stringMatching(/^\d+\.\d+\.\d+$/) },
    ]);
  });

  test("exits 1 when nothing runs, and says what would", async () => {
    expect(await runEgret(["status"], inFolder())).toEqual({
      code: 1,
      stdout: "",
      stderr:
        "egret: the kubeconfig .egret/kubeconfig cannot be read: it is not there; egret starts a server, egret run -- COMMAND one for a single command\n",
    });
    const server = await memory();
    await server.stop("SIGKILL");
    const { code, stderr } = await runEgret(["status"], inFolder());
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^egret: http:\/\/127\.0\.0\.1:\d+ does not answer .*; egret starts a server,[^\n]*\n$/,
    );
  });
});

describe("KUBECONFIG", () => {
  test("names the server after the flag and EGRET_KUBECONFIG, as a list that is merged", async () => {
    const paths = [join(folder, "one"), join(folder, "two")];
    await using one = await startEgret(["--in-memory", "--kubeconfig", paths[0] ?? ""]);
    await using two = await startEgret(["--in-memory", "--kubeconfig", paths[1] ?? ""]);
    const urlBy = async (env: Record<string, string>, ...flags: string[]) => {
      const { stdout } = await runEgret(["status", "-o", "json", ...flags], { cwd: folder, env });
      return JSON.parse(stdout)[0].url;
    };
    expect(await urlBy({ KUBECONFIG: `/nowhere:${paths[1]}:${paths[0]}` })).toBe(two.url);
    expect(await urlBy({ KUBECONFIG: paths[1] ?? "", EGRET_KUBECONFIG: paths[0] ?? "" })).toBe(one.url);
    const both = { KUBECONFIG: paths[0] ?? "", EGRET_KUBECONFIG: paths[0] ?? "" };
    expect(await urlBy(both, "--kubeconfig", paths[1] ?? "")).toBe(two.url);
  });

  test("may speak of certificates and keys in files, and say which context is meant in another file", async () => {
    const path = join(folder, "kubeconfig");
    await using server = await startEgret([
      ...["--secure", "--kubeconfig", path],
      ...["--data-dir", join(folder, "data")],
    ]);
    const text = await readFile(path, "utf8");
    const token = /token: "?([^"\s]+)/.exec(text)?.[1] ?? "";
    await writeFile(join(folder, "token"), `${token}\n`);
    await writeFile(
      join(folder, "people"),
      `clusters: [{name: c, cluster: {server: "${server.url}", certificate-authority: data/pki/ca.crt}}]
users: [{name: u, user: {tokenFile: token}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
`,
    );
    await writeFile(join(folder, "choice"), "current-context: x\n");
    const env = { KUBECONFIG: `${join(folder, "choice")}:${join(folder, "people")}` };
    const { stdout, stderr } = await runEgret(["status", "-o", "json"], { env });
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toMatchObject([{ url: server.url }]);
    expect((await httpGet(server.url.replace("https", "http")).catch(() => undefined))?.status).not.toBe(200);
  });
});

describe("egret run", () => {
  const run = (args: readonly string[], env = {}) => runEgret(["run", "--controllers=", ...args], { env });

  test("ends as a shell does where there is no such command, and where it cannot be run", async () => {
    expect(await run(["--", "no-such-command"])).toMatchObject({ code: 127, stdout: "" });
    const path = join(folder, "text");
    await writeFile(path, "no program", { mode: 0o644 });
    const { code, stderr } = await run(["--", path]);
    expect(code).toBe(126);
    expect(stderr).toMatch(/^egret: [^\n]+ cannot be run [^\n]+\n$/);
  });

  test("tells in one line that there is no place for its files", async () => {
    const { code, stderr } = await run(["--", "true"], { TMPDIR: "/proc" });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^egret: \/proc cannot be written to [^\n]*TMPDIR[^\n]*\n$/);
  });
});
