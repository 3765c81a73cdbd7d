// A project with the built package installed, in a folder of its own.
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const REPOSITORY = join(import.meta.dirname, "../..");
const RUN_MS_MAX = 60_000;

export interface ProjectRun {
  readonly code: number;
  readonly output: string;
}

export class ConsumerProject implements AsyncDisposable {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** With additional packages, linked from the tests' node_modules. */
  static async create(packages: readonly string[] = []): Promise<ConsumerProject> {
    const folder = await mkdtemp(join(tmpdir(), "egret-project-"));
    const modules = join(folder, "node_modules");
    await mkdir(modules);
    await symlink(REPOSITORY, join(modules, "egret-apiserver"));
    for (const name of packages) {
      await mkdir(join(modules, name, ".."), { recursive: true });
      await symlink(join(REPOSITORY, "node_modules", name), join(modules, name));
    }
    await writeFile(join(folder, "package.json"), '{ "type": "module" }\n');
    return new ConsumerProject(folder);
  }

  async copy(from: string): Promise<void> {
    await cp(join(REPOSITORY, from), this.folder, { recursive: true });
  }

  async write(name: string, text: string): Promise<void> {
    await writeFile(join(this.folder, name), text);
  }

  /** Runs node with these arguments, or a command of a package: ["vitest/vitest.mjs", "run"]. */
  run(args: readonly string[]): Promise<ProjectRun> {
    const options = { cwd: this.folder, timeout: RUN_MS_MAX, env: { ...process.env, NO_COLOR: "1" } };
    return new Promise((resolve) => {
      execFile(process.execPath, [...args], options, (error, stdout, stderr) => {
        const code = typeof error?.code === "number" ? error.code : error ? 1 : 0;
        resolve({ code, output: stdout + stderr });
      });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}
