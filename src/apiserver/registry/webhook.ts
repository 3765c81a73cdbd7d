// Targets of webhooks in their configurations, and the interface of the TLS client that calls them.

import {
  cleanPath,
  escapePlainPath,
  hostnameOf,
  parseUrl,
  plainPathOf,
  portOf,
} from "../../apimachinery/go/url.ts";
import { readCaBundle, rootsComplaint } from "../../apimachinery/go/x509/ca-bundle.ts";
import { type JsonObject, numberAt, objectAt, textAt } from "../../apimachinery/json/json.ts";
import { isLoopback, parseIp } from "../../apimachinery/meta/ip.ts";

const HTTPS_PORT = 443;

export interface WebhookService {
  readonly namespace: string;
  readonly name: string;
  readonly path: string;
  readonly port: number;
}

export interface WebhookTarget {
  /** "" when the target is a Service. */
  readonly url: string;
  readonly service: WebhookService | undefined;
  /** Base64 of PEM; "": the system's root CAs. */
  readonly caBundle: string;
}

/** The target of a clientConfig. */
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

interface Place {
  /** Host, with the port if one is given. */
  readonly authority: string;
  readonly hostname: string;
  readonly port: number;
  /** Unescaped and not cleaned. */
  readonly path: string;
}

function placeOf({ url, service }: WebhookTarget): Place {
  if (service !== undefined) {
    const { port, path } = service;
    return { authority: `${hostOf(service)}:${port}`, hostname: hostOf(service), port, path };
  }
  const parsed = parseUrl(url);
  if (typeof parsed === "string") throw new Error(`Unparsable URL: ${parsed}`);
  const port = Number(portOf(parsed) || HTTPS_PORT);
  return { authority: parsed.host, hostname: hostnameOf(parsed), port, path: plainPathOf(parsed) };
}

/** Path and query of a request, joined as by client-go. */
const requestPath = ({ path }: Place, timeoutSeconds: number): string =>
  `${escapePlainPath(cleanPath(path))}?timeout=${timeoutSeconds}s`;

/** The URL in messages. */
export function shownUrl(target: WebhookTarget, timeoutSeconds: number): string {
  const place = placeOf(target);
  return `https://${place.authority}${requestPath(place, timeoutSeconds)}`;
}

/** Address of a Service's endpoint. */
export interface ServiceAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * Destination of a request. `resolve` returns an address of a Service, or throws an Error with the reason why there is
 * none.
 */
export function destinationOf(
  target: WebhookTarget,
  timeoutSeconds: number,
  resolve: (service: WebhookService) => ServiceAddress,
): Omit<WebhookPost, "body" | "timeoutMs"> {
  const { service, caBundle } = target;
  const place = placeOf(target);
  const { authority, hostname, port } = place;
  return {
    ...(service === undefined ? { host: hostname, port } : resolve(service)),
    ...{ authority, servername: hostname, path: requestPath(place, timeoutSeconds) },
    keepsName: service !== undefined,
    offersHttp2: service === undefined && isLocal(hostname),
    ca: caBundle === "" ? undefined : decodeCaBundle(caBundle),
  };
}

/**
 * Hosts for which client-go also offers HTTP/2. For other hosts it does not, so that load balancers can balance single
 * requests.
 */
function isLocal(hostname: string): boolean {
  if (hostname.toLowerCase() === "localhost") return true;
  const address = parseIp(hostname);
  return address !== undefined && isLoopback(address);
}

export interface WebhookPost {
  readonly host: string;
  readonly port: number;
  /** With the query. */
  readonly path: string;
  /** Server name that the certificate must match. */
  readonly servername: string;
  /** The Host header. */
  readonly authority: string;
  /** After a redirect the certificate must match the same server name. */
  readonly keepsName: boolean;
  readonly offersHttp2: boolean;
  /** PEM; undefined: the system's root CAs. */
  readonly ca: string | undefined;
  readonly body: string;
  readonly timeoutMs: number;
}

export interface WebhookAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
  /** Decodes the body as YAML; without it every body is decoded as JSON. Rejects with an Error in the words of go-yaml. */
  readonly readYaml?: () => Promise<unknown>;
}

/** Message of an Error at the timeout. */
export const DEADLINE_EXCEEDED = "context deadline exceeded";

/** Rejects with node's network error, or with an Error whose message describes the failure. */
export type PostWebhook = (post: WebhookPost) => Promise<WebhookAnswer>;

/** The CA bundle as PEM; schema validation has checked that it is base64. */
const decodeCaBundle = (base64: string): string => Buffer.from(base64, "base64").toString("latin1");

/**
 * Reason why a CustomResourceDefinition may not have the CA bundle, in the words of client-go; undefined: it is valid or
 * empty.
 */
export function caBundleError(base64: string): string | undefined {
  if (base64 === "") return undefined;
  const { certificates, firstError } = readCaBundle(decodeCaBundle(base64));
  if (firstError !== undefined) return firstError;
  return certificates.length === 0 ? "data does not contain any valid RSA or ECDSA certificates" : undefined;
}

/** Reason why no request can be sent with the CA bundle, in the words of client-go; undefined: it is usable. */
export const clientError = ({ caBundle }: WebhookTarget): string | undefined => {
  const error = caBundle === "" ? undefined : rootsComplaint(decodeCaBundle(caBundle));
  return error === undefined ? undefined : `unable to load root certificates: ${error}`;
};
