// What is left to do when `egret run` itself is killed in a way that it cannot notice: a shell that waits for the end of
// a pipe from us, which comes however we end. It then ends the command and removes the folder.
import { type ChildProcess, spawn } from "node:child_process";

/** $1 is the folder. The first line names what to signal; until it comes there is only the folder. */
const SCRIPT = `
read -r target || target=
[ -n "$target" ] && read -r over
if [ -n "$target" ] && [ "$over" != over ]; then
  kill -s TERM -- "$target" 2>/dev/null
  seconds=0
  while [ $seconds -lt 5 ] && kill -s 0 -- "$target" 2>/dev/null; do sleep 1; seconds=$((seconds + 1)); done
  kill -s KILL -- "$target" 2>/dev/null
fi
rm -rf -- "$1"
`;

export class RunGuard {
  readonly #shell: ChildProcess;
  #watching = false;

  /** Where there is no shell nothing is guarded. */
  constructor(folder: string) {
    this.#shell = spawn("sh", ["-c", SCRIPT, "egret-run-guard", folder], {
      stdio: ["pipe", "ignore", "ignore"],
      detached: true, // what ends us is not to end it too
    });
    this.#shell.on("error", () => {});
    this.#shell.stdin?.on("error", () => {});
  }

  /** What to send signals to, as kill takes it. */
  watch(target: string | undefined): void {
    if (target === undefined) return;
    this.#watching = true;
    this.#shell.stdin?.write(`${target}\n`);
  }

  /** All is well: only the folder is to go. Resolves when it has. */
  async end(): Promise<void> {
    const { stdin } = this.#shell;
    if (this.#shell.pid === undefined || this.#shell.exitCode !== null) return;
    const gone = new Promise<void>((resolve) => this.#shell.once("exit", () => resolve()));
    stdin?.end(this.#watching ? "over\n" : "");
    await gone;
  }
}
