// The server under test as the runner uses it: raw requests (any method, any path, exactly these headers) and watches that
// buffer their events until the runner reads them.
import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { Call } from "./case-file.ts";

const ANSWER_TIMEOUT_MS = 60_000;
const SOCKETS_MAX = 64;
/** The name before the slash becomes the field manager of writes that name none; recorded answers contain it. */
const USER_AGENT = "conformance/1.0";

export interface Reply {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly bytes: Buffer;
  /** The same as text. */
  readonly raw: string;
  /** The decoded JSON; undefined when the answer is something else. */
  readonly body: unknown;
}

export class Target {
  readonly #base: URL;
  readonly #token: string | undefined;
  readonly #agent: HttpAgent;

  constructor(server: string, token?: string) {
    this.#base = new URL(server);
    this.#token = token;
    const options = { keepAlive: true, maxSockets: SOCKETS_MAX };
    this.#agent = this.#secure
      ? new HttpsAgent({ ...options, rejectUnauthorized: false }) // test servers have self-signed certificates
      : new HttpAgent(options);
  }

  get #secure(): boolean {
    return this.#base.protocol === "https:";
  }

  async send(call: Call): Promise<Reply> {
    const { response } = await this.#open(call);
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    const raw = bytes.toString("utf8");
    return { status: response.statusCode ?? 0, headers: response.headers, bytes, raw, body: parseJson(raw) };
  }

  async watch(call: Call): Promise<TargetWatch> {
    const { request, response } = await this.#open(call);
    return new TargetWatch(request, response);
  }

  close(): void {
    this.#agent.destroy();
  }

  #open(call: Call): Promise<{ request: ClientRequest; response: IncomingMessage }> {
    const method = call.method ?? "GET";
    const payload =
      call.bytes ?? call.text ?? (call.body === undefined ? undefined : JSON.stringify(call.body));
    const open = this.#secure ? httpsRequest : httpRequest;
    return new Promise((resolve, reject) => {
      const request = open({
        agent: this.#agent,
        host: this.#base.hostname,
        port: this.#base.port,
        method,
        path: call.path,
        headers: this.#headersFor(call, payload),
      });
      request.setTimeout(ANSWER_TIMEOUT_MS, () =>
        request.destroy(new Error(`${method} ${call.path} was not answered in ${ANSWER_TIMEOUT_MS} ms`)),
      );
      request.once("response", (response) => resolve({ request, response }));
      request.on("error", reject);
      request.end(payload);
    });
  }

  #headersFor(call: Call, payload: string | Uint8Array | undefined): Record<string, string | number> {
    const headers: Record<string, string | number> = {
      "user-agent": USER_AGENT,
      accept: "application/json",
      ...(this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` }),
      ...(payload === undefined ? {} : { "content-type": "application/json" }),
      ...call.headers,
      ...(payload === undefined ? {} : { "content-length": Buffer.byteLength(payload) }),
    };
    if (headers["authorization"] === "") delete headers["authorization"];
    if (payload !== undefined && headers["content-type"] === "") delete headers["content-type"];
    return headers;
  }
}

/** One open watch. It buffers events until take() returns them. */
export class TargetWatch {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly #request: ClientRequest;
  #events: unknown[] = [];
  #ended = false;
  #unfinished = "";
  #wake: () => void = () => {};

  constructor(request: ClientRequest, response: IncomingMessage) {
    this.status = response.statusCode ?? 0;
    this.headers = response.headers;
    this.#request = request;
    response.setEncoding("utf8");
    response.on("data", (text: string) => this.#receive(text));
    const end = () => {
      this.#ended = true;
      this.#wake();
    };
    for (const name of ["end", "close", "error"]) response.on(name, end);
    request.on("error", end);
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Waits until count events have arrived, the stream has ended, or the time has expired. */
  waitForEvents(count: number, timeoutMs: number): Promise<void> {
    return this.#waitUntil(() => this.#ended || this.#events.length >= count, timeoutMs);
  }

  waitForEnd(timeoutMs: number): Promise<void> {
    return this.#waitUntil(() => this.#ended, timeoutMs);
  }

  take(): unknown[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  close(): void {
    this.#request.destroy();
  }

  #receive(text: string): void {
    const lines = (this.#unfinished + text).split("\n");
    this.#unfinished = lines.pop() ?? "";
    for (const line of lines) {
      if (line.trim() !== "") this.#events.push(parseJson(line) ?? { unparsed: line });
    }
    this.#wake();
  }

  async #waitUntil(reached: () => boolean, timeoutMs: number): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    while (!reached() && Date.now() < deadline) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, deadline - Date.now());
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#wake = () => {};
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
