// Another commit of this repository, built in a folder of its own.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { packageFile } from "../../../src/meta/package-files.ts";

export interface OtherBuild extends AsyncDisposable {
  /** How it is named in tables. */
  readonly name: string;
  readonly folder: string;
}

/**
 * Of a commit, by anything that git knows it by, or of a folder that holds a built checkout: that one is taken as it is.
 * Its folder below the given one goes with it.
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

/** Those that are here, where both commits want the same. */
function installModules(folder: string): void {
  const [ours, theirs] = [packageFile(), folder].map((root) => readFileSync(join(root, "package-lock.json")));
  if (ours !== undefined && theirs?.equals(ours))
    symlinkSync(packageFile("node_modules"), join(folder, "node_modules"));
  else run("npm", ["ci", "--no-audit", "--no-fund"], folder);
}

/** What it prints; what it complains of is shown. */
function run(program: string, args: readonly string[], cwd: string): string {
  return execFileSync(program, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}
