// The webhook of the recorded cases: it serves TLS on a free port of 127.0.0.1, answers as the current step defines, and
// records its calls.
import { once } from "node:events";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { isObject } from "../../../../src/apimachinery/json/json.ts";
import { createAuthority, createServerCertificate } from "../../../../src/apiserver/http/tls/certificate.ts";
import { fillKnown, type HookAnswers } from "./case-book.ts";
import { answerText } from "./hook-text.ts";

const HOST = "127.0.0.1";
const CA_NAME = "conformance ca";
const DAY_MS = 24 * 3600 * 1000;
const LOOK_AGAIN_MS = 10;
/** How long a truncated connection stays open after its last byte. */
const CUT_AFTER_MS = 50;

export interface HookCall {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Decoded where it is JSON. */
  readonly body: unknown;
}

export class Hook implements AsyncDisposable {
  answers: HookAnswers = {};
  /** PEM of the CA that has signed the certificate. */
  readonly ca: string;
  readonly #server: Server;
  #calls: HookCall[] = [];
  #calledAtMs = 0;

  private constructor() {
    const times = { fromMs: Date.now() - DAY_MS, untilMs: Date.now() + DAY_MS };
    const authority = createAuthority(CA_NAME, times);
    const issuer = { ...authority, name: CA_NAME };
    const { pem, key } = createServerCertificate(issuer, "conformance leaf", [HOST], times);
    this.ca = authority.pem;
    this.#server = createServer(
      { cert: pem, key: key.export({ type: "pkcs8", format: "pem" }) },
      (request, response) => void this.#serve(request, response).catch(() => response.destroy()),
    );
  }

  static async open(): Promise<Hook> {
    const hook = new Hook();
    hook.#server.listen(0, HOST);
    await once(hook.#server, "listening");
    return hook;
  }

  get address(): string {
    return `${HOST}:${(this.#server.address() as AddressInfo).port}`; // a TCP server that listens
  }

  /** Waits until no call has arrived for so long, so that late calls of one step do not count for the next. */
  async quiet(ms: number): Promise<void> {
    while (Date.now() - this.#calledAtMs < ms) await delay(LOOK_AGAIN_MS);
  }

  /**
   * The calls since the last take. Validating webhooks (paths from /v on) are called in parallel: they come last, by path.
   */
  take(): HookCall[] {
    const rank = ({ path }: HookCall) => (path.startsWith("/v") ? path : "");
    const taken = this.#calls;
    this.#calls = [];
    return taken.sort((a, b) => (rank(a) < rank(b) ? -1 : rank(a) > rank(b) ? 1 : 0));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url = "", headers } = request;
    const text = await readText(request);
    const review = parseJson(text);
    this.#calls.push({ method, path: url, headers, body: review ?? text });
    this.#calledAtMs = Date.now();
    const given = this.answers[url.split("?", 1)[0] ?? ""] ?? {};
    const answer = fillKnown(given, { uid: uidOf(review), hook: `https://${this.address}` });
    if (answer.delay !== undefined) await delay(answer.delay);
    if (answer.reset) return void request.socket.destroy();
    const body = Buffer.from(answerText(review, answer));
    const sent = answer.headers ?? { "content-type": "application/json" };
    const { status = 200, cut } = answer;
    if (cut === undefined) return void response.writeHead(status, sent).end(body);
    response.writeHead(status, { ...sent, "content-length": body.length });
    response.write(body.subarray(0, cut), () => setTimeout(() => request.socket.destroy(), CUT_AFTER_MS));
  }
}

function uidOf(review: unknown): string | undefined {
  const request = isObject(review) ? review["request"] : undefined;
  const uid = isObject(request) ? request["uid"] : undefined;
  return typeof uid === "string" ? uid : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
