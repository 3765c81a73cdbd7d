// Runs the terminals of a user in a folder: a server in one, commands in others.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { eventually } from "../eventually.ts";
import { emptyFolder, type PackageUser, type Run } from "./packed-package.ts";
import { type Typed, typeLine } from "./terminal.ts";

const STOP_MS_MAX = 15_000;

export interface Terminal extends AsyncDisposable {
  readonly url: string;
  /** The output so far. */
  printed(): string;
  /** Sends SIGINT, as Ctrl-C does. Resolves to the exit code. */
  interrupt(): Promise<number | NodeJS.Signals | null>;
}

export class Player {
  readonly user: PackageUser;

  private constructor(user: PackageUser) {
    this.user = user;
  }

  static async in(folder: string): Promise<Player> {
    return new Player(await emptyFolder(folder));
  }

  /** Starts `egret`, or the given command, with these flags. Resolves when it has printed its address. */
  async serve(flags: readonly string[] = [], command: readonly string[] = ["egret"]): Promise<Terminal> {
    const [file = "", ...args] = [...command, "--port", "0", ...flags];
    const child = spawn(file, args, { ...this.user.spawnOptions(), stdio: ["ignore", "pipe", "pipe"] });
    let text = "";
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (text += chunk));
    const address = (): string | undefined => /Egret listens on (\S+)\n[\s\S]*Try: /.exec(text)?.[1];
    const found = await eventually(
      async () => address() ?? (child.exitCode === null ? undefined : ""),
      (url) => url !== undefined,
    );
    if (!found) throw new Error(`egret ended with ${child.exitCode}:\n${text}`);
    return {
      url: found,
      printed: () => text,
      interrupt: () => endOf(child, "SIGINT"),
      [Symbol.asyncDispose]: async () => void (await endOf(child, "SIGKILL")),
    };
  }

  /** Returns the output of a shell line that succeeds. */
  shell(line: string): Promise<string> {
    return this.user.text("sh", ["-c", line]);
  }

  /** Returns the result of a shell line, whatever its exit code. */
  ends(line: string, env: Readonly<Record<string, string>> = {}): Promise<Run> {
    return this.user.run("sh", ["-c", line], { env });
  }

  /** Runs a shell line on a terminal that shows its outputs. */
  types(line: string): Promise<Typed> {
    return typeLine(line, this.user.spawnOptions());
  }

  write(name: string, text: string): Promise<void> {
    return writeFile(join(this.user.folder, name), text);
  }
}

async function endOf(child: ChildProcess, signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode ?? child.signalCode;
  const exit = once(child, "exit");
  child.kill(signal);
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS_MAX);
  const [code, by] = await exit;
  clearTimeout(timer);
  return code ?? by;
}
