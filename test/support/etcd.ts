// A real etcd for a test, with a folder and ports of its own.
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EtcdCertificates } from "./etcd-certificates.ts";

const ETCD = process.env["ETCD"] ?? "etcd";
export const ETCDCTL = process.env["ETCDCTL"] ?? "etcdctl";
const START_TRIES = 600;
const CALL_MS_MAX = 10_000;
/** Below the ephemeral port range, so that the system assigns a chosen port to no other process before etcd binds it. */
const FIRST_PORT = 15_000;
const PORTS = 15_000;
const SAID_LENGTH_MAX = 4000;

/** The reason why etcd cannot be started here; undefined when it can. */
export function etcdProblem(): string | undefined {
  const missing = [ETCD, ETCDCTL].filter((name) => spawnSync(name, ["--help"]).status !== 0);
  return missing.length === 0
    ? undefined
    : `${missing.join(" and ")} cannot be found: they come with Debian's etcd-server and etcd-client`;
}

export interface EtcdUser {
  readonly name: string;
  readonly password: string;
  /** Applies to this key and every later key; omitted: full access (root role). */
  readonly rights?: { readonly from: string; readonly type: "READ" | "READWRITE" };
}

const base64 = (bytes: string | Buffer): string => Buffer.from(bytes).toString("base64");

/** The addresses of a member and of its cluster. */
export interface EtcdMember {
  readonly name: string;
  /** URLs for clients and for other members. */
  readonly client: string;
  readonly peer: string;
  /** All members: "name=peer,…". */
  readonly cluster: string;
  readonly flags: readonly string[];
}

export class Etcd {
  #child: ChildProcess;
  /** The tail of etcd's output since it was started. */
  #said = "";
  readonly #args: readonly string[];
  readonly #url: string;
  #root: EtcdUser | undefined;
  /** host:port for clients. */
  readonly endpoint: string;
  /** host:port for clients with a certificate, if it was started for them. */
  secureEndpoint = "";
  readonly folder: string;

  private constructor(args: readonly string[], url: string, folder: string) {
    this.#args = args;
    this.#child = this.#run();
    this.#url = url;
    this.endpoint = new URL(url).host;
    this.folder = folder;
  }

  /** Starts a single member. With certificates it additionally listens for clients that have one. */
  static async start(flags: readonly string[] = [], certificates?: EtcdCertificates): Promise<Etcd> {
    const [client, peer] = [await freeUrl(), await freeUrl()];
    const secure = (await freeUrl()).replace("http:", "https:");
    // A single member elects itself, and need not wait for the default timeouts.
    const quick = ["--heartbeat-interval", "20", "--election-timeout", "200", ...flags];
    if (certificates !== undefined) {
      const { ca, cert, key } = certificates;
      quick.push("--cert-file", cert, "--key-file", key, "--client-cert-auth", "--trusted-ca-file", ca);
      quick.push("--listen-client-urls", `${client},${secure}`);
    }
    const etcd = await Etcd.spawn({ name: "only", client, peer, cluster: `only=${peer}`, flags: quick });
    if (certificates !== undefined) etcd.secureEndpoint = new URL(secure).host;
    await etcd.up();
    return etcd;
  }

