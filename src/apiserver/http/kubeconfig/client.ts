// HTTP client for the server of a kubeconfig, used by the commands that query a running server.
import { type IncomingMessage, request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import { pipeline, Readable } from "node:stream";
import { promisify } from "node:util";
import { parsedObject, textAt } from "../../../apimachinery/json/json.ts";
import { systemClock } from "../../../apimachinery/meta/clock.ts";
import { checkServerIdentity } from "../tls/host-names.ts";
import { type Access, readAccess } from "./access.ts";
import { type KubeconfigChoice, RequestError } from "./files.ts";

/** One request to the server of a kubeconfig. */
export interface OutgoingRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With the query: "/egret/v1/export?kinds=pods". */
  readonly path: string;
  /**
   * Text, bytes and byte streams are sent unchanged; a stream can be sent only once. Any other value is sent as
   * JSON.
   */
  readonly body?: unknown;
  /** Default: "application/json" with a body. */
  readonly contentType?: string;
  /** Aborts the request. */
  readonly signal?: AbortSignal;
  /** Large responses are requested with gzip, in case the server is remote. */
  readonly isLarge?: boolean;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly warnings: readonly string[];
  /** The server's Retry-After. */
  readonly retryAfterSeconds?: number;
}

/** Of a Warning header (RFC 7234): 299 - "text". */
const WARNING = /299 - "((?:[^"\\]|\\.)*)"/g;
/** Credentials that expire within this time are replaced. */
const EXPIRY_MS = 10_000;

/** A server and its credentials. The credentials are read once, and again when they expire or are rejected. */
export class Connection {
  readonly #choice: KubeconfigChoice;
  #access: Promise<Access> | undefined;

  constructor(choice: KubeconfigChoice) {
    this.#choice = choice;
  }

  /** Returns the whole response, whatever its status. Throws RequestError without a reachable server or a kubeconfig. */
  async request(asked: OutgoingRequest): Promise<Answer> {
    const answer = await this.#send(asked);
    const { statusCode: status = 0, headers } = answer;
    const warnings = warningsOf(headers["warning"] ?? "");
    const retryAfterSeconds = Number(headers["retry-after"] ?? Number.NaN);
    const retry = Number.isNaN(retryAfterSeconds) ? {} : { retryAfterSeconds };
    return { status, text: await textOf(answer), warnings, ...retry };
  }

  /** Streams the body of the response to a GET. Throws RequestError for any status but 200. */
  async get(path: string): Promise<AsyncIterable<Buffer>> {
    const answer = await this.#send({ method: "GET", path });
    if (answer.statusCode === 200) return answer;
    answer.resume();
    const { server } = await this.#current();
    throw new RequestError(`${server} has answered GET ${path} with ${answer.statusCode}`);
  }

  /**
   * Like `request`, but passes each line of a successful response to `onLine` as it arrives. Throws RequestError,
   * also when the response is truncated.
   */
  async lines(asked: OutgoingRequest, onLine: (line: string) => void): Promise<Answer> {
    const answer = await this.#send(asked);
    const { statusCode: status = 0, headers } = answer;
    const warnings = warningsOf(headers["warning"] ?? "");
    if (status !== 200) return { status, text: await textOf(answer), warnings };
    const rest = await tellLines(answer, onLine);
    return { status, text: rest, warnings };
  }

  /** Sends a request. After a 401 it renews the credentials, where possible, and retries once. */
  async #send(asked: OutgoingRequest): Promise<IncomingMessage> {
    const access = await this.#current();
    const answer = await send(access, asked);
    if (answer.statusCode !== 401 || !access.canRenew || isStream(asked.body)) return answer;
    answer.resume();
    this.#access = undefined;
    return await send(await this.#current(), asked);
  }

  /** Returns valid credentials. Fresh credentials are used once, however soon they expire. */
  async #current(): Promise<Access> {
    const known = this.#access;
    if (known !== undefined && !isOld(await known)) return await known;
    if (this.#access === known || this.#access === undefined)
      this.#access = readAccess(this.#choice).then(demandProof);
    return await this.#access;
  }
}

const isOld = ({ expiresAtMs = Number.POSITIVE_INFINITY }: Access): boolean =>
  expiresAtMs - EXPIRY_MS < systemClock.now();

/**
 * Resolves when a server at the URL answers a request without credentials, whatever the status. Rejects with
 * RequestError.
 */
export async function isAnswered(url: string, path: string, signal: AbortSignal): Promise<void> {
  const tls = { ca: undefined, cert: undefined, key: undefined, rejectUnauthorized: false };
  const nobody = { token: undefined, impersonation: {}, compresses: false, expiresAtMs: undefined };
  const answer = await send(
    { server: url, tls, ...nobody, canRenew: false },
    { method: "GET", path, signal },
  );
  answer.destroy();
}

/** Limits of the proof response, which another process may have sent. */
const PROOF_MS_MAX = 10_000;
const PROOF_BYTES_MAX = 4096;

