// The ConfigMap from which extension API servers read the trusted client CA and front proxy headers of this server,
// as in a kube-apiserver (pkg/controlplane/controller/clusterauthenticationtrust).

import { equalJson, objectAt } from "../apimachinery/json/json.ts";
import type { RequestHeaderOptions } from "../apiserver/authentication/request-header.ts";
import { type Client, presentObject, type ResourceName } from "../controller/client.ts";

const CONFIG_MAPS: ResourceName = { group: "", version: "v1", resource: "configmaps" };
export const INFO = { namespace: "kube-system", name: "extension-apiserver-authentication" };

export interface ClientAuthorities {
  /** The CA bundle of client certificates, in PEM. */
  readonly clientCa: string;
  /** The front proxies whose headers are trusted; undefined: none. */
  readonly requestHeader?: RequestHeaderOptions | undefined;
  /** PEM of the CA to publish without a configured front proxy. */
  frontProxyAuthority(): string;
}

/** The names that kubeadm configures. */
const USUAL = {
  allowedNames: ["front-proxy-client"],
  usernameHeaders: ["X-Remote-User"],
  uidHeaders: [],
  groupHeaders: ["X-Remote-Group"],
  extraPrefixes: ["X-Remote-Extra-"],
};

const headerData = ({ uidHeaders, ...of }: Omit<RequestHeaderOptions, "ca">) => ({
  "requestheader-allowed-names": of.allowedNames,
  "requestheader-extra-headers-prefix": of.extraPrefixes,
  "requestheader-group-headers": of.groupHeaders,
  "requestheader-username-headers": of.usernameHeaders,
  ...(uidHeaders.length === 0 ? {} : { "requestheader-uid-headers": uidHeaders }),
});

/** Creates the ConfigMap, or adds missing entries: CAs and names of other servers are kept. */
export async function ensureAuthenticationInfo(client: Client, of: ClientAuthorities): Promise<void> {
  const stored = await presentObject(client, CONFIG_MAPS, INFO, [404]);
  const present = stored && objectAt(stored, "data");
  const texts = (name: string): string => {
    const text = present?.[name];
    return typeof text === "string" ? text : "";
  };
  const data: Record<string, unknown> = {
    ...present,
    "client-ca-file": withCertificate(texts("client-ca-file"), of.clientCa),
    "requestheader-client-ca-file": withCertificate(
      texts("requestheader-client-ca-file"),
      of.requestHeader?.ca ?? of.frontProxyAuthority(),
    ),
  };
  for (const [name, values] of Object.entries(headerData(of.requestHeader ?? USUAL)))
    data[name] = withValues(texts(name), values);
  if (stored === undefined)
    await client.create(CONFIG_MAPS, { apiVersion: "v1", kind: "ConfigMap", metadata: { ...INFO }, data });
  else if (!equalJson(present, data)) await client.update(CONFIG_MAPS, { ...stored, data });
}

function withCertificate(bundle: string, certificate: string): string {
  if (bundle.includes(certificate.trim())) return bundle;
  return bundle === "" || bundle.endsWith("\n") ? bundle + certificate : `${bundle}\n${certificate}`;
}

function withValues(text: string, values: readonly string[]): string {
  const present = listIn(text);
  const missing = values.filter((value) => !present.includes(value));
  return missing.length === 0 && text !== "" ? text : JSON.stringify([...present, ...missing]);
}

function listIn(text: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
  } catch {
    return [];
  }
}
