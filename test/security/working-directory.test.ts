// The kubeconfig of the working directory. An attacker can place any file there (a repository, an archive, a shared
// folder). Commands use only a file that a server of this user has written, and the server must authenticate itself before
// it gets credentials.
import { once } from "node:events";
import {
  chmod,
  chown,
  lchown,
  mkdir,
  mkdtemp,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { type EgretProcess, runEgret, startEgret } from "../support/egret-process.ts";

const OTHER_USER = 65_534;
const isRoot = process.getuid?.() === 0;

let folder: string;
let file: string;
/** The environment of the victim. */
let env: Record<string, string>;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-working-"));
  file = join(folder, ".egret/kubeconfig");
  env = { HOME: join(folder, "home"), XDG_STATE_HOME: "", XDG_RUNTIME_DIR: "" };
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const run = (args: readonly string[], more: Record<string, string> = {}) =>
  runEgret(args, { cwd: folder, env: { ...env, ...more } });
const serve = (...flags: string[]): Promise<EgretProcess> =>
  startEgret(["--in-memory", "--controllers=", ...flags], { cwd: folder, env });

interface Planted {
  readonly cluster?: object;
  readonly user?: object;
}

async function plant({ cluster = {}, user = {} }: Planted, port = 1): Promise<void> {
  await mkdir(join(folder, ".egret"), { recursive: true, mode: 0o700 });
  const config = {
    ...{ apiVersion: "v1", kind: "Config", "current-context": "egret" },
    clusters: [{ name: "egret", cluster: { server: `http://127.0.0.1:${port}`, ...cluster } }],
    users: [{ name: "egret", user }],
    contexts: [{ name: "egret", context: { cluster: "egret", user: "egret" } }],
  };
  await writeFile(file, JSON.stringify(config), { mode: 0o600 });
}

/** A server that records its requests. */
async function listener() {
  const seen: { url: string; authorization: string | undefined }[] = [];
  const server = createServer((request, response) => {
    seen.push({ url: request.url ?? "", authorization: request.headers.authorization });
    response.end("{}");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on a port
  return { seen, port, [Symbol.dispose]: () => void server.close() };
}

const EXEC = (command: string) => ({
  exec: {
    ...{ apiVersion: "client.authentication.k8s.io/v1", interactiveMode: "Never" },
    ...{ command: "sh", args: ["-c", command] },
  },
});

const COMMANDS = [
  ["status"],
  ["kubeconfig"],
  ["ui", "--no-open"],
  ["export"],
  ["explain", "egressip", "a"],
  ["trace", "pod/a/b", "--to", "192.0.2.1:1"],
  ["plan", "--delete", "node/a"],
  ["requests"],
  ["history", "egressip", "a"],
  ["nodes", "add", "1"],
  ["faults", "list"],
  ["clock"],
  ["snapshot", "list"],
  ["reset"],
  ["compact", "1"],
  ["backup", "copy"],
  ["case", "save", "a"],
  ["apply", "-f", "object.yaml"],
  ["diff", "object.yaml"],
  ["import", "object.yaml"],
];

describe("a kubeconfig that was put into the working directory", () => {
  test("runs no program, with any command", async () => {
    await plant({ user: EXEC("echo pwned > pwned") });
    await writeFile(join(folder, "object.yaml"), "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n");
    const refusal =
      /^egret: the kubeconfig \.egret\/kubeconfig of the working directory is not used: exec of egret /;
    for (let at = 0; at < COMMANDS.length; at += 5) {
      const ended = COMMANDS.slice(at, at + 5).map(async (args) => [args, await run(args)] as const);
      for (const [args, { code, stderr }] of await Promise.all(ended))
        expect([code, stderr], args.join(" ")).toEqual([1, expect.stringMatching(refusal)]);
    }
    await expect(readFile(join(folder, "pwned"))).rejects.toThrow("ENOENT");
  });

  test("runs no program when a server starts there, and completion and help do not read it", async () => {
    using other = await listener();
    await plant({ user: EXEC("echo pwned > pwned") }, other.port);
    await writeFile(file, stringify(JSON.parse(await readFile(file, "utf8"))));
    expect((await run(["completion", "bash"])).code).toBe(0);
    expect((await run(["--help"])).code).toBe(0);
    await using server = await serve();
    expect(other.seen).toMatchObject([{ url: "/livez", authorization: undefined }]);
    expect(server.greeting[1]).toMatch(/^kubeconfig: \.egret\/kubeconfig-\d+$/); // the other one answers
    await expect(readFile(join(folder, "pwned"))).rejects.toThrow("ENOENT");
  });

  test("is refused before anything is sent", async () => {
    using server = await listener();
    await plant({ user: { token: "known" } }, server.port);
    const { code, stdout, stderr } = await run(["status"]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/: no server of Egret has written it\. .*name another one with --kubeconfig/);
    expect(server.seen).toEqual([]);
  });

  test("is used as kubectl does where it is named", async () => {
    using server = await listener();
    await writeFile(join(folder, "token"), "mine\n");
    await plant({ user: { tokenFile: "../token" } }, server.port);
    for (const [args, more] of [
      [["clock", "--kubeconfig", ".egret/kubeconfig"], {}],
      [["clock"], { KUBECONFIG: ".egret/kubeconfig" }],
      [["clock"], { EGRET_KUBECONFIG: ".egret/kubeconfig" }],
    ] as const)
      await run(args, more);
    expect(server.seen.map(({ authorization }) => authorization)).toEqual(Array(3).fill("Bearer mine"));
  });

  test("in a folder that others may write to, or by way of another user's link, is refused", async () => {
    await using server = await serve();
    expect(JSON.parse((await run(["status", "-o", "json"])).stdout)).toMatchObject([{ url: server.url }]);
    await chmod(file, 0o666);
    expect((await run(["status"])).stderr).toMatch(/: other users may write to it \(mode 0666\)/);
    await chmod(file, 0o600);
    await chmod(join(folder, ".egret"), 0o777);
    expect((await run(["status"])).stderr).toMatch(
      /\.egret belongs to another user, or others may write to it/,
    );
    await chmod(join(folder, ".egret"), 0o700);
    await rm(file);
    await mkdir(file);
    expect((await run(["status"])).stderr).toMatch(/: \.egret\/kubeconfig is no regular file/);
  });

  test.skipIf(!isRoot)("that belongs to another user, or is that user's link, is refused", async () => {
    await using _server = await serve();
    await chown(file, OTHER_USER, OTHER_USER);
    expect((await run(["status"])).stderr).toMatch(/belongs to another user \(uid 65534\)/);
    await chown(file, 0, 0);
    const real = join(folder, "real");
    await rename(file, real);
    await symlink(real, file);
    expect((await run(["status"])).code).toBe(0); // a link of one's own
    await lchown(file, OTHER_USER, OTHER_USER);
    expect((await run(["status"])).stderr).toMatch(/is a link of another user \(uid 65534\)/);
  });
});

describe("the kubeconfig of a server of the user", () => {
  test("is used, also with --secure, a fresh home and after kubectl has changed the namespace", async () => {
    await using server = await serve("--secure");
    expect((await run(["clock"])).code).toBe(0);
    const text = await readFile(file, "utf8");
    await writeFile(file, text.replace("namespace: default", "namespace: shop"));
    expect(JSON.parse((await run(["status", "-o", "json"])).stdout)).toMatchObject([{ url: server.url }]);
  });

  test("is refused where it was copied from another user, or changed", async () => {
    await using _server = await serve("--secure");
    const copied = await run(["status"], { HOME: join(folder, "other") });
    expect(copied).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/: no server of yours has written it/),
    });
    const text = await readFile(file, "utf8");
    using other = await listener();
    for (const changed of [
      text.replace(/server: .*/, `server: http://127.0.0.1:${other.port}`),
      text.replace(/token: .*/, "token: another"),
      text.replace(/certificate-authority-data: .*/, "certificate-authority-data: bm9uZQ=="),
    ]) {
      await writeFile(file, changed);
      const { code, stderr } = await run(["status"]);
      expect(code).toBe(1);
      expect(stderr).toMatch(/server, certificate authority or token are not what the server has written/);
    }
    expect(other.seen).toEqual([]);
  });

  test("sends no credentials to another process on the port of a server that was killed", async () => {
    const tokens = join(folder, "tokens.csv");
    await writeFile(tokens, 'secret,admin,1,"system:masters"\n');
    const server = await serve("--token-auth-file", tokens, "--secure=false");
    expect((await run(["clock"])).code).toBe(0);
    expect(await readFile(file, "utf8")).toContain("token: secret");
    await server.stop("SIGKILL");
    const seen: (string | undefined)[] = [];
    const impostor = createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.end('{"proof":"00"}');
    }).listen(Number(new URL(server.url).port), "127.0.0.1");
    await once(impostor, "listening");
    try {
      const { code, stderr } = await run(["clock"]);
      expect(code).toBe(1);
      expect(stderr).toMatch(/is not the server that has written the kubeconfig: no credentials were sent/);
      expect(seen).toEqual([undefined]);
    } finally {
      impostor.closeAllConnections();
      impostor.close();
    }
  });

  test("is found without a home, by a private temporary folder", async () => {
    await mkdir(join(folder, "tmp"), { mode: 0o700 });
    env = { HOME: "/proc/none", XDG_STATE_HOME: "", XDG_RUNTIME_DIR: "", TMPDIR: join(folder, "tmp") };
    await using _server = await serve();
    expect(await run(["clock"])).toMatchObject({ code: 0, stderr: "" });
  });

  test("is found only by name where no folder is private, and the server says so", async () => {
    env = { HOME: "/proc/none", XDG_STATE_HOME: "", XDG_RUNTIME_DIR: "", TMPDIR: "/proc" };
    const server = await serve();
    expect((await run(["clock"])).stderr).toMatch(/: no server of Egret has written it/);
    expect((await run(["clock", "--kubeconfig", file])).code).toBe(0);
    const { stderr } = await server.stop();
    expect(stderr).toMatch(
      /^egret: commands find this server only with --kubeconfig \.egret\/kubeconfig or EGRET_KUBECONFIG: no private folder for the record of this server \(\/proc\/none\/\.local\/state\/egret: [^\n]+\)\n$/,
    );
  });

  test.skipIf(!isRoot)("keeps no record in a folder that another user owns or may write to", async () => {
    const home = join(folder, "home");
    await mkdir(join(home, ".local/state/egret"), { recursive: true, mode: 0o700 });
    await chown(join(home, ".local/state/egret"), OTHER_USER, OTHER_USER);
    env = { ...env, TMPDIR: "/proc" };
    const server = await serve();
    expect((await server.stop()).stderr).toMatch(/egret: it belongs to user 65534/);
    await chown(join(home, ".local/state/egret"), 0, 0);
    await chmod(home, 0o777);
    const second = await serve();
    expect((await second.stop()).stderr).toMatch(/egret: other users may change [^\n]*home/);
  });
});
