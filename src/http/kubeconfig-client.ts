// Speaks with the server that a kubeconfig names, for the commands that ask a running server for something.
import { readFile } from "node:fs/promises";
import { type IncomingMessage, request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import { parse } from "yaml";
import { isObject } from "../meta/json.ts";

/** What kept a request from being answered, in one line for the person who made it. */
export class RequestError extends Error {}

/** One request to the server of a kubeconfig. */
export interface OutgoingRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With its query: "/egret/v1/export?kinds=pods". */
  readonly path: string;
  /** Sent as it is when it is text or bytes, else as JSON. */
  readonly body?: unknown;
  /** Default: "application/json" with a body. */
  readonly contentType?: string;
}

export interface ReceivedAnswer {
  readonly status: number;
  readonly text: string;
}

/** Sends one request with the kubeconfig's current context and reads the whole answer, whatever its status.
 * Throws RequestError when there is no server to ask, or no kubeconfig. */
export async function requestWith(kubeconfigPath: string, asked: OutgoingRequest): Promise<ReceivedAnswer> {
  const answer = await send(await readKubeconfig(kubeconfigPath), asked);
  const parts: Buffer[] = [];
  for await (const part of answer) parts.push(part as Buffer); // a message without an encoding gives buffers
  return { status: answer.statusCode ?? 0, text: Buffer.concat(parts).toString("utf8") };
}

/** The body of the answer to a GET, as it comes. Throws RequestError when the answer is no success. */
export async function getWith(kubeconfigPath: string, path: string): Promise<AsyncIterable<Buffer>> {
  const access = await readKubeconfig(kubeconfigPath);
  const answer = await send(access, { method: "GET", path });
  if (answer.statusCode === 200) return answer;
  answer.resume();
  throw new RequestError(`${access.server} has answered GET ${path} with ${answer.statusCode}`);
}

async function send({ server, authority, token }: Access, asked: OutgoingRequest): Promise<IncomingMessage> {
  const url = new URL(asked.path, server);
  const request = url.protocol === "https:" ? requestSecure : requestPlain;
  const bytes = bytesOf(asked.body);
  const headers = {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(bytes === undefined ? {} : { "content-type": asked.contentType ?? "application/json" }),
    ...(bytes === undefined ? {} : { "content-length": bytes.length }),
  };
  const ca = authority === undefined ? {} : { ca: authority };
  return await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(url, { method: asked.method, headers, ...ca }, resolve);
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

interface Access {
  readonly server: string;
  readonly authority: string | undefined;
  readonly token: string | undefined;
}

/** Of the current context. */
async function readKubeconfig(path: string): Promise<Access> {
  let config: unknown;
  try {
    config = parse(await readFile(path, "utf8"));
  } catch (cause) {
    throw new RequestError(`the kubeconfig ${path} cannot be read`, { cause });
  }
  const context = named(config, "contexts", textAt(config, "current-context"), "context");
  const cluster = named(config, "clusters", textAt(context, "cluster"), "cluster");
  const user = named(config, "users", textAt(context, "user"), "user");
  const server = textAt(cluster, "server");
  if (server === undefined) throw new RequestError(`the kubeconfig ${path} names no server`);
  const data = textAt(cluster, "certificate-authority-data");
  const authority = data === undefined ? undefined : Buffer.from(data, "base64").toString("utf8");
  return { server, authority, token: textAt(user, "token") };
}

/** The member of the entry of that name in a list of entries. */
function named(config: unknown, list: string, name: string | undefined, member: string): unknown {
  const entries = isObject(config) ? config[list] : undefined;
  if (!Array.isArray(entries)) return undefined;
  const entry: unknown = entries.find((item) => isObject(item) && item["name"] === name);
  return isObject(entry) ? entry[member] : undefined;
}

function textAt(value: unknown, member: string): string | undefined {
  const text = isObject(value) ? value[member] : undefined;
  return typeof text === "string" && text !== "" ? text : undefined;
}
