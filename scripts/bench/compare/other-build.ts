// Another commit of this repository, built in a folder of its own.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { packageFile } from "../../../src/apimachinery/meta/package-files.ts";

export interface OtherBuild extends AsyncDisposable {
  /** Its name in tables. */
  readonly name: string;
  readonly folder: string;
}

/**
 * Takes a commit, by any name that git resolves, or a folder with a built checkout, which is used unchanged. A built
 * commit is in a folder below the given one, and is removed with it.
 */
export async function otherBuild(ref: string, below: string): Promise<OtherBuild> {
  if (existsSync(join(ref, "dist", "main.js")))
    return { name: ref, folder: ref, async [Symbol.asyncDispose]() {} };
  const folder = join(below, "other");
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const commit = run("git", ["rev-parse", "--verify", "--quiet", `${ref}^{commit}`], packageFile()).trim();
    run("git", ["clone", "--quiet", "--shared", "--no-checkout", packageFile(), folder], below);
    run("git", ["checkout", "--quiet", "--detach", commit], folder);
    installModules(folder);
    run(process.execPath, ["--import", "tsx", join("scripts", "build.ts")], folder);
    return { name: `${ref} (${commit.slice(0, 8)})`, folder, [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Links the modules of this checkout, where both commits need the same. */
function installModules(folder: string): void {
  const [ours, theirs] = [packageFile(), folder].map((root) => readFileSync(join(root, "package-lock.json")));
  if (ours !== undefined && theirs?.equals(ours))
    symlinkSync(packageFile("node_modules"), join(folder, "node_modules"));
  else run("npm", ["ci", "--no-audit", "--no-fund"], folder);
}

/** Returns its standard output; its standard error is shown. */
function run(program: string, args: readonly string[], cwd: string): string {
  return execFileSync(program, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}
