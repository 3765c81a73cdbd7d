// The executables that `egret envtest` writes, started as test suites start kube-apiserver and etcd.
import { type ChildProcess, spawn } from "node:child_process";
import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import type { IncomingHttpHeaders } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodeSubject, OID } from "../certificate-requests.ts";
import { makeCertificate, type TestCertificate, USAGE } from "../certificates.ts";
import { type Exit, runEgret } from "../egret-process.ts";
import { freePort } from "../etcd.ts";
import { sendOverTls } from "../sockets/https-request.ts";
import { httpGet } from "../sockets/raw-http.ts";

const READY_MS_MAX = 20_000;
const LOOK_MS = 5;

export interface Program extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly ended: Promise<Exit>;
  /** Sends the signal and waits for the exit. */
  stop(signal?: NodeJS.Signals): Promise<Exit>;
}

export interface Answer {
  readonly code: number;
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
  /** Of the certificate that the server presented. */
  readonly fingerprint: string;
}

/** The client certificate and the body of a request. */
export interface Call {
  readonly as?: TestCertificate | undefined;
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A folder of executables, and one with the files that a suite creates for its control plane. */
export class EnvtestFolder implements AsyncDisposable {
  readonly root: string;
  readonly authority = makeCertificate({ subject: "envtest", ca: true, keyUsage: 0b110 });
  readonly serving = makeCertificate({ subject: "localhost", hosts: ["localhost", "127.0.0.1"], ca: true });

  private constructor(root: string) {
    this.root = root;
  }

  static async make(): Promise<EnvtestFolder> {
    const folder = new EnvtestFolder(await mkdtemp(join(tmpdir(), "egret-envtest-")));
    const { code, stderr } = await runEgret(["envtest", folder.assets, "--print-path"]);
    if (code !== 0) throw new Error(stderr);
    return folder;
  }

  get assets(): string {
    return join(this.root, "assets");
  }

  path(name: string): string {
    return join(this.root, name);
  }

  /** A user's certificate, signed by the client CA. */
  user(name: string, groups: readonly string[], issuer = this.authority, untilMs?: number): TestCertificate {
    const parts = groups.map((value) => ({ oid: OID.organization, type: "utf8", value }) as const);
    const subject = encodeSubject(...parts, { oid: OID.commonName, type: "utf8", value: name });
    const times = untilMs === undefined ? {} : { untilMs };
    return makeCertificate({ subject, issuer, usages: [USAGE.client], ...times });
  }

  /** Writes files with these names, as a suite prepares them for its API server. */
  async writeCertificates(folder: string): Promise<void> {
    await mkdir(folder, { recursive: true });
    const signer = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
    const files = {
      "apiserver.crt": this.serving.pem,
      "apiserver.key": this.serving.keyPem,
      "client-cert-auth-ca.crt": this.authority.pem,
      "sa-signer.key": signer.export({ type: "pkcs1", format: "pem" }),
      "sa-signer.crt": createPublicKey(signer).export({ type: "spki", format: "pem" }),
    };
    await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text)));
  }

  run(name: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Program {
    return runProgram(join(this.assets, name), args, env);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.root, { recursive: true, force: true });
  }
}

function runProgram(path: string, args: readonly string[], env: Readonly<Record<string, string>>): Program {
  const child = spawn(path, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } });
  const text = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => (text.stdout += chunk));
  child.stderr.on("data", (chunk) => (text.stderr += chunk));
  const ended = once(child, "close").then(([code, signal]): Exit => ({ code: code ?? signal, ...text }));
  const stop = async (signal: NodeJS.Signals = "SIGTERM"): Promise<Exit> => {
    child.kill(signal);
    return await ended;
  };
  return { child, ended, stop, [Symbol.asyncDispose]: async () => void (await stop("SIGKILL")) };
}

/** An etcd and an API server, as envtest of controller-runtime starts them. */
export class ControlPlane implements AsyncDisposable {
  readonly #folder: EnvtestFolder;
  readonly flags: readonly string[];
  readonly #env: Readonly<Record<string, string>>;
  readonly port: number;
  readonly etcd: Program;
  apiserver: Program;

