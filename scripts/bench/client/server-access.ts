// Where a server is and how to be let in: all that the client of the bench has to know of it.
import { Agent, type IncomingMessage, request as requestPlain } from "node:http";
import { request as requestSecure, Agent as SecureAgent } from "node:https";

export interface ServerAccess {
  /** Without a slash at its end. */
  readonly url: string;
  /** Headers of every request, such as a token. */
  readonly headers: Readonly<Record<string, string>>;
  /** In PEM; only for HTTPS. What is left out is as the system has it. */
  readonly tls: {
    readonly ca?: string;
    readonly cert?: string;
    readonly key?: string;
    readonly insecure?: boolean;
  };
  /** Of its process, if that is on this machine and can be looked at. */
  readonly pid?: number;
}

export function plainAccess(url: string, pid?: number): ServerAccess {
  return { url: url.replace(/\/+$/, ""), headers: {}, tls: {}, ...(pid === undefined ? {} : { pid }) };
}

/** As Node's TLS wants it. */
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

/** The answer as soon as its head is there; for what is not measured. */
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

/** The whole answer, whatever its status. */
export async function ask(access: ServerAccess, path: string, asked: Asked = {}): Promise<Answered> {
  const answer = await open(access, path, asked);
  const parts: Buffer[] = [];
  for await (const part of answer) parts.push(part as Buffer); // a message without an encoding gives buffers
  return {
    status: answer.statusCode ?? 0,
    text: Buffer.concat(parts).toString("utf8"),
  };
}

/** Throws when the answer is no success. */
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