/**
 * Resolves with the same access after the server has proved its identity, where that is required. Throws
 * RequestError.
 */
async function demandProof(access: Access): Promise<Access> {
  const { instance, server } = access;
  if (instance === undefined) return access;
  const { INSTANCE_PATH, isProof, newChallenge } = await import("./instance.ts");
  const challenge = newChallenge();
  const path = `${INSTANCE_PATH}?challenge=${challenge}`;
  const text = await firstBytes({ ...access, token: undefined }, { method: "GET", path });
  if (isProof(instance, challenge, textAt(parsedObject(text), "proof"))) return access;
  throw new RequestError(
    `${server} is not the server that has written the kubeconfig: no credentials were sent; start that server again, or name a kubeconfig with --kubeconfig`,
  );
}

/** The first bytes of a response, whatever its status, within a time limit. Throws RequestError. */
async function firstBytes(access: Access, asked: OutgoingRequest): Promise<string> {
  const ended = new AbortController();
  const late = systemClock.sleep(PROOF_MS_MAX, ended.signal).then(
    () => ended.abort(),
    () => undefined,
  );
  try {
    const answer = await send(access, { ...asked, signal: ended.signal });
    let text = "";
    for await (const part of answer) {
      text += String(part);
      if (text.length > PROOF_BYTES_MAX) break;
    }
    return text;
  } catch (cause) {
    if (cause instanceof RequestError && !ended.signal.aborted) throw cause;
    throw new RequestError(`${access.server} has not proved its identity`, { cause });
  } finally {
    ended.abort();
    await late;
  }
}

/** One request with the current context of a kubeconfig. Throws RequestError. */
export const requestWith = (path: string, asked: OutgoingRequest): Promise<Answer> =>
  new Connection({ paths: [path] }).request(asked);

const isStream = (body: unknown): body is AsyncIterable<Uint8Array> =>
  typeof body === "object" && body !== null && Symbol.asyncIterator in body;

/** Passes each line to `onLine`. Returns the incomplete last line. */
async function tellLines(answer: IncomingMessage, onLine: (line: string) => void): Promise<string> {
  let rest = "";
  answer.setEncoding("utf8");
  try {
    for await (const part of answer) {
      const lines = (rest + String(part)).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) onLine(line);
    }
    return rest;
  } catch (cause) {
    throw new RequestError("the server has ended its answer too early", { cause });
  }
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  try {
    for await (const part of answer) parts.push(part as Buffer); // without an encoding, a message yields buffers
    const bytes = Buffer.concat(parts);
    if (answer.headers["content-encoding"] !== "gzip") return bytes.toString("utf8");
    const { gunzip } = await import("node:zlib");
    return (await promisify(gunzip)(bytes)).toString("utf8");
  } catch (cause) {
    throw new RequestError("the server has ended its answer too early", { cause });
  }
}

function warningsOf(header: string): string[] {
  const texts = [...header.matchAll(WARNING)].map(([, text = ""]) => text.replace(/\\(.)/g, "$1"));
  return texts.map((text) => Buffer.from(text, "latin1").toString("utf8"));
}

async function send(
  { server, token, impersonation, tls, compresses }: Access,
  asked: OutgoingRequest,
): Promise<IncomingMessage> {
  const url = urlOf(server, asked.path);
  const request = url.protocol === "https:" ? requestSecure : requestPlain;
  const { body } = asked;
  const bytes = isStream(body) ? undefined : bytesOf(body);
  const headers = {
    ...impersonation,
    ...(asked.isLarge === true && compresses ? { "accept-encoding": "gzip" } : {}),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { "content-type": asked.contentType ?? "application/json" }),
    ...(bytes === undefined ? {} : { "content-length": bytes.length }),
  };
  const signal = asked.signal === undefined ? {} : { signal: asked.signal };
  return await new Promise<IncomingMessage>((resolve, reject) => {
    const verified = { allowPartialTrustChain: true, checkServerIdentity, ...tls };
    const sent = request(url, { method: asked.method, headers, ...verified, ...signal }, resolve);
    sent.on("error", (cause) =>
      reject(new RequestError(`${server} does not answer (${cause.message})`, { cause })),
    );
    // A rejected upload need not be completed: the response carries the reason.
    if (isStream(body)) pipeline(Readable.from(body, { objectMode: false }), sent, () => undefined);
    else sent.end(bytes);
  });
}

/**
 * Joins the path to the base path of the server, which exists where one address serves several clusters. Throws
 * RequestError.
 */
function urlOf(server: string, path: string): URL {
  try {
    const base = new URL(/^[a-z]+:\/\//i.test(server) ? server : `http://${server}`);
    return new URL(`${base.pathname.replace(/\/+$/, "")}${path}`, base);
  } catch (cause) {
    throw new RequestError(`${server} is no address of a server`, { cause });
  }
}

function bytesOf(body: unknown): Buffer | undefined {
  if (body === undefined) return undefined;
  if (body instanceof Uint8Array) return Buffer.from(body);
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}
