// POST to a conversion webhook, over TLS only. Failures read as those of the Go client that a real server has, since
// people search for these texts.

import { describeNetworkError, describeStatus } from "../go/client-errors.ts";
import { type JsonObject, numberAt, objectAt, objectsAt, textAt } from "../meta/json.ts";
import { decodeJson } from "../meta/json-decode.ts";
import { encodeJson } from "../meta/json-encode.ts";
import { decodeStored } from "../registry/codec/object-codec.ts";
import type { ResourceStore } from "../registry/resource-store.ts";
import {
  DEADLINE_EXCEEDED,
  decodeCaBundle,
  type PostWebhook,
  type WebhookAnswer,
  type WebhookPost,
} from "../registry/webhook.ts";

export interface WebhookTarget {
  /** "" when it is a Service. */
  readonly url: string;
  /** Base64 of PEM; "": the roots of the system. */
  readonly caBundle: string;
  readonly service: ServiceTarget | undefined;
}

interface ServiceTarget {
  readonly namespace: string;
  readonly name: string;
  readonly path: string;
  readonly port: number;
}

const HTTPS_PORT = 443;
const TIMEOUT_SECONDS = 30;
const QUERY = `?timeout=${TIMEOUT_SECONDS}s`;

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

/** Sends JSON and gives what came back. Rejects with an Error that says what went wrong. */
export type CallWebhook = (target: WebhookTarget, body: unknown) => Promise<unknown>;

export function webhookCaller(post: PostWebhook, resources: ResourceStore): CallWebhook {
  return async (target, body) => {
    let answer: WebhookAnswer;
    try {
      const timeoutMs = TIMEOUT_SECONDS * 1000;
      answer = await post({ ...destinationOf(target, resources), body: encodeJson(body), timeoutMs });
      if (answer.status >= 200 && answer.status <= 206) return decodeJson(answer.body).value;
    } catch (error) {
      const text = describeNetworkError(error);
      const more = text === DEADLINE_EXCEEDED ? " (Client.Timeout exceeded while awaiting headers)" : "";
      throw new Error(`Post ${JSON.stringify(`${urlOf(target)}${QUERY}`)}: ${text}${more}`, { cause: error });
    }
    throw new Error(describeStatus(answer.status, answer.contentType, answer.body));
  };
}

const hostOf = ({ namespace, name }: ServiceTarget): string => `${name}.${namespace}.svc`;
const pathOf = ({ path }: ServiceTarget): string => (path.startsWith("/") || path === "" ? path : `/${path}`);

const urlOf = ({ url, service }: WebhookTarget): string =>
  service ? `https://${hostOf(service)}:${service.port}${pathOf(service)}` : url;

type Destination = Omit<WebhookPost, "body" | "timeoutMs">;

function destinationOf({ url, service, caBundle }: WebhookTarget, resources: ResourceStore): Destination {
  const ca = caBundle === "" ? undefined : decodeCaBundle(caBundle);
  if (service !== undefined) {
    const path = `${pathOf(service) || "/"}${QUERY}`;
    return { host: addressOf(service, resources), port: service.port, path, servername: hostOf(service), ca };
  }
  const { hostname, port, pathname } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  return { host, port: Number(port || HTTPS_PORT), path: `${pathname}${QUERY}`, servername: host, ca };
}

/** Where a Service is: an external name, else its cluster address. Throws an Error. */
function addressOf({ namespace, name, port }: ServiceTarget, resources: ResourceStore): string {
  const view = resources.registry.findStorage("", "services");
  const kv = view && resources.find({ view, namespace, name });
  const spec = objectAt(kv && decodeStored(kv), "spec");
  if (spec === undefined) throw new Error(`service ${JSON.stringify(name)} not found`);
  if (spec["type"] === "ExternalName") return textAt(spec, "externalName");
  if (objectsAt(spec, "ports").some((item) => item["port"] === port)) return textAt(spec, "clusterIP");
  throw new Error(`no service port ${port} found for service ${JSON.stringify(name)}`);
}
