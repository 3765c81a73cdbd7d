// The targets of webhooks in their configurations, and the contract of the client that sends requests to them, over TLS.
import { readCaBundle, rootsComplaint } from "../go/x509/ca-bundle.ts";
import { type JsonObject, numberAt, objectAt, textAt } from "../meta/json.ts";

const HTTPS_PORT = 443;

export interface WebhookService {
  readonly namespace: string;
  readonly name: string;
  readonly path: string;
  readonly port: number;
}

export interface WebhookTarget {
  /** "" when it is behind a Service. */
  readonly url: string;
  readonly service: WebhookService | undefined;
  /** Base64 of PEM; "": the roots of the system. */
  readonly caBundle: string;
}

/** The target that a clientConfig names. */
export function readTarget(client: JsonObject): WebhookTarget {
  const service = objectAt(client, "service");
  return {
    url: textAt(client, "url"),
    caBundle: textAt(client, "caBundle"),
    service: service && {
      namespace: textAt(service, "namespace"),
      name: textAt(service, "name"),
      path: textAt(service, "path"),
      port: numberAt(service, "port") ?? HTTPS_PORT,
    },
  };
}

const hostOf = ({ namespace, name }: WebhookService): string => `${name}.${namespace}.svc`;
const pathOf = ({ path }: WebhookService): string =>
  path === "" || path.startsWith("/") ? path : `/${path}`;

const queryOf = (timeoutSeconds: number): string => `?timeout=${timeoutSeconds}s`;

/** The URL as messages show it. */
export function shownUrl({ url, service }: WebhookTarget, timeoutSeconds: number): string {
  const base = service ? `https://${hostOf(service)}:${service.port}${pathOf(service)}` : url;
  return base + queryOf(timeoutSeconds);
}

/** Where a request goes. `hostBehind` finds a Service's address, or throws an Error that says why there is none. */
export function destinationOf(
  { url, service, caBundle }: WebhookTarget,
  timeoutSeconds: number,
  hostBehind: (service: WebhookService) => string,
): Omit<WebhookPost, "body" | "timeoutMs"> {
  const ca = caBundle === "" ? undefined : decodeCaBundle(caBundle);
  const query = queryOf(timeoutSeconds);
  if (service !== undefined) {
    const path = `${pathOf(service) || "/"}${query}`;
    return { host: hostBehind(service), port: service.port, path, servername: hostOf(service), ca };
  }
  const { hostname, port, pathname } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  return { host, port: Number(port || HTTPS_PORT), path: `${pathname}${query}`, servername: host, ca };
}

export interface WebhookPost {
  readonly host: string;
  readonly port: number;
  /** With the query. */
  readonly path: string;
  /** Whose certificate is expected. */
  readonly servername: string;
  /** PEM; undefined: the roots of the system. */
  readonly ca: string | undefined;
  readonly body: string;
  readonly timeoutMs: number;
}

export interface WebhookAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
}

/** What an Error says when the time is up. */
export const DEADLINE_EXCEEDED = "context deadline exceeded";

/** Rejects with node's error of the network, or with an Error whose message says what went wrong. */
export type PostWebhook = (post: WebhookPost) => Promise<WebhookAnswer>;

/** The bundle as PEM; the schema has found it to be base64. */
const decodeCaBundle = (base64: string): string => Buffer.from(base64, "base64").toString("latin1");

/** Why a CustomResourceDefinition may not have the bundle, in the words of client-go; undefined: it may, or there is none. */
export function caBundleError(base64: string): string | undefined {
  if (base64 === "") return undefined;
  const { certificates, firstError } = readCaBundle(decodeCaBundle(base64));
  if (firstError !== undefined) return firstError;
  return certificates.length === 0 ? "data does not contain any valid RSA or ECDSA certificates" : undefined;
}

/** Why no request can be sent with the bundle, in the words of client-go; undefined: it can. */
export const clientError = ({ caBundle }: WebhookTarget): string | undefined => {
  const error = caBundle === "" ? undefined : rootsComplaint(decodeCaBundle(caBundle));
  return error === undefined ? undefined : `unable to load root certificates: ${error}`;
};
