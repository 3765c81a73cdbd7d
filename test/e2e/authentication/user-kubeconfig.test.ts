// Client certificates in kubeconfigs with kubectl: the administrator's besides the token, and those of other users,
// created by `egret kubeconfig --user`.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runEgret, startEgret } from "../../support/egret-process.ts";
import { kubectlProblem } from "../../support/kubectl.ts";
import { KubectlSession } from "../../support/kubectl-session.ts";
import { hasOpenssl, OpensslFolder } from "../../support/openssl.ts";

const problem = kubectlProblem();
if (problem !== undefined)
  process.stderr.write(`${problem}: test/e2e/authentication/user-kubeconfig.test.ts is skipped\n`);

const USER = "jsonpath={.status.userInfo.username} {.status.userInfo.groups}";
const ADMIN = 'system:admin ["system:masters","system:authenticated"]';

describe.skipIf(problem !== undefined)("a kubeconfig with a client certificate", () => {
  let session: KubectlSession;
  let kubeconfig: string;
  beforeAll(async () => {
    session = await KubectlSession.start(["--secure"]);
    kubeconfig = join(session.folder, "kubeconfig");
  });
  afterAll(() => session?.close());

  async function whoami(path: string): Promise<string> {
    const { stdout, stderr } = await session.kubectl.run([
      "auth",
      "whoami",
      "-o",
      USER,
      "--kubeconfig",
      path,
    ]);
    return stdout + stderr;
  }
  const issue = (...flags: readonly string[]) =>
    runEgret(["kubeconfig", "--kubeconfig", kubeconfig, ...flags]);

  test("is that of the administrator, for clients that know no token", async () => {
    const text = await readFile(kubeconfig, "utf8");
    for (const member of ["token", "client-certificate-data", "client-key-data"])
      expect(text).toContain(`\n    ${member}: `);
    const bare = join(session.folder, "without-token");
    await writeFile(bare, text.replace(/\n {4}token: .*/, ""));
    expect(await whoami(bare)).toBe(ADMIN);
    await session.killAndRestart();
    const [server = ""] = /server: .*/.exec(await readFile(kubeconfig, "utf8")) ?? [];
    await writeFile(bare, (await readFile(bare, "utf8")).replace(/server: .*/, server));
    expect(await whoami(bare)).toBe(ADMIN);
  });

  test("does not count beside a token of --token", async () => {
    await session.kubectl.text(["create", "sa", "robot"]);
    const token = (await session.kubectl.text(["create", "token", "robot"])).trim();
    const name = ["auth", "whoami", "-o", "jsonpath={.status.userInfo.username}"];
    expect(await session.kubectl.text([...name, `--token=${token}`])).toBe(
      "system:serviceaccount:default:robot",
    );
    expect(await session.kubectl.run([...name, "--token=wrong"])).toMatchObject({ code: 1, stdout: "" });
  });

  test("is made for another user and its groups", async () => {
    const { code, stdout, stderr } = await issue("--user", "alice", "--group", "dev", "--group", "ops");
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).not.toContain("token: ");
    const path = join(session.folder, "alice");
    await writeFile(path, stdout);
    expect(await whoami(path)).toBe('alice ["dev","ops","system:authenticated"]');
    expect(await session.kubectl.text(["get", "csr", "-o", "name"])).toBe("");
  });

  test("is not made for system:masters, nor without a user", async () => {
    const masters = await issue("--user", "eve", "--group", "system:masters");
    expect([masters.code, masters.stderr]).toEqual([
      1,
      expect.stringContaining("system:masters group is not allowed"),
    ]);
    expect(await issue("--group", "dev")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("--group needs --user"),
    });
  });

  test("is not made by a server that does not authenticate users", async () => {
    const open = join(session.folder, "open");
    await using _egret = await startEgret(["--in-memory", "--kubeconfig", open]);
    const { code, stderr } = await runEgret(["kubeconfig", "--kubeconfig", open, "--user", "alice"]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("does not authenticate users")]);
  });

  test.skipIf(!hasOpenssl())("is left to the CA of --client-ca-file", async () => {
    const { certificate } = new OpensslFolder(session.folder).authority("client-ca");
    const path = join(session.folder, "foreign");
    await using _egret = await startEgret([
      "--in-memory",
      "--kubeconfig",
      path,
      "--client-ca-file",
      certificate,
    ]);
    expect(await readFile(path, "utf8")).not.toContain("client-certificate-data");
    const { code, stderr } = await runEgret(["kubeconfig", "--kubeconfig", path, "--user", "alice"]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("trusts the CA of --client-ca-file alone")]);
  });
});
