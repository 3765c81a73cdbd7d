// Where a webhook is. One behind a Service can be reached only when the Service stands for a name outside of the cluster:
// there is no network of a cluster here.
import { objectAt, textOf } from "../../meta/json.ts";
import { decodeStored } from "../../registry/codec/object-codec.ts";
import { decodeCaBundle, type WebhookPost } from "../../registry/webhook.ts";
import type { AdmissionDeps } from "../deps.ts";
import type { Webhook, WebhookService } from "./webhook.ts";

export type Destination = Pick<WebhookPost, "host" | "port" | "path" | "servername" | "ca">;

/** The URL as messages show it. */
export function shownUrl({ url, service, timeoutSeconds }: Webhook): string {
  const base =
    service === undefined
      ? url
      : `https://${service.name}.${service.namespace}.svc:${service.port}${pathOf(service.path)}`;
  return `${base}?timeout=${timeoutSeconds}s`;
}

const pathOf = (path: string): string => (path === "" || path.startsWith("/") ? path : `/${path}`);

/** Throws an Error that says why there is no way to it. */
export function destinationOf(webhook: Webhook, deps: AdmissionDeps): Destination {
  const { url, service, caBundle, timeoutSeconds } = webhook;
  const ca = caBundle === "" ? undefined : decodeCaBundle(caBundle);
  const query = `?timeout=${timeoutSeconds}s`;
  if (service !== undefined) {
    const servername = `${service.name}.${service.namespace}.svc`;
    const path = `${pathOf(service.path) || "/"}${query}`;
    return { host: hostBehind(service, deps), port: service.port, path, servername, ca };
  }
  const { hostname, port, pathname } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  return { host, port: Number(port || 443), path: `${pathname}${query}`, servername: host, ca };
}

function hostBehind({ namespace, name }: WebhookService, { store }: AdmissionDeps): string {
  const kv = store.get(`/registry/services/specs/${namespace}/${name}`);
  if (kv === undefined) throw new Error(`service ${JSON.stringify(name)} not found`);
  const spec = objectAt(decodeStored(kv), "spec");
  const host = textOf(spec?.["externalName"]);
  if (spec?.["type"] === "ExternalName" && host !== "") return host;
  throw new Error(`no endpoints available for service ${JSON.stringify(name)}`);
}
