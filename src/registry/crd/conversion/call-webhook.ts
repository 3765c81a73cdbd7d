// POST to a webhook, over TLS only. Failures read as those of the Go client that a real server has, since people search
// for these texts.
import { request as httpsRequest } from "node:https";
import type { Clock } from "../../../meta/clock.ts";
import { decodeJson } from "../../../meta/json-decode.ts";
import { encodeJson } from "../../../meta/json-encode.ts";
import { decodeCaBundle } from "../validation/ca-bundle.ts";
import { describeNetworkError, describeStatus } from "./go-client-errors.ts";

export interface WebhookTarget {
  /** "" when it is a Service. */
  readonly url: string;
  /** Base64 of PEM; "": the roots of the system. */
  readonly caBundle: string;
  readonly service: ServiceTarget | undefined;
}

export interface ServiceTarget {
  readonly namespace: string;
  readonly name: string;
  readonly path: string;
  readonly port: number;
}

/** Sends JSON and gives what came back. Rejects with an Error that says what went wrong. */
export type CallWebhook = (target: WebhookTarget, body: unknown) => Promise<unknown>;

/** The host and port behind a Service. Throws an Error. */
export type ResolveService = (service: ServiceTarget) => { readonly host: string; readonly port: number };

const TIMEOUT_SECONDS = 30;
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

interface Destination {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  /** Whose certificate is expected. */
  readonly servername: string;
  readonly ca: string | undefined;
}

export function webhookCaller(clock: Clock, resolveService: ResolveService): CallWebhook {
  return async (target, body) => {
    const shown = `Post ${JSON.stringify(`${urlOf(target)}?timeout=${TIMEOUT_SECONDS}s`)}`;
    try {
      const answer = await post(clock, destinationOf(target, resolveService), encodeJson(body));
      return decodeJson(answer).value;
    } catch (error) {
      if (error instanceof HttpStatusError) throw new Error(error.message, { cause: error });
      throw new Error(`${shown}: ${describeNetworkError(error)}`, { cause: error });
    }
  };
}

function urlOf({ url, service }: WebhookTarget): string {
  if (service === undefined) return url;
  return `https://${service.name}.${service.namespace}.svc:${service.port}${pathOf(service.path)}`;
}

const pathOf = (path: string): string => (path.startsWith("/") || path === "" ? path : `/${path}`);

function destinationOf(
  { url, service, caBundle }: WebhookTarget,
  resolveService: ResolveService,
): Destination {
  const ca = caBundle === "" ? undefined : decodeCaBundle(caBundle);
  if (service !== undefined) {
    const servername = `${service.name}.${service.namespace}.svc`;
    return { ...resolveService(service), path: pathOf(service.path) || "/", servername, ca };
  }
  const { hostname, port, pathname } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  return { host, port: Number(port || 443), path: pathname, servername: host, ca };
}

class HttpStatusError extends Error {}

function post(clock: Clock, destination: Destination, body: string): Promise<Buffer> {
  const { host, port, path, servername, ca } = destination;
  return new Promise((resolve, reject) => {
    const request = httpsRequest(
      {
        host,
        port,
        path: `${path}?timeout=${TIMEOUT_SECONDS}s`,
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, */*",
          "content-length": Buffer.byteLength(body),
        },
        ...(/^[\d.]+$|:/.test(servername) ? {} : { servername }),
        ...(ca === undefined ? {} : { ca }),
      },
      (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on("data", (chunk: Buffer) => {
          size += chunk.length;
          if (size > ANSWER_BYTES_MAX) request.destroy(new Error("the answer is too large"));
          else chunks.push(chunk);
        });
        response.on("error", reject);
        response.on("end", () => {
          const answer = Buffer.concat(chunks);
          const { statusCode = 0, headers } = response;
          if (statusCode >= 200 && statusCode <= 206) resolve(answer);
          else reject(new HttpStatusError(describeStatus(statusCode, headers["content-type"] ?? "", answer)));
        });
      },
    );
    const timer = clock.after(TIMEOUT_SECONDS * 1000, () => request.destroy(new Error(TIMED_OUT)));
    request.on("error", reject);
    request.on("close", () => timer.cancel());
    request.end(body);
  });
}

const TIMED_OUT = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)";
