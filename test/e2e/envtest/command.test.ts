// `egret envtest` and `egret run --envtest`: the folder of executables, and the variables by which a suite finds it.
import { chmod, mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runEgret } from "../../support/egret-process.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-assets-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A PATH on which there is a kubectl, and the shell and node that programs need. */
async function pathWithKubectl(): Promise<string> {
  const programs = join(folder, "bin");
  await mkdir(programs);
  await writeFile(join(programs, "kubectl"), "#!/bin/sh\n");
  await chmod(join(programs, "kubectl"), 0o755);
  return [programs, "/bin"].join(delimiter);
}

describe("egret envtest", () => {
  test("writes executables and a link to the kubectl of PATH, and prints the folder alone", async () => {
    const env = { PATH: await pathWithKubectl() };
    const assets = join(folder, "assets");
    expect(await runEgret(["envtest", assets, "--print-path"], { env })).toEqual({
      ...{ code: 0, stderr: "" },
      stdout: `${assets}\n`,
    });
    expect((await readdir(assets)).sort()).toEqual(["etcd", "kube-apiserver", "kubectl"]);
    expect((await stat(join(assets, "etcd"))).mode & 0o777).toBe(0o755);
    expect(await readlink(join(assets, "kubectl"))).toBe(join(folder, "bin", "kubectl"));
  });

  test("renews the folder, also where it is on PATH itself", async () => {
    const env = { PATH: await pathWithKubectl() };
    const assets = join(folder, "assets");
    await runEgret(["envtest", assets], { env });
    const again = { PATH: [assets, "/bin"].join(delimiter) };
    const { code, stderr } = await runEgret(["envtest", assets], { env: again });
    expect({ code, stderr }).toEqual({ code: 0, stderr: `export KUBEBUILDER_ASSETS=${assets}\n` });
    expect(await readlink(join(assets, "kubectl"))).toBe(join(folder, "bin", "kubectl"));
  });

  test.each(["setup-envtest", "kube-api-test", "jenvtest"])("lays them out for %s", async (layout) => {
    const env = { PATH: await pathWithKubectl() };
    const { stdout } = await runEgret(["envtest", folder, "--layout", layout, "--print-path"], { env });
    expect(stdout.slice(folder.length)).toMatch(/^\/k8s\/\d+\.\d+\.\d+-[a-z]+-[a-z0-9]+\n$/);
    expect(await readdir(stdout.trim())).toContain("kube-apiserver");
  });

  test("where no folder is named, each layout has its own", async () => {
    const env = { PATH: await pathWithKubectl(), HOME: folder, KUBE_API_TEST_DIR: join(folder, "java") };
    const pathOf = async (layout: string) =>
      (await runEgret(["envtest", "--layout", layout, "--print-path"], { env })).stdout.trim();
    expect(await pathOf("kube-api-test")).toContain(join(folder, "java", "k8s"));
    expect(await pathOf("jenvtest")).toContain(join(folder, ".jenvtest", "k8s"));
  });

  test("without a kubectl a line says so, and Java's programs, which need one, get none", async () => {
    const env = { PATH: folder };
    const assets = join(folder, "assets");
    const { code, stderr } = await runEgret(["envtest", assets, "--print-path"], { env });
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: `egret: no kubectl is installed, so that ${assets} has none: suites that call kubectl fail\n`,
    });
    const java = await runEgret(["envtest", assets, "--layout", "kube-api-test"], { env });
    expect([java.code, java.stdout]).toEqual([1, ""]);
    expect(java.stderr).toMatch(/^egret: no kubectl is installed, .* which kube-api-test needs\n$/);
  });

  test("a file that is not Egret's stays", async () => {
    await writeFile(join(folder, "kube-apiserver"), "another");
    const { code, stderr } = await runEgret(["envtest", folder]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `egret: ${folder}/kube-apiserver is not Egret's: remove it, or name another folder\n`,
    });
    expect(await readFile(join(folder, "kube-apiserver"), "utf8")).toBe("another");
  });
});

describe("egret run --envtest", () => {
  const shell = (script: string, flags: readonly string[] = [], env: Readonly<Record<string, string>> = {}) =>
    runEgret(["run", "--envtest", ...flags, "--", "/bin/sh", "-c", script], { env });

  test("the command finds executables by each of the variables, and they go with it", async () => {
    const { code, stdout } = await shell(
      'echo $KUBEBUILDER_ASSETS; ls $TEST_ASSET_ETCD $TEST_ASSET_KUBE_APISERVER > /dev/null && "$KUBEBUILDER_ASSETS/kube-apiserver" --version',
    );
    const [assets = "", version] = stdout.split("\n");
    expect({ code, version }).toEqual({ code: 0, version: expect.stringMatching(/^Kubernetes v/) });
    await expect(stat(assets)).rejects.toThrow("ENOENT");
  });

  test("there is no server, the variables of its flags are passed on, and a flag of one is refused", async () => {
    const { stdout } = await shell('echo "$EGRET_URL,$USE_EXISTING_CLUSTER,$EGRET_CONTROLLERS"', [], {
      EGRET_CONTROLLERS: "namespace",
    });
    expect(stdout).toBe(",,namespace\n");
    const { code, stderr } = await shell("true", ["--secure"]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /^egret: --envtest starts no server that --secure could be for: [^\n]+\n$/,
      ),
    });
  });
});
