// The address and credentials of a server: all that the bench's client needs to know of it.
import { Agent, type IncomingMessage, request as requestPlain } from "node:http";
import { request as requestSecure, Agent as SecureAgent } from "node:https";

export interface ServerAccess {
  /** Without a slash at its end. */
  readonly url: string;
  /** Headers of every request, such as a token. */
  readonly headers: Readonly<Record<string, string>>;
  /** In PEM, for HTTPS only. Omitted members use the system's defaults. */
  readonly tls: {
    readonly ca?: string;
    readonly cert?: string;
    readonly key?: string;
    readonly insecure?: boolean;
  };
  /** The process id of the server, if it runs on this machine and can be inspected. */
  readonly pid?: number;
}

export function plainAccess(url: string, pid?: number): ServerAccess {
  return { url: url.replace(/\/+$/, ""), headers: {}, tls: {}, ...(pid === undefined ? {} : { pid }) };
}

/** In the form of Node's TLS options. */
export function tlsOptions({ tls: { ca, cert, key, insecure } }: ServerAccess): object {
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    rejectUnauthorized: insecure !== true,
  };
}

export interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface Answered {
  readonly status: number;
  readonly text: string;
}

const agents = new WeakMap<ServerAccess, Agent>();

function agentOf(access: ServerAccess): Agent {
  let agent = agents.get(access);
  if (agent === undefined) {
    agent = access.url.startsWith("https:")
      ? new SecureAgent({ keepAlive: true, ...tlsOptions(access) })
      : new Agent({ keepAlive: true });
    agents.set(access, agent);
  }
  return agent;
}

/** Resolves when the head of the answer has arrived; for requests that are not measured. */
export function open(access: ServerAccess, path: string, asked: Asked = {}): Promise<IncomingMessage> {
  const { method = "GET", headers = {}, body } = asked;
  const bytes = body === undefined ? undefined : JSON.stringify(body);
  const request = access.url.startsWith("https:") ? requestSecure : requestPlain;
  const typed =
    bytes === undefined
      ? {}
      : {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(bytes),
        };
  return new Promise((resolve, reject) => {
    const all = { ...access.headers, ...typed, ...headers };
    const sent = request(`${access.url}${path}`, {
      method,
      headers: all,
      agent: agentOf(access),
    });
    sent.on("response", resolve);
    sent.on("error", reject);
    sent.end(bytes);
  });
}

/** Resolves to the whole answer, whatever its status. */
export async function ask(access: ServerAccess, path: string, asked: Asked = {}): Promise<Answered> {
  const answer = await open(access, path, asked);
  const parts: Buffer[] = [];
  for await (const part of answer) parts.push(part as Buffer); // a message without an encoding yields buffers
  return {
    status: answer.statusCode ?? 0,
    text: Buffer.concat(parts).toString("utf8"),
  };
}

/** Throws when the status is not 2xx. */
export async function askWell(access: ServerAccess, path: string, asked: Asked = {}): Promise<string> {
  const { status, text } = await ask(access, path, asked);
  if (status >= 300)
    throw new Error(`${asked.method ?? "GET"} ${path} was answered with ${status}: ${text.slice(0, 500)}`);
  return text;
}

export async function readJson(
  access: ServerAccess,
  path: string,
  accept = "application/json",
): Promise<unknown> {
  return JSON.parse(await askWell(access, path, { headers: { accept } }));
}
