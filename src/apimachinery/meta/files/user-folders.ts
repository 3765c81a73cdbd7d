// Locations for a user's own state that outlives a process and is no cache: the first folder that is private.
import { homedir, tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import process from "node:process";
import { errorCode } from "../system-reason.ts";
import { makePrivateFolder, PrivateFolderError, privateFolder } from "./private-folder.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** In the order of preference. The last one is for users without a writable home. */
export function stateFolders(env: Environment = process.env): readonly string[] {
  const user = process.geteuid?.();
  return [
    absolute(env["XDG_STATE_HOME"]),
    usualFolder(env),
    absolute(env["XDG_RUNTIME_DIR"]),
    user === undefined ? undefined : join(tmpdir(), `egret-${user}`),
  ].flatMap((base, index) => (base === undefined ? [] : [index === 3 ? base : join(base, "egret")]));
}

function usualFolder(env: Environment): string | undefined {
  const home = homeFolder();
  if (process.platform === "win32") return absolute(env["LOCALAPPDATA"]);
  if (home === undefined) return undefined;
  return join(home, process.platform === "darwin" ? "Library/Application Support" : ".local/state");
}

/** undefined for a user without an entry in the system's user database. */
function homeFolder(): string | undefined {
  try {
    return absolute(homedir());
  } catch {
    return undefined;
  }
}

const absolute = (path: string | undefined): string | undefined =>
  path !== undefined && isAbsolute(path) ? path : undefined;

/** Creates a subfolder of the first of these folders that is private, or returns why each cannot be used. */
export function makeStateFolder(
  name: string,
  folders: readonly string[],
): { readonly folder: string } | { readonly problems: readonly string[] } {
  const problems: string[] = [];
  for (const folder of folders) {
    try {
      makePrivateFolder(folder);
      return { folder: makePrivateFolder(join(folder, name)) };
    } catch (error) {
      problems.push(`${folder}: ${reasonFor(error)}`);
    }
  }
  return { problems };
}

const reasonFor = (error: unknown): string =>
  error instanceof PrivateFolderError ? error.message : String(errorCode(error) ?? error);

/** The existing private subfolders of that name. */
export function stateSubfolders(name: string, folders: readonly string[]): string[] {
  return folders.flatMap((folder) => {
    try {
      return [privateFolder(join(folder, name))];
    } catch {
      return [];
    }
  });
}
