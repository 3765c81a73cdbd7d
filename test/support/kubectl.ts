// Drives the real kubectl, with a home and caches of its own, independent of the user's setup.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";

const KUBECTL = process.env["KUBECTL"] ?? "kubectl";
const CALL_MS_MAX = 30_000;

export interface Answer {
  readonly code: number | NodeJS.Signals;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CallOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Earlier versions lack flags that the tests use. */
const MINOR_MIN = 27;

/** The reason why kubectl cannot be used here; undefined when it can. */
export function kubectlProblem(): string | undefined {
  const { status, stdout } = spawnSync(KUBECTL, ["version", "--client", "-o", "json"], { encoding: "utf8" });
  if (status !== 0) return `${KUBECTL} is not on the PATH`;
  const { clientVersion } = JSON.parse(stdout) as { clientVersion: { minor: string; gitVersion: string } };
  if (Number.parseInt(clientVersion.minor, 10) >= MINOR_MIN) return undefined;
  return `kubectl ${clientVersion.gitVersion} is older than v1.${MINOR_MIN}`;
}

export class Kubectl {
  readonly #kubeconfig: string;
  readonly #home: string;

  constructor(kubeconfig: string, home: string) {
    this.#kubeconfig = kubeconfig;
    this.#home = home;
  }

  /** Returns the result, whatever the exit code. */
  async run(args: readonly string[], { input = "", env = {} }: CallOptions = {}): Promise<Answer> {
    const child = this.start(args, env);
    const timer = setTimeout(() => child.kill("SIGKILL"), CALL_MS_MAX);
    let stdout = "";
    let stderr = "";
    child.stdout?.on("data", (chunk) => (stdout += chunk));
    child.stderr?.on("data", (chunk) => (stderr += chunk));
    child.stdin?.end(input);
    const [code, signal] = await once(child, "close");
    clearTimeout(timer);
    return { code: code ?? signal, stdout, stderr };
  }

  /** Returns the output; throws the error output when kubectl fails. */
  async text(args: readonly string[], options: CallOptions = {}): Promise<string> {
    const { code, stdout, stderr } = await this.run(args, options);
    if (code !== 0) throw new Error(`kubectl ${args.join(" ")} exited with ${code}:\n${stdout}${stderr}`);
    return stdout;
  }

  /** A child process for watches, which the caller ends. */
  start(args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess {
    const child = spawn(KUBECTL, [...args], {
      stdio: ["pipe", "pipe", "pipe"],
      env: {
        ...process.env,
        KUBECONFIG: this.#kubeconfig,
        HOME: this.#home,
        KUBECACHEDIR: `${this.#home}/cache`,
        ...env,
      },
    });
    // A kubectl that has exited does not read its input; its exit code shows whether that is an error.
    child.stdin.on("error", () => {});
    return child;
  }
}

/** Rows of a printed table by their column names; columns are separated by two or more spaces, or by their position. */
export function rowsOf(table: string): Record<string, string>[] {
  const [head = "", ...lines] = table.split("\n").filter((line) => line.trim() !== "");
  const columns = [...head.matchAll(/\S+(?: \S+)*/g)].map(({ 0: name, index }) => ({ name, from: index }));
  return lines.map((line) =>
    Object.fromEntries(
      columns.map(({ name, from }, at) => [name, line.slice(from, columns[at + 1]?.from).trim()]),
    ),
  );
}
