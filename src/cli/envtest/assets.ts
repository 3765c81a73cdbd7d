// The folder from which suites start a control plane: executables `kube-apiserver` and `etcd`, and a link to the
// installed kubectl. The executables are small scripts that call this package, so that they never become outdated.
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { chmod, mkdir, rename, rm, symlink } from "node:fs/promises";
import { delimiter, join, resolve } from "node:path";
import process from "node:process";
import { writePrivateFile } from "../../apimachinery/meta/files/private-file.ts";
import { builtFile } from "../../apimachinery/meta/package-files.ts";
import { errorText, StartError } from "../../server/errors.ts";

export interface Assets {
  /** Absolute path for KUBEBUILDER_ASSETS. */
  readonly folder: string;
  /** The linked kubectl; undefined where none is installed. */
  readonly kubectl: string | undefined;
}

const PROGRAMS = ["kube-apiserver", "etcd"] as const;
const EXECUTABLE = 0o755;
/** Identifies an executable of an older version, which may be replaced. */
const MARK = "# An executable of egret-apiserver:";

/** Writes or updates the folder. A file of the same name that is not Egret's is kept. Throws StartError. */
export async function writeAssets(named: string): Promise<Assets> {
  if (process.platform === "win32") throw new StartError("executables for envtest need a Unix shell");
  const folder = resolve(named);
  try {
    await mkdir(folder, { recursive: true });
    for (const program of PROGRAMS) await writeProgram(join(folder, program), program);
    return { folder, kubectl: await linkKubectl(folder) };
  } catch (cause) {
    if (cause instanceof StartError) throw cause;
    throw new StartError(`cannot write to ${folder} (${errorText(cause)})`, { cause });
  }
}

async function writeProgram(path: string, program: (typeof PROGRAMS)[number]): Promise<void> {
  const code = builtFile(`${program}.js`);
  if (code === undefined) throw new StartError("executables for envtest are made by the built package alone");
  if (existsSync(path) && !readFileSync(path, "latin1").includes(MARK))
    throw new StartError(`${path} is not Egret's: remove it, or name another folder`);
  const line = `exec ${quoted(process.execPath)} ${quoted(code)} "$@"`;
  await writePrivateFile(path, `#!/bin/sh\n${MARK} egret envtest\n${line}\n`, { mode: EXECUTABLE });
  await chmod(path, EXECUTABLE);
}

/** Quotes the text for a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

async function linkKubectl(folder: string): Promise<string | undefined> {
  const path = join(folder, "kubectl");
  const kubectl = installedKubectl(folder);
  if (kubectl === undefined) return existsSync(path) ? realpathSync(path) : undefined;
  const link = `${path}.${process.pid}`;
  await rm(link, { force: true });
  await symlink(kubectl, link);
  await rename(link, path);
  return kubectl;
}

/** The first kubectl in PATH outside of the folder itself. */
function installedKubectl(folder: string): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((path) => path !== "");
  const found = folders.map((path) => resolve(path, "kubectl")).find((path) => existsSync(path));
  if (found === undefined || found === join(folder, "kubectl")) return undefined;
  return found;
}