  /** Starts the process without waiting for it. */
  static async spawn({ name, client, peer, cluster, flags }: EtcdMember): Promise<Etcd> {
    const folder = await mkdtemp(join(tmpdir(), "egret-real-etcd-"));
    const args = [
      ...["--name", name, "--data-dir", join(folder, "data"), "--initial-cluster", cluster],
      ...["--listen-client-urls", client, "--advertise-client-urls", client],
      ...["--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer],
      ...flags,
    ];
    return new Etcd(args, client, folder);
  }

  /** Kills it, and starts it again with what it has on its disk. */
  async restart(): Promise<void> {
    await this.end("SIGKILL");
    this.revive();
    await this.up();
  }

  /** Starts it again without waiting for it. */
  revive(): void {
    this.#child = this.#run();
  }

  #run(): ChildProcess {
    const child = spawn(ETCD, this.#args, { stdio: ["ignore", "ignore", "pipe"] });
    this.#said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#said = (this.#said + text).slice(-SAID_LENGTH_MAX);
    });
    return child;
  }

  /** Suspends the member with SIGSTOP: it stays in the cluster and does not answer. */
  pause = (): boolean => this.#child.kill("SIGSTOP");
  resume = (): boolean => this.#child.kill("SIGCONT");

  /** Resolves when the member answers with a quorum. */
  async up(): Promise<void> {
    for (let tries = 0; ; tries++) {
      const isUp = await this.post("kv/range", { key: base64("x") }).then(
        () => true,
        () => false,
      );
      if (isUp) return;
      if (tries > START_TRIES || this.#child.exitCode !== null)
        throw new Error(`etcd does not start (${this.#child.exitCode}): ${this.#said}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Calls its API with JSON, as root once authentication is enabled. */
  async post(path: string, body: object): Promise<Record<string, unknown>> {
    if (this.#root === undefined) return this.#postAs({}, path, body);
    const { name, password } = this.#root;
    const { token } = await this.#postAs({}, "auth/authenticate", { name, password });
    return this.#postAs({ authorization: String(token) }, path, body);
  }

  async #postAs(
    headers: Readonly<Record<string, string>>,
    path: string,
    body: object,
  ): Promise<Record<string, unknown>> {
    const answer = await fetch(`${this.#url}/v3/${path}`, {
      ...{ method: "POST", headers, body: JSON.stringify(body) },
      signal: AbortSignal.timeout(CALL_MS_MAX),
    });
    if (!answer.ok) throw new Error(await answer.text());
    return (await answer.json()) as Record<string, unknown>;
  }

  /** Enables authentication. One of the users must be root, because the test calls as root. */
  async askForUsers(users: readonly EtcdUser[]): Promise<void> {
    for (const { name, password, rights } of users) {
      await this.post("auth/user/add", { name, password });
      const role = rights === undefined ? "root" : name;
      if (rights !== undefined) {
        const perm = { permType: rights.type, key: base64(rights.from), range_end: base64("\0") };
        await this.post("auth/role/add", { name });
        await this.post("auth/role/grant", { name, perm });
      }
      await this.post("auth/user/grant", { user: name, role });
    }
    await this.post("auth/enable", {});
    this.#root = users.find(({ rights }) => rights === undefined);
  }

  /** Tokens that etcd issued to the user before become invalid. */
  changePassword = (name: string, password: string): Promise<unknown> =>
    this.post("auth/user/changepw", { name, password });

  put = (key: string, value: Buffer): Promise<unknown> =>
    this.post("kv/put", { key: base64(key), value: base64(value) });
  /** The value of a key; undefined if the key does not exist. */
  async get(key: string): Promise<Buffer | undefined> {
    const { kvs } = (await this.post("kv/range", { key: base64(key) })) as { kvs?: { value?: string }[] };
    return kvs?.[0] && Buffer.from(kvs[0].value ?? "", "base64");
  }
  delete = (key: string): Promise<unknown> => this.post("kv/deleterange", { key: base64(key) });
  compact = (revision: number): Promise<unknown> =>
    this.post("kv/compaction", { revision: String(revision), physical: true });

  /** Saves a snapshot with etcdctl. Returns its path. */
  save(name: string): string {
    const path = join(this.folder, name);
    this.control("snapshot", "save", path);
    return path;
  }

  /** Kills it, and starts it again from a snapshot of etcdctl. */
  async restore(path: string): Promise<void> {
    await this.end("SIGKILL");
    await rm(join(this.folder, "data"), { recursive: true, force: true });
    const args = new Map(pairsOf(this.#args));
    const kept = ["--name", "--data-dir", "--initial-cluster", "--initial-advertise-peer-urls"];
    this.control("snapshot", "restore", path, ...kept.flatMap((flag) => [flag, args.get(flag) ?? ""]));
    this.revive();
    await this.up();
  }

  /** Runs etcdctl, as an administrator does. */
  control(...args: string[]): void {
    const env = { ...process.env, ETCDCTL_API: "3" };
    execFileSync(ETCDCTL, ["--endpoints", this.#url, ...args], { env, stdio: "ignore" });
  }

  /** Ends the process; SIGTERM lets it write pending data. */
  async end(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill(signal);
    await once(this.#child, "exit");
  }

  async stop(): Promise<void> {
    await this.end("SIGKILL");
    await rm(this.folder, { recursive: true, force: true });
  }
}

function* pairsOf(flags: readonly string[]): Generator<[string, string]> {
  for (let at = 0; at + 1 < flags.length; at += 2) yield [flags[at] ?? "", flags[at + 1] ?? ""];
}

export const freeUrl = async (): Promise<string> => `http://127.0.0.1:${await freePort()}`;

export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + randomInt(PORTS);
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    await new Promise((resolve) => server.close(resolve));
    if (isFree) return port;
  }
}
