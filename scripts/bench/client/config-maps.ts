// ConfigMaps in namespaces of the bench: a namespaced kind that every server has.
import { JSON_BODY, MERGE_BODY, OURS_LABEL } from "./egress-ips.ts";
import { requestBytes } from "./http-connection.ts";
import { SEQ_LABEL, seqValue } from "./seq-mark.ts";
import { ask, type ServerAccess } from "./server-access.ts";

const CONFLICT = 409;

export const namespaceName = (number: number): string => `egret-bench-${number}`;

export const configMaps = (namespace: number): string =>
  `/api/v1/namespaces/${namespaceName(namespace)}/configmaps`;

/** Existing namespaces are kept: a server without controllers could not remove them. */
export async function createNamespaces(access: ServerAccess, count: number): Promise<void> {
  for (let number = 0; number < count; number++) {
    const body = {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: namespaceName(number) },
    };
    const { status, text } = await ask(access, "/api/v1/namespaces", {
      method: "POST",
      body,
    });
    if (status >= 300 && status !== CONFLICT)
      throw new Error(`a namespace was answered with ${status}: ${text}`);
  }
}

export function createConfigMapRequest(namespace: number, name: string): string {
  const object = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, labels: { [OURS_LABEL]: "true" } },
    data: { text: "x".repeat(200) },
  };
  return requestBytes("POST", configMaps(namespace), JSON_BODY, JSON.stringify(object));
}

/** A merge patch that writes the number into a label. */
export function markConfigMapRequest(namespace: number, name: string, seq: number): string {
  const patch = { metadata: { labels: { [SEQ_LABEL]: seqValue(seq) } } };
  return requestBytes("PATCH", `${configMaps(namespace)}/${name}`, MERGE_BODY, JSON.stringify(patch));
}
