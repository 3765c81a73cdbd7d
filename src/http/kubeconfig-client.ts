// Speaks with the server that a kubeconfig names, for the commands that ask a running server for something.

import { readFile } from "node:fs/promises";
import { type IncomingMessage, request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import { dirname, resolve } from "node:path";
import { isObject } from "../meta/json.ts";
import { decodeValue } from "../yaml/decode-yaml.ts";

/** One request to the server of a kubeconfig. */
export interface OutgoingRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With its query: "/egret/v1/export?kinds=pods". */
  readonly path: string;
  /** Sent as it is when it is text or bytes, else as JSON. */
  readonly body?: unknown;
  /** Default: "application/json" with a body. */
  readonly contentType?: string;
  /** Gives up when it aborts. */
  readonly signal?: AbortSignal;
}

/** The path of a file, or of several that are merged. */
export type Kubeconfigs = string | readonly string[];

/** Of a Warning header (RFC 7234): 299 - "text". */
const WARNING = /299 - "((?:[^"\\]|\\.)*)"/g;

/** Sends one request with the kubeconfig's current context and reads the whole answer, whatever its status.
 * Throws RequestError when there is no server to ask, or no kubeconfig. */
export async function requestWith(kubeconfig: Kubeconfigs, asked: OutgoingRequest) {
  const answer = await send(await readAccess([kubeconfig].flat()), asked);
  const parts: Buffer[] = [];
  for await (const part of answer) parts.push(part as Buffer); // a message without an encoding gives buffers
  const text = Buffer.concat(parts).toString("utf8");
  return { status: answer.statusCode ?? 0, text, warnings: warningsOf(answer.headers["warning"] ?? "") };
}

function warningsOf(header: string): string[] {
  const texts = [...header.matchAll(WARNING)].map(([, text = ""]) => text.replace(/\\(.)/g, "$1"));
  return texts.map((text) => Buffer.from(text, "latin1").toString("utf8"));
}

/** The body of the answer to a GET, as it comes. Throws RequestError when the answer is no success. */
export async function getWith(kubeconfig: Kubeconfigs, path: string): Promise<AsyncIterable<Buffer>> {
  const access = await readAccess([kubeconfig].flat());
  const answer = await send(access, { method: "GET", path });
  if (answer.statusCode === 200) return answer;
  answer.resume();
  throw new RequestError(`${access.server} has answered GET ${path} with ${answer.statusCode}`);
}

async function send({ server, token, tls }: Access, asked: OutgoingRequest): Promise<IncomingMessage> {
  const url = new URL(asked.path, server);
  const request = url.protocol === "https:" ? requestSecure : requestPlain;
  const bytes = bytesOf(asked.body);
  const headers = {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(bytes === undefined ? {} : { "content-type": asked.contentType ?? "application/json" }),
    ...(bytes === undefined ? {} : { "content-length": bytes.length }),
  };
  const signal = asked.signal === undefined ? {} : { signal: asked.signal };
  return await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(url, { method: asked.method, headers, ...tls, ...signal }, resolve);
    sent.on("error", (cause) =>
      reject(new RequestError(`${server} does not answer (${cause.message})`, { cause })),
    );
    sent.end(bytes);
  });
}

function bytesOf(body: unknown): Buffer | undefined {
  if (body === undefined) return undefined;
  if (body instanceof Uint8Array) return Buffer.from(body);
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}

// What kubeconfig files say of a server: where it is, whom it trusts and who asks. Several files are merged as kubectl
// merges them: of entries of one name the first counts, and so does the first current context.

/** What kept a request from being answered, in one line for the person who made it. */
export class RequestError extends Error {}

/** How the server of the current context is reached. */
type Access = Awaited<ReturnType<typeof readAccess>>;

interface Config {
  readonly path: string;
  readonly value: unknown;
}

/** A file of a list may be missing, a single one not. Throws RequestError. */
export async function readAccess(paths: readonly string[]) {
  const name = paths.join(", ");
  const configs: Config[] = [];
  for (const path of paths) {
    try {
      configs.push({ path, value: decodeValue(await readFile(path, "utf8")) });
    } catch (cause) {
      const isMissing = cause instanceof Error && "code" in cause && cause.code === "ENOENT";
      if (isMissing && paths.length > 1) continue;
      throw new RequestError(`the kubeconfig ${path} cannot be read${isMissing ? ": it is not there" : ""}`, {
        cause,
      });
    }
  }
  if (configs.length === 0) throw new RequestError(`none of the kubeconfigs ${name} can be read`);
  const current = configs
    .map(({ value }) => textAt(value, "current-context"))
    .find((text) => text !== undefined);
  const context = entryOf(configs, "contexts", current, "context");
  const cluster = entryOf(configs, "clusters", textAt(context?.value, "cluster"), "cluster");
  const user = entryOf(configs, "users", textAt(context?.value, "user"), "user");
  const server = textAt(cluster?.value, "server");
  if (server === undefined) throw new RequestError(`the kubeconfig ${name} names no server`);
  for (const way of ["exec", "auth-provider", "username"])
    if (isObject(user?.value) && user.value[way] !== undefined)
      throw new RequestError(
        `the kubeconfig ${name} has ${way}, which is not supported here; use a token or a certificate`,
      );
  return { server, token: await secretOf(user, "token", "tokenFile"), tls: await tlsOf(cluster, user) };
}

async function tlsOf(cluster: Config | undefined, user: Config | undefined) {
  const servername = textAt(cluster?.value, "tls-server-name");
  const isBlind = isObject(cluster?.value) && cluster.value["insecure-skip-tls-verify"] === true;
  return {
    ca: await secretOf(cluster, "certificate-authority-data", "certificate-authority"),
    cert: await secretOf(user, "client-certificate-data", "client-certificate"),
    key: await secretOf(user, "client-key-data", "client-key"),
    ...(servername === undefined ? {} : { servername }),
    ...(isBlind ? { rejectUnauthorized: false } : {}),
  };
}

/** A text of the file itself (certificates and keys in base64), or of another one that it names from where it is. */
async function secretOf(
  config: Config | undefined,
  inline: string,
  file: string,
): Promise<string | undefined> {
  const text = textAt(config?.value, inline);
  if (text !== undefined)
    return inline.endsWith("-data") ? Buffer.from(text, "base64").toString("utf8") : text;
  const path = textAt(config?.value, file);
  if (path === undefined || config === undefined) return undefined;
  const whole = resolve(dirname(config.path), path);
  return (
    await readFile(whole, "utf8").catch((cause) => {
      throw new RequestError(`${whole}, which ${config.path} names, cannot be read`, { cause });
    })
  ).trim();
}

/** The member of the first entry of that name in a list of entries, and the file that has it. */
function entryOf(
  configs: readonly Config[],
  list: string,
  name: string | undefined,
  member: string,
): Config | undefined {
  for (const { path, value } of configs) {
    const entries = isObject(value) ? value[list] : undefined;
    if (!Array.isArray(entries)) continue;
    const entry: unknown = entries.find((item) => isObject(item) && item["name"] === name);
    if (isObject(entry)) return { path, value: entry[member] };
  }
  return undefined;
}

function textAt(value: unknown, member: string): string | undefined {
  const text = isObject(value) ? value[member] : undefined;
  return typeof text === "string" && text !== "" ? text : undefined;
}
