// Help output of the command for new users.
import { execFileSync, spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { runEgret } from "../../support/egret-process.ts";

describe("egret says what it is and what it can do", () => {
  test("--help lists the commands and the flags of the server", async () => {
    const { code, stdout, stderr } = await runEgret(["--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const word of ["serve", "run", "apply", "export", "snapshot", "controllers", "completion"])
      expect(stdout).toMatch(new RegExp(`^  ${word} +\\S`, "m"));
    expect(stdout).toContain("--data-dir DIR");
    expect((await runEgret(["-h"])).stdout).toBe(stdout);
  });

  test("a command has help of its own, which asks no server", async () => {
    const env = { EGRET_KUBECONFIG: "/nowhere" };
    for (const args of [
      ["backup", "--help"],
      ["apply", "-h"],
      ["run", "-h"],
      ["help", "clock"],
    ]) {
      const { code, stdout } = await runEgret(args, { env });
      expect(code, args.join(" ")).toBe(0);
      expect(stdout).toMatch(/^Usage: egret (backup|apply|run|clock)\b/);
    }
  });

  test("--version", async () => {
    const { code, stdout } = await runEgret(["--version"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^egret \d+\.\d+\.\d+ \(as kube-apiserver v1\.\d+\.\d+; Node \d+\.\d+\.\d+\)\n$/);
  });

  test("egret controllers", async () => {
    const { stdout } = await runEgret(["controllers"]);
    expect(stdout).toMatch(/^NAME +DEFAULT +WHAT IT DOES$/m);
    expect(stdout).toMatch(/^egressip +on +\S/m);
    expect(stdout).toMatch(/^serviceaccount +off +\S/m);
  });
});

describe("what is misspelt", () => {
  test.each<[args: string[], env: Record<string, string>, line: string]>([
    [["aply"], {}, "egret: there is no command aply; did you mean apply?\n"],
    [["--log-levle=info"], {}, "egret: there is no flag --log-levle; did you mean --log-level?\n"],
    [["export", "--selectr", "a"], {}, "egret: there is no flag --selectr; did you mean --selector?\n"],
    [["--in-memory"], { EGRET_SECURE: "on" }, "egret: EGRET_SECURE=on says neither true nor false\n"],
  ])("%j %j", async (args, env, line) => {
    expect(await runEgret(args, { env })).toEqual({ code: 1, stdout: "", stderr: line });
  });

  test("a variable that nothing reads gets a line, and all goes on", async () => {
    const env = { EGRET_DATADIR: "/nowhere" };
    const { code, stderr } = await runEgret(["run", "--controllers=", "--", "true"], { env });
    expect(code).toBe(0);
    expect(stderr).toBe("egret: the variable EGRET_DATADIR means nothing; did you mean EGRET_DATA_DIR?\n");
  });
});

/** What bash offers for a line that ends where the cursor is. */
function offered(script: string, words: readonly string[]): string[] {
  const text = `${script}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")})
COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
_egret
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const lines = execFileSync("bash", ["--norc", "-c", text], { encoding: "utf8" }).split("\n");
  return lines.filter((line) => line !== "").sort();
}

describe("egret completion", () => {
  test("bash offers commands, flags, values and files", async () => {
    const { stdout: script } = await runEgret(["completion", "bash"]);
    expect(offered(script, ["egret", "sn"])).toEqual(["snapshot"]);
    expect(offered(script, ["egret", "--log"])).toEqual(["--log-level"]);
    expect(offered(script, ["egret", "--log-level", "d"])).toEqual(["debug"]);
    expect(offered(script, ["egret", "--log-level", "=", "d"])).toEqual(["debug"]);
    expect(offered(script, ["egret", "export", "-o", ""])).toEqual(["json", "yaml"]);
    expect(offered(script, ["egret", "snapshot", "re"])).toEqual(["restore"]);
    expect(offered(script, ["egret", "apply", "-f", "/etc/host"])).toContain("/etc/hosts");
    expect(offered(script, ["egret", "run", "--", "bas"])).toContain("bash");
    expect(offered(script, ["egret", "export", "--namespace", ""])).toEqual([]);
  });

  test.each(["zsh", "fish"])("%s can read its script", async (shell) => {
    const { code, stdout } = await runEgret(["completion", shell]);
    expect(code).toBe(0);
    expect(stdout).toContain("egret");
    if (spawnSync(shell, ["-c", "true"]).error !== undefined) return; // the shell is not there
    expect(spawnSync(shell, ["-n"], { input: stdout, encoding: "utf8" })).toMatchObject({
      status: 0,
      stderr: "",
    });
  });

  test("another shell is refused in one line", async () => {
    const { code, stderr } = await runEgret(["completion", "tcsh"]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: "egret: name one shell: egret completion bash|zsh|fish\n",
    });
  });
});
