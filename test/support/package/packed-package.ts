// The package as it is published: packed from a fresh copy of the sources, which runs the build, and installed by npm
// without the network into an empty folder.
import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { LocalRegistry } from "./local-registry.ts";

const REPOSITORY = join(import.meta.dirname, "../../..");
const NOT_IN_A_CLONE = ["node_modules", "dist", ".git", ".egret"];
const RUN_MS_MAX = 120_000;

/** The version that npm would select if package.json allowed it: it does not run on the oldest supported Node. */
const NOWHERE = { tarball: "http://127.0.0.1:9/none.tgz" };
const TOO_NEW = [
  { name: "light-my-request", version: "6.99.0", dependencies: { cookie: "^99.0.0" }, dist: NOWHERE },
  { name: "cookie", version: "99.0.0", engines: { node: ">=99" }, dist: NOWHERE },
  { name: "undici", version: "8.99.0", engines: { node: ">=99" }, dist: NOWHERE },
];

export interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly input?: string;
}

/** A folder, and the commands that run in it. */
export class PackageUser {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Options for child processes that run here. */
  spawnOptions(env: Readonly<Record<string, string | undefined>> = {}): {
    cwd: string;
    env: NodeJS.ProcessEnv;
  } {
    const own = { PATH: pathIn(this.folder), NO_COLOR: "1" };
    return { cwd: this.folder, env: { ...withoutNpm(process.env), ...own, ...env } };
  }

  run(file: string, args: readonly string[], { env, input }: RunOptions = {}): Promise<Run> {
    const options = { ...this.spawnOptions(env), timeout: RUN_MS_MAX, maxBuffer: 2 ** 26 };
    return new Promise((resolve) => {
      const child = execFile(file, [...args], options, (error, stdout, stderr) => {
        resolve({ code: typeof error?.code === "number" ? error.code : error ? 1 : 0, stdout, stderr });
      });
      child.stdin?.on("error", () => {});
      child.stdin?.end(input);
    });
  }

  /** Returns the output; throws the error output when the command fails. */
  async text(file: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
    const { code, stdout, stderr } = await this.run(file, args, options);
    if (code !== 0) throw new Error(`${file} ${args.join(" ")} exited with ${code}:\n${stdout}${stderr}`);
    return stdout;
  }
}

/** PATH with the commands of the installed packages, and with this Node before any other. */
function pathIn(folder: string): string {
  const commands = [folder, dirname(folder)].map((place) => join(place, "node_modules/.bin"));
  return [...commands, dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter);
}

/** The environment without npm's variables for the tests and without a developer's settings of egret. */
function withoutNpm(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^(npm_|EGRET_|KUBECONFIG$)/i.test(name)),
  );
}

let scratch: Promise<string> | undefined;
/** A folder that is removed when the process ends. */
function scratchFolder(): Promise<string> {
  scratch ??= mkdtemp(join(tmpdir(), "egret-package-")).then((folder) => {
    process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
    return folder;
  });
  return scratch;
}

let tarball: Promise<string> | undefined;
/** The path of the packed package. It is packed once. */
export function packedPackage(): Promise<string> {
  tarball ??= pack();
  return tarball;
}

async function pack(): Promise<string> {
  const clone = join(await scratchFolder(), "clone");
  await cp(REPOSITORY, clone, {
    recursive: true,
    filter: (source) => dirname(source) !== REPOSITORY || !NOT_IN_A_CLONE.includes(basename(source)),
  });
  await symlink(join(REPOSITORY, "node_modules"), join(clone, "node_modules"));
  const user = new PackageUser(clone);
  await user.text("npm", ["pack", "--pack-destination", await scratchFolder()]);
  const name = (await readdir(await scratchFolder())).find((file) => file.endsWith(".tgz"));
  if (name === undefined) throw new Error("npm pack has left no package");
  return join(await scratchFolder(), name);
}

let user: Promise<PackageUser> | undefined;
/** A new folder in which npm has installed the packed package and vitest. It is installed once. */
export function installedPackage(): Promise<PackageUser> {
  user ??= newProject("user").then(async (made) => {
    await made.text("npm", ["init", "-y"]);
    await made.text("npm", ["pkg", "set", "type=module"]);
    await installPackage(made, ["vitest"]);
    return made;
  });
  return user;
}

/** A folder that is not inside another project. */
export async function newProject(name: string): Promise<PackageUser> {
  const folder = join(await scratchFolder(), name);
  await mkdir(folder);
  return new PackageUser(folder);
}

/** Installs the packed package and these packages, besides the project's own dependencies. */
export async function installPackage(project: PackageUser, others: readonly string[] = []): Promise<void> {
  await using registry = await LocalRegistry.start(TOO_NEW);
  const settings = [`registry=${registry.url}`, `cache=${join(await scratchFolder(), "npm")}`];
  await writeFile(join(project.folder, ".npmrc"), [...settings, "engine-strict=true\n"].join("\n"));
  await project.text("npm", ["install", "--save-dev", await packedPackage(), ...others]);
}

/** The folder of the installed package itself. */
export async function installedFolder(): Promise<string> {
  return join((await installedPackage()).folder, "node_modules/egret-apiserver");
}

/** An empty folder below that, with the commands of the package. */
export async function emptyFolder(name: string): Promise<PackageUser> {
  const folder = join((await installedPackage()).folder, name);
  await mkdir(folder);
  return new PackageUser(folder);
}
