// The built server with three users: an administrator (system:masters), an attacker with a token and no rules, and
// anonymous. Tests grant the attacker the rights that the attack needs. All requests use sockets, as an attacker's do.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type EgretProcess, type RunOptions, startEgret } from "../support/egret-process.ts";

const TOKENS = 'root,admin,1,"system:masters"\nlow,attacker,2,attackers\n';
/** Heap of a small server, which the attacks of this folder must not crash. */
export const SMALL_HEAP_MEGABYTES = 384;

export type Token = "root" | "low" | "";

export interface Sent {
  /** The administrator's token unless another is given; "" sends none. */
  readonly token?: Token;
  readonly type?: string;
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

export interface BuiltServer extends AsyncDisposable {
  readonly process: EgretProcess;
  readonly url: string;
  readonly port: number;
  /** Temporary; removed with the server. */
  readonly folder: string;
  /** Sends one request; a body that is neither text nor bytes is sent as JSON. */
  send(method: string, path: string, body?: unknown, sent?: Sent): Promise<Answer>;
  /** Grants these rules to the attacker, in all namespaces. */
  grant(rules: readonly PolicyRule[]): Promise<void>;
}

/** Starts dist/main.js with RBAC, these tokens and no controllers unless the flags name some. */
export async function startBuiltServer(
  flags: readonly string[] = [],
  options: { readonly heapMegabytes?: number } & Pick<RunOptions, "openFilesMax"> = {},
): Promise<BuiltServer> {
  const folder = await mkdtemp(join(tmpdir(), "egret-attack-"));
  const tokens = join(folder, "tokens.csv");
  await writeFile(tokens, TOKENS);
  const storage = flags.some((flag) => /^--(in-memory|data-dir)/.test(flag)) ? [] : ["--in-memory"];
  const controllers = flags.some((flag) => flag.startsWith("--controllers")) ? [] : ["--controllers="];
  const own = [
    "--kubeconfig",
    "",
    "--token-auth-file",
    tokens,
    "--secure=false",
    "--authorization-mode",
    "RBAC",
  ];
  const { heapMegabytes, ...run } = options;
  const env: Record<string, string> =
    heapMegabytes === undefined ? {} : { NODE_OPTIONS: `--max-old-space-size=${heapMegabytes}` };
  const process = await startEgret([...own, ...storage, ...controllers, ...flags], { ...run, env });
  const send: BuiltServer["send"] = (method, path, body, sent) =>
    sendTo(process.url, method, path, body, sent);
  return {
    process,
    url: process.url,
    port: Number(new URL(process.url).port),
    folder,
    send,
    grant: (rules) => grantTo(send, rules),
    [Symbol.asyncDispose]: async () => {
      await process.stop("SIGKILL");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function sendTo(
  url: string,
  method: string,
  path: string,
  body: unknown,
  { token = "root", type, accept, headers = {} }: Sent = {},
): Promise<Answer> {
  const bytes = typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body);
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
      "content-type": type ?? "application/json",
      accept: accept ?? "application/json",
      ...headers,
    },
    ...(bytes === undefined ? {} : { body: bytes }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const RBAC = { group: "rbac.authorization.k8s.io", version: "v1" };
let grants = 0;

async function grantTo(send: BuiltServer["send"], rules: readonly PolicyRule[]): Promise<void> {
  const name = `attack-${++grants}`;
  const path = `/apis/${RBAC.group}/${RBAC.version}`;
  const head = { apiVersion: `${RBAC.group}/${RBAC.version}`, metadata: { name } };
  const made = [
    await send("POST", `${path}/clusterroles`, { ...head, kind: "ClusterRole", rules }),
    await send("POST", `${path}/clusterrolebindings`, {
      ...head,
      kind: "ClusterRoleBinding",
      roleRef: { apiGroup: RBAC.group, kind: "ClusterRole", name },
      subjects: [{ kind: "User", name: "attacker", apiGroup: RBAC.group }],
    }),
  ];
  for (const { status, text } of made) if (status !== 201) throw new Error(`a grant failed: ${text}`);
}
