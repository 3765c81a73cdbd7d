// The targets of webhooks in their configurations, and the contract of the client that sends requests to them, over TLS.

import { cleanPath, escapePlainPath, hostnameOf, parseUrl, plainPathOf, portOf } from "../go/url.ts";
import { readCaBundle, rootsComplaint } from "../go/x509/ca-bundle.ts";
import { isLoopback, parseIp } from "../meta/ip.ts";
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

interface Place {
  /** With the port, if one is given. */
  readonly authority: string;
  readonly hostname: string;
  readonly port: number;
  /** Not cleaned and without escapes. */
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

/** Path and query of a request, as client-go joins them. */
const requestPath = ({ path }: Place, timeoutSeconds: number): string =>
  `${escapePlainPath(cleanPath(path))}?timeout=${timeoutSeconds}s`;

/** The URL as messages show it. */
export function shownUrl(target: WebhookTarget, timeoutSeconds: number): string {
  const place = placeOf(target);
  return `https://${place.authority}${requestPath(place, timeoutSeconds)}`;
}

/** Where a Service is reached. */
export interface ServiceAddress {
  readonly host: string;
  readonly port: number;
}

/** Where a request goes. `resolve` finds an address of a Service, or throws an Error that says why there is none. */
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

/** A host to which client-go speaks HTTP/2, too: others could not balance the load of single requests. */
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
  /** Whose certificate is expected. */
  readonly servername: string;
  /** The Host header. */
  readonly authority: string;
  /** The certificate of a server to which the request is redirected must be for the same name. */
  readonly keepsName: boolean;
  readonly offersHttp2: boolean;
  /** PEM; undefined: the roots of the system. */
  readonly ca: string | undefined;
  readonly body: string;
  readonly timeoutMs: number;
}

export interface WebhookAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
  /** Reads the body as YAML; without it every body is read as JSON. Rejects with an Error in the words of go-yaml. */
  readonly readYaml?: () => Promise<unknown>;
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