  private constructor(
    folder: EnvtestFolder,
    { port, etcd }: Pick<ControlPlane, "port" | "etcd">,
    flags: readonly string[],
    env: Readonly<Record<string, string>>,
  ) {
    this.#folder = folder;
    this.flags = flags;
    this.#env = env;
    this.port = port;
    this.etcd = etcd;
    this.apiserver = this.#run();
  }

  static async start(
    folder: EnvtestFolder,
    more: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
  ): Promise<ControlPlane> {
    const [client, peer, port] = [await freePort(), await freePort(), await freePort()];
    const name = `plane-${port}`;
    const certificates = folder.path(name);
    await folder.writeCertificates(certificates);
    const etcd = folder.run("etcd", [
      `--advertise-client-urls=http://127.0.0.1:${client}`,
      `--data-dir=${folder.path(`${name}-etcd`)}`,
      `--listen-client-urls=http://127.0.0.1:${client}`,
      `--listen-peer-urls=http://127.0.0.1:${peer}`,
      "--unsafe-no-fsync=true",
    ]);
    await untilAnswered(async () => (await httpGet(`http://127.0.0.1:${client}/health`)).status, etcd);
    const flags = [
      "--allow-privileged=true",
      "--authorization-mode=RBAC",
      "--bind-address=127.0.0.1",
      `--cert-dir=${certificates}`,
      `--client-ca-file=${certificates}/client-cert-auth-ca.crt`,
      "--disable-admission-plugins=ServiceAccount",
      `--etcd-servers=http://127.0.0.1:${client}`,
      `--secure-port=${port}`,
      `--service-account-issuer=https://127.0.0.1:${port}/`,
      `--service-account-key-file=${certificates}/sa-signer.crt`,
      `--service-account-signing-key-file=${certificates}/sa-signer.key`,
      "--service-cluster-ip-range=10.0.0.0/24",
      ...more,
    ];
    const plane = new ControlPlane(folder, { port, etcd }, flags, env);
    await plane.ready();
    return plane;
  }

  #run(): Program {
    return this.#folder.run("kube-apiserver", this.flags, this.#env);
  }

  /** Resolves at the first 200 of /readyz without a certificate. */
  async ready(): Promise<void> {
    await untilAnswered(async () => (await this.call("/readyz")).code, this.apiserver);
  }

  /** Ends the API server alone and starts another one on the same etcd. */
  async restart(signal: NodeJS.Signals): Promise<void> {
    await this.apiserver.stop(signal);
    this.apiserver = this.#run();
    await this.ready();
  }

  call(path: string, call: Call = {}): Promise<Answer> {
    return httpsCall({ ca: this.#folder.serving.pem, port: this.port }, path, call);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.apiserver[Symbol.asyncDispose]();
    await this.etcd[Symbol.asyncDispose]();
  }
}

/** Polls until the answer is 200. Any failure except a refused connection fails at once, as in kube-api-test. */
export async function untilAnswered(ask: () => Promise<number>, program: Program): Promise<void> {
  const started = performance.now();
  for (;;) {
    const code = await ask().catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNREFUSED") return undefined;
      throw error;
    });
    if (code === 200) return;
    if (code !== undefined) throw new Error(`${code} in the place of 200`);
    if (program.child.exitCode !== null) throw new Error((await program.ended).stderr);
    if (performance.now() - started > READY_MS_MAX) throw new Error("not ready in time");
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** A request to a server whose certificate is of this CA. */
export async function httpsCall(
  { ca, port }: { readonly ca: string; readonly port: number },
  path: string,
  { as, ...call }: Call,
): Promise<Answer> {
  const credentials = as === undefined ? {} : { cert: as.pem, key: as.keyPem };
  const answer = await sendOverTls(`https://127.0.0.1:${port}${path}`, { ca, ...credentials, ...call });
  return { code: answer.status, body: answer.text, headers: answer.headers, fingerprint: answer.fingerprint };
}
