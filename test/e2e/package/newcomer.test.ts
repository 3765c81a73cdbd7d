// First steps with the installed package: the first commands, typing errors, and the answers to both.
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { installedFolder } from "../../support/package/packed-package.ts";
import { Player } from "../../support/package/player.ts";
import { terminalProblem } from "../../support/package/terminal.ts";

const MINUTES_MS = 240_000;
const CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: NAME, namespace: default}\n";
const SERVICE =
  "apiVersion: v1\nkind: Service\nmetadata: {name: NAME, namespace: default}\nspec: {ports: [{port: 80}]}\n";
const ENDPOINTS =
  "apiVersion: v1\nkind: Endpoints\nmetadata: {name: NAME, namespace: default}\nsubsets: [{addresses: [{ip: 192.0.2.7}], ports: [{port: 80}]}]\n";
const named = (text: string, name: string) => text.replace("NAME", name);

let manifests: string;
beforeAll(async () => {
  manifests = join(await installedFolder(), "test/e2e/manifests");
}, MINUTES_MS);

describe("help", () => {
  let player: Player;
  beforeAll(async () => {
    player = await Player.in("help");
  });

  test("lists the commands, each of which has help of its own with the defaults", {
    timeout: MINUTES_MS,
  }, async () => {
    const help = await player.shell("npx egret --help");
    const [, list = ""] = /\nCommands[^\n]*\n([\s\S]*?)\n\n/.exec(help) ?? [];
    const commands = list.split("\n").map((line) => line.trim().split(" ")[0] ?? "");
    expect(commands).toEqual(
      expect.arrayContaining(["serve", "run", "apply", "export", "snapshot", "restore"]),
    );
    expect(help).toContain("(default 127.0.0.1:8080)");
    for (const command of commands) {
      const own = await player.shell(`egret ${command} --help`);
      expect(own).toMatch(new RegExp(`^Usage: egret \\[?${command}\\b`));
      expect(await player.shell(`egret ${command} -h`)).toBe(own);
    }
  });

  test("tells the version", async () => {
    const { version } = JSON.parse(await readFile(join(await installedFolder(), "package.json"), "utf8"));
    expect(await player.shell("egret --version")).toContain(version);
  });

  test.each([
    ["egret aply", "did you mean apply?"],
    ["egret --log-levle=info", "did you mean --log-level?"],
    ["EGRET_SECURE=on egret --in-memory", "EGRET_SECURE=on says neither true nor false"],
    ["egret status", "egret starts a server"],
  ])("%s: %s", async (line, told) => {
    const { code, stdout, stderr } = await player.ends(line);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr.trimEnd().split("\n")).toEqual([expect.stringContaining(told)]);
  });

  test("knows the controllers, and teaches the shells", async () => {
    expect(await player.shell("egret controllers")).toMatch(/^egressip +on/m);
    expect(await player.shell("egret completion bash > c && bash -c '. ./c && complete -p egret'")).toMatch(
      /^complete .*egret/,
    );
    for (const shell of ["zsh", "fish"])
      expect(await player.shell(`egret completion ${shell}`)).toContain("snapshot");
  });
});

describe("two servers in a folder", () => {
  test("leave each other's kubeconfig alone", { timeout: MINUTES_MS }, async () => {
    const player = await Player.in("two-servers");
    const server = (file: string) => readFile(join(player.user.folder, file), "utf8");
    await using first = await player.serve(["--in-memory"]);
    const second = await player.serve(["--in-memory"]);
    expect(second.printed()).toMatch(/belongs to the server at \S+, which runs/);
    const [, own = ""] = /^kubeconfig: (\S+)$/m.exec(second.printed()) ?? [];
    expect(await server(".egret/kubeconfig")).toContain(first.url);
    expect(await server(own)).toContain(second.url);
    const status = await player.shell("egret status");
    for (const { url } of [first, second]) expect(status).toContain(url);
    expect(await player.shell(`KUBECONFIG=${own} egret status`)).toContain(second.url);
    expect(await second.interrupt()).toBe(0);
    expect(await server(".egret/kubeconfig")).toContain(first.url);
  });
});

describe("egret run", () => {
  test("ends as a shell does, and writes its ready file", { timeout: MINUTES_MS }, async () => {
    const player = await Player.in("egret-run");
    expect(await player.ends("egret run -- no-such-command")).toMatchObject({ code: 127, stdout: "" });
    const { code, stderr } = await player.ends("egret run -- true", { TMPDIR: "/proc" });
    expect(code).toBe(1);
    expect(stderr.trimEnd().split("\n")).toEqual([expect.stringMatching(/TMPDIR/)]);
    const ready = JSON.parse(await player.shell("egret run --ready-file ready.json -- cat ready.json"));
    expect(ready).toMatchObject({ url: expect.stringMatching(/^http/), pid: expect.any(Number) });
  });
});

describe("egret apply", () => {
  test("takes status in, as a real server does, and assigns", { timeout: MINUTES_MS }, async () => {
    const player = await Player.in("apply-status");
    await using server = await player.serve();
    await player.shell(
      `egret apply -f ${manifests}/nodes.yaml -f ${manifests}/egress-ip.yaml && egret clock settle`,
    );
    const answer = await fetch(`${server.url}/apis/k8s.ovn.org/v1/egressips/web`);
    expect(await answer.json()).toMatchObject({ status: { items: [{ node: "node-a" }] } });
  });

  test("takes a Service and its Endpoints, ten times", { timeout: MINUTES_MS }, async () => {
    const player = await Player.in("apply-endpoints");
    await using server = await player.serve(["--in-memory"]);
    for (let n = 0; n < 10; n++) {
      await player.write("service.yaml", `${named(SERVICE, `s-${n}`)}---\n${named(ENDPOINTS, `s-${n}`)}`);
      await player.shell("egret apply -f service.yaml");
      const answer = await fetch(`${server.url}/api/v1/namespaces/default/endpoints/s-${n}`);
      expect(await answer.json()).toMatchObject({ subsets: [{ addresses: [{ ip: "192.0.2.7" }] }] });
    }
  });

  test.skipIf(terminalProblem() !== undefined)(
    "tells a terminal how far it has come, and a pipe nothing",
    { timeout: MINUTES_MS },
    async () => {
      const player = await Player.in("apply-progress");
      await using _server = await player.serve(["--in-memory", "--controllers="]);
      const many = Array.from({ length: 450 }, (_, n) => named(CONFIG_MAP, `c-${n}`)).join("---\n");
      await player.write("many.yaml", many);
      const { code, shown } = await player.types("egret apply -f many.yaml");
      expect(code).toBe(0);
      expect(shown).toContain("applied 0 of 450 (0 %)");
      expect(shown.at(-1)).toMatch(/configmap\/c-449 created \(default\)\s+$/);
      expect(await player.ends("egret apply -f many.yaml")).toMatchObject({ code: 0, stderr: "" });
    },
  );

  test("takes folders, and says when there is nothing", { timeout: MINUTES_MS }, async () => {
    const player = await Player.in("apply-folder");
    await using _server = await player.serve(["--in-memory"]);
    await mkdir(join(player.user.folder, "d/below"), { recursive: true });
    await player.write("d/a.yaml", named(CONFIG_MAP, "a"));
    await player.write("d/below/b.yaml", named(CONFIG_MAP, "b"));
    expect((await player.shell("egret apply -f d")).trimEnd().split("\n")).toHaveLength(2);
    const { code, stderr } = await player.ends("egret apply -f - < /dev/null");
    expect({ code, stderr }).toEqual({ code: 1, stderr: "egret: no objects passed to apply\n" });
  });
});
