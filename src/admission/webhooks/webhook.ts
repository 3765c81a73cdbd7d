// Webhooks in the form in which they are asked, and where they are. One behind a Service can be reached only when the
// Service stands for a name outside of the cluster: there is no network of a cluster here.
import { type JsonObject, numberAt, objectAt, objectsAt, textAt, textsAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { decodeStored } from "../../registry/codec/object-codec.ts";
import { decodeCaBundle, type WebhookPost } from "../../registry/webhook.ts";
import type { AdmissionDeps } from "../deps.ts";
import { compileMatchConditions, type MatchConditions } from "../expressions/activation.ts";
import { type Matching, readWebhookMatching } from "../matching.ts";

const TIMEOUT_SECONDS = 10;
const HTTPS_PORT = 443;
const FORMS = ["v1", "v1beta1"];

interface WebhookService {
  readonly namespace: string;
  readonly name: string;
  readonly path: string;
  readonly port: number;
}

export interface Webhook {
  readonly name: string;
  /** Tells it from all others. */
  readonly key: string;
  readonly matching: Matching;
  readonly conditions: MatchConditions;
  /** "" when it is behind a Service. */
  readonly url: string;
  readonly service: WebhookService | undefined;
  /** Base64 of PEM; "": the roots of the system. */
  readonly caBundle: string;
  readonly timeoutSeconds: number;
  /** Failures to ask it are passed over. */
  readonly ignoreFailures: boolean;
  readonly sideEffects: string;
  /** The form of reviews that both sides speak; undefined: there is none. */
  readonly form: string | undefined;
  readonly reinvoked: boolean;
}

export function readWebhooks(configuration: Readonly<KubeObject>): Webhook[] {
  const { name = "" } = configuration.metadata;
  return objectsAt(configuration, "webhooks").map((webhook, index) =>
    readWebhook(webhook, `${name}/${index}`),
  );
}

function readWebhook(webhook: JsonObject, key: string): Webhook {
  const client = objectAt(webhook, "clientConfig") ?? {};
  const service = objectAt(client, "service");
  return {
    name: textAt(webhook, "name"),
    key,
    matching: readWebhookMatching(webhook),
    conditions: compileMatchConditions(webhook, { params: false }),
    url: textAt(client, "url"),
    caBundle: textAt(client, "caBundle"),
    service: service && {
      namespace: textAt(service, "namespace"),
      name: textAt(service, "name"),
      path: textAt(service, "path"),
      port: numberAt(service, "port") ?? HTTPS_PORT,
    },
    timeoutSeconds: numberAt(webhook, "timeoutSeconds") ?? TIMEOUT_SECONDS,
    ignoreFailures: webhook["failurePolicy"] === "Ignore",
    sideEffects: textAt(webhook, "sideEffects"),
    form: textsAt(webhook, "admissionReviewVersions").find((version) => FORMS.includes(version)),
    reinvoked: webhook["reinvocationPolicy"] === "IfNeeded",
  };
}

/** The URL as messages show it. */
export function shownUrl({ url, service, timeoutSeconds }: Webhook): string {
  const base = service ? `https://${hostOf(service)}:${service.port}${pathOf(service)}` : url;
  return `${base}?timeout=${timeoutSeconds}s`;
}

const hostOf = ({ namespace, name }: WebhookService): string => `${name}.${namespace}.svc`;
const pathOf = ({ path }: WebhookService): string =>
  path === "" || path.startsWith("/") ? path : `/${path}`;

type Destination = Omit<WebhookPost, "body" | "timeoutMs">;

/** Throws an Error that says why there is no way to it. */
export function destinationOf(
  { url, service, caBundle, timeoutSeconds }: Webhook,
  deps: AdmissionDeps,
): Destination {
  const ca = caBundle === "" ? undefined : decodeCaBundle(caBundle);
  const query = `?timeout=${timeoutSeconds}s`;
  if (service !== undefined) {
    const path = `${pathOf(service) || "/"}${query}`;
    return { host: hostBehind(service, deps), port: service.port, path, servername: hostOf(service), ca };
  }
  const { hostname, port, pathname } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  return { host, port: Number(port || HTTPS_PORT), path: `${pathname}${query}`, servername: host, ca };
}

function hostBehind({ namespace, name }: WebhookService, { store }: AdmissionDeps): string {
  const kv = store.get(`/registry/services/specs/${namespace}/${name}`);
  if (kv === undefined) throw new Error(`service ${JSON.stringify(name)} not found`);
  const spec = objectAt(decodeStored(kv), "spec");
  const host = textAt(spec, "externalName");
  if (spec?.["type"] === "ExternalName" && host !== "") return host;
  throw new Error(`no endpoints available for service ${JSON.stringify(name)}`);
}
