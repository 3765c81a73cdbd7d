// POST to a webhook, over TLS only. Failures read as those of the Go client that a real server has, since people search
// for these texts.

import { describeNetworkError, describeStatus } from "../../go/client-errors.ts";
import { decodeJson } from "../../meta/json-decode.ts";
import { encodeJson } from "../../meta/json-encode.ts";
import {
  DEADLINE_EXCEEDED,
  decodeCaBundle,
  type PostWebhook,
  type WebhookPost,
} from "../../registry/webhook.ts";

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
const QUERY = `?timeout=${TIMEOUT_SECONDS}s`;

type Destination = Pick<WebhookPost, "host" | "port" | "path" | "servername" | "ca">;

export function webhookCaller(post: PostWebhook, resolveService: ResolveService): CallWebhook {
  return async (target, body) => {
    const shown = `Post ${JSON.stringify(`${urlOf(target)}${QUERY}`)}`;
    const timeoutMs = TIMEOUT_SECONDS * 1000;
    try {
      const destination = destinationOf(target, resolveService);
      const answer = await post({ ...destination, body: encodeJson(body), timeoutMs });
      const { status, contentType } = answer;
      if (status < 200 || status > 206)
        throw new HttpStatusError(describeStatus(status, contentType, answer.body));
      return decodeJson(answer.body).value;
    } catch (error) {
      if (error instanceof HttpStatusError) throw new Error(error.message, { cause: error });
      throw new Error(`${shown}: ${describe(error)}`, { cause: error });
    }
  };
}

function describe(error: unknown): string {
  const text = describeNetworkError(error);
  return text === DEADLINE_EXCEEDED ? `${text} (Client.Timeout exceeded while awaiting headers)` : text;
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
    return { ...resolveService(service), path: `${pathOf(service.path) || "/"}${QUERY}`, servername, ca };
  }
  const { hostname, port, pathname } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  return { host, port: Number(port || 443), path: `${pathname}${QUERY}`, servername: host, ca };
}

class HttpStatusError extends Error {}
