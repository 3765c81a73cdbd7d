// A server with two users, an admin and a viewer authorized to read the Secrets of namespace a, for tests of attackers
// that try to gain rights or to stop the server.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { systemClock } from "../../src/apimachinery/meta/clock.ts";
import {
  createServer,
  type Server,
  type ServerOptions,
  type ServerSurroundings,
} from "../../src/server/server.ts";

const TOKENS = 'root,admin,1,"system:masters"\nsee,viewer,2,viewers\n';
const RBAC = "/apis/rbac.authorization.k8s.io/v1";
export const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

interface Asking {
  readonly type?: string;
  /** "": no token. */
  readonly token?: string;
  readonly accept?: string;
}

export class Besieged implements AsyncDisposable {
  readonly url: string;
  /** How far the server's clock is ahead, in milliseconds. */
  aheadMs = 0;
  readonly #server: Server;
  readonly #folder: string;
  #closed: Promise<void> | undefined;

  private constructor(server: Server, folder: string) {
    this.#server = server;
    this.#folder = folder;
    this.url = server.url;
  }

  static async start(more: Partial<ServerOptions> = {}, around: ServerSurroundings = {}): Promise<Besieged> {
    const folder = await mkdtemp(join(tmpdir(), "egret-security-"));
    const tokenAuthFile = join(folder, "tokens.csv");
    await writeFile(tokenAuthFile, TOKENS);
    const quiet = {
      secure: false,
      listen: "127.0.0.1:0",
      inMemory: true,
      kubeconfig: undefined,
      controllers: "",
      logLevel: "silent",
      ...more,
    };
    const ahead = () => besieged?.aheadMs ?? 0;
    const clock = { ...systemClock, now: () => systemClock.now() + ahead() };
    let besieged: Besieged | undefined;
    besieged = new Besieged(await createServer({ ...quiet, tokenAuthFile }, { ...around, clock }), folder);
    await besieged.#fill();
    return besieged;
  }

  async #fill(): Promise<void> {
    for (const name of ["a", "b"]) {
      await this.ask("POST", "/api/v1/namespaces", {
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { name },
      });
      const secret = {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: "s" },
        stringData: { value: `${name}-secret` },
      };
      await this.ask("POST", `/api/v1/namespaces/${name}/secrets`, secret);
    }
    const head = { apiVersion: "rbac.authorization.k8s.io/v1" };
    await this.ask("POST", `${RBAC}/clusterroles`, {
      ...head,
      kind: "ClusterRole",
      metadata: { name: "secret-reader" },
      rules: [{ apiGroups: [""], resources: ["secrets"], verbs: ["get", "list", "watch"] }],
    });
    await this.ask("POST", `${RBAC}/namespaces/a/rolebindings`, {
      ...head,
      kind: "RoleBinding",
      metadata: { name: "viewers" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "secret-reader" },
      subjects: [{ kind: "Group", name: "viewers", apiGroup: "rbac.authorization.k8s.io" }],
    });
  }

  /** Sends as the admin unless another token is given. A body that is no string is sent as JSON. */
  async ask(method: string, path: string, body?: unknown, { type, token = "root", accept }: Asking = {}) {
    const bytes = typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body);
    const headers = {
      ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
      "content-type": type ?? "application/json",
      accept: accept ?? "application/json",
    };
    const send = this.url.startsWith("https:") ? fetchFromUnknown : fetch;
    const response = await send(this.url + path, {
      method,
      headers,
      ...(bytes === undefined ? {} : { body: bytes }),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type") === "application/json";
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? JSON.parse(text) : undefined,
    };
  }

  async expectWell(): Promise<void> {
    expect((await this.ask("GET", "/readyz")).text).toBe("ok");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#server.close();
    await this.#closed;
    await rm(this.#folder, { recursive: true, force: true });
  }
}

interface Sent {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** Like fetch, but accepts any certificate. */
function fetchFromUnknown(url: string, { method, headers, body }: Sent): Promise<Response> {
  return new Promise((resolve, reject) => {
    const options = { method, headers, rejectUnauthorized: false, agent: false };
    const sent = request(url, options, async (message) => {
      const chunks = await message.toArray();
      const type = message.headers["content-type"] ?? "";
      const status = message.statusCode ?? 0;
      resolve(new Response(Buffer.concat(chunks), { status, headers: { "content-type": type } }));
    });
    sent.on("error", reject).end(body);
  });
}

/** JSON text, because an object value cannot express some keys. */
export const configMap = (name: string, data = "{}", metadata = ""): string =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}"${metadata}},"data":${data}}`;
