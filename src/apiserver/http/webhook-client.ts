// Outgoing requests: POST to webhooks, over TLS only, as the HTTP client of a kube-apiserver sends them. It follows
// redirects, and retries when Retry-After demands it. Network errors keep Node's form.
import { ExchangeError } from "../../apimachinery/go/client-errors.ts";
import type { Clock } from "../../apimachinery/meta/clock.ts";
import type { Workers } from "../../apimachinery/workers/job.ts";
import { Connections } from "./webhooks/connections.ts";
import { exchange, type RawAnswer, type WebhookRequest } from "./webhooks/exchange.ts";
import { redirectedBy } from "./webhooks/redirects.ts";
import { readYamlAnswer } from "./webhooks/yaml-answer.ts";

/** One request; the registry, which calls webhooks, declares the same shape. */
interface Post {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly servername: string;
  /** The Host header. */
  readonly authority: string;
  /** Whether the verified host name stays the same after a redirect. */
  readonly keepsName: boolean;
  readonly offersHttp2: boolean;
  readonly ca: string | undefined;
  readonly body: string;
  readonly timeoutMs: number;
}

interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
  readonly readYaml: () => Promise<unknown>;
}

/** The error text of a Go client, so that users find it by search. */
const TIMED_OUT = "context deadline exceeded";
/** client-go's default (rest/request.go). */
const RETRIES_MAX = 10;
/** The limit of Go's HTTP client. */
const REDIRECTS_MAX = 10;

/** `workers` decode long responses in YAML. */
export function createWebhookClient(
  clock: Clock,
  workers: () => Workers | undefined = () => undefined,
): (post: Post) => Promise<Answer> {
  const connections = new Connections(clock);
  return async (post) => {
    const ended = new AbortController();
    const timer = clock.after(post.timeoutMs, () => ended.abort());
    const { signal } = ended;
    try {
      const { status, headers, body } = await sendWithRetries(
        requestOf(post, signal),
        post,
        connections,
        clock,
      );
      return {
        status,
        contentType: headers["content-type"] ?? "",
        body,
        readYaml: () => readYamlAnswer(body, workers()),
      };
    } catch (error) {
      throw signal.aborted ? timedOut(error) : error;
    } finally {
      timer.cancel();
    }
  };
}

/** The error of a request that timed out. It keeps the URL of a redirect, and whether the body was being read. */
function timedOut(error: unknown): Error {
  return error instanceof ExchangeError ? error.because(new Error(TIMED_OUT)) : new Error(TIMED_OUT);
}

function requestOf(post: Post, signal: AbortSignal): WebhookRequest {
  const { host, port, path, authority, servername, ca, offersHttp2 } = post;
  return {
    ...{ method: "POST", authority, path, signal, body: Buffer.from(post.body), plain: undefined },
    peer: { host, port, servername, ca, offersHttp2 },
  };
}

/** The delay before the request is repeated: Retry-After of an answer with 429 or 5xx. */
function retryAfterMs({ status, headers }: RawAnswer): number | undefined {
  const given = headers["retry-after"];
  const isRetried = status === 429 || status >= 500;
  return isRetried && /^[+-]?\d+$/.test(given ?? "") ? Math.max(0, Number(given)) * 1000 : undefined;
}

async function sendWithRetries(
  request: WebhookRequest,
  post: Post,
  connections: Connections,
  clock: Clock,
): Promise<RawAnswer> {
  for (let attempt = 0; ; attempt++) {
    const answer = await follow(request, post, connections);
    const delayMs = retryAfterMs(answer);
    if (delayMs === undefined || attempt === RETRIES_MAX) return answer;
    await clock.sleep(delayMs, request.signal);
  }
}

/** Sends the request and follows redirects. */
async function follow(first: WebhookRequest, post: Post, connections: Connections): Promise<RawAnswer> {
  let request = first;
  let url: string | undefined;
  for (let redirects = 0; ; redirects++) {
    const answer = await exchange(request, connections).catch((error: unknown) => {
      throw url === undefined ? error : ExchangeError.at(url, error);
    });
    const next = redirectedBy(answer, request, post);
    if (next === undefined) return answer;
    url = next.url;
    if (redirects === REDIRECTS_MAX - 1)
      throw ExchangeError.at(next.location, new Error("stopped after 10 redirects"));
    request = next.request;
  }
}
