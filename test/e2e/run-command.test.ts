// `egret run` leaves no process behind, whichever process is killed. All processes write into one pipe; the pipe closes
// when the last of them has ended.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runEgret } from "../support/egret-process.ts";
import { eventually } from "../support/eventually.ts";
import { kubectlProblem } from "../support/kubectl.ts";

const MAIN = join(import.meta.dirname, "../../dist/main.js");
/**
 * Prints the process ids and waits for ever, in the background as well. Soon after its start Egret handles the death of
 * its runner.
 */
const WAITING = `sleep 0.3; echo "$PPID $$ $KUBECONFIG"; sleep 300 & sleep 300; echo "not reached"`;
const run = (script: string): string[] => ["run", "--controllers=", "--", "sh", "-c", script];

interface Started {
  readonly egretPid: number;
  readonly shellPid: number;
  readonly kubeconfig: string;
  readonly starter: ReturnType<typeof spawn>;
  /** Resolves when no process holds the pipe open. */
  readonly allGone: Promise<unknown>;
}

/** Another process starts egret, which runs the script. */
async function start(script = WAITING): Promise<Started> {
  const args = JSON.stringify([MAIN, ...run(script)]);
  const code = `require("node:child_process").spawn(process.execPath, ${args}, { stdio: ["ignore", "inherit", "inherit"] });`;
  const starter = spawn(process.execPath, ["-e", code], { stdio: ["ignore", "pipe", "ignore"] });
  const allGone = once(starter.stdout, "close");
  const [chunk] = await once(starter.stdout, "data");
  const [egretPid = "", shellPid = "", kubeconfig = ""] = String(chunk).trim().split(" ");
  return { egretPid: Number(egretPid), shellPid: Number(shellPid), kubeconfig, starter, allGone };
}

const isGone = (path: string): Promise<boolean> =>
  access(path).then(
    () => false,
    () => true,
  );
const folderGone = (kubeconfig: string) => eventually(() => isGone(kubeconfig), Boolean);

describe("nothing is left", () => {
  test("when the process is killed that has started egret", async () => {
    const { starter, allGone, kubeconfig } = await start();
    starter.kill("SIGKILL");
    await allGone;
    await folderGone(kubeconfig);
  });

  test("when egret itself is killed", async () => {
    const { egretPid, allGone, kubeconfig } = await start();
    process.kill(egretPid, "SIGKILL");
    await allGone;
    await folderGone(kubeconfig);
  });

  test("when egret is told to end", async () => {
    const { egretPid, allGone, kubeconfig } = await start();
    process.kill(egretPid, "SIGTERM");
    await allGone;
    await folderGone(kubeconfig);
  });

  test("of what the command leaves in the background", async () => {
    const { code, stdout } = await runEgret(run(`sleep 300 & echo $!; exit 3`));
    expect(code).toBe(3);
    expect(() => process.kill(Number(stdout), 0)).toThrow("ESRCH");
  });

  test("when the command cannot be started, or the flags are wrong", async () => {
    const { code, stderr } = await runEgret(["run", "--clock", "noon", "--", "true"]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^egret: [^\n]*noon[^\n]*\n$/),
    });
    expect((await runEgret(["run", "--controllers=", "--", "/nowhere"])).code).toBe(127);
  });
});

test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("%s is for the command to answer", async (signal) => {
  const script = `process.on("${signal}", () => process.exit(9)); process.kill(process.ppid, "${signal}"); setInterval(() => {}, 1000);`;
  const { code } = await runEgret(["run", "--controllers=", "--", process.execPath, "-e", script]);
  expect(code).toBe(9);
});

test("the command has its own time to end", async () => {
  const { egretPid, shellPid, allGone, starter } = await start(
    `trap 'echo ending; exit 0' TERM; echo "$PPID $$ $KUBECONFIG"; while :; do sleep 0.1; done`,
  );
  let told = "";
  starter.stdout?.on("data", (chunk) => (told += chunk));
  process.kill(egretPid, "SIGTERM");
  await allGone;
  expect(told).toContain("ending");
  expect(() => process.kill(shellPid, 0)).toThrow("ESRCH");
});

test.skipIf(kubectlProblem() !== undefined)(
  "kubectl needs nothing but what the command is given",
  async () => {
    const { code, stdout } = await runEgret(run("kubectl get namespaces -o name"));
    expect({ code, names: stdout.trim().split("\n") }).toEqual({
      code: 0,
      names: ["default", "kube-node-lease", "kube-public", "kube-system"].map((name) => `namespace/${name}`),
    });
  },
);
