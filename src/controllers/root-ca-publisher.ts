// The ConfigMap `kube-root-ca.crt` of every namespace: the certificate authority by which pods know the API server. A
// server that speaks plain HTTP has none; the ConfigMap is there all the same, with an empty `ca.crt`, as
// kube-controller-manager makes it when its kubeconfig names no authority.
import { equalJson } from "../meta/json.ts";
import { ensureInEachNamespace } from "./kit/in-each-namespace.ts";

const NAME = "kube-root-ca.crt";
const DESCRIPTION = "kubernetes.io/description";
const TEXT = "The certificate authority by which clients inside the cluster can verify this API server.";

export const rootCaPublisher = ensureInEachNamespace({
  name: "root-ca-publisher",
  summary: "the ConfigMap kube-root-ca.crt in every namespace",
  fieldManager: "kube-controller-manager",
  offByDefault: true,
  resource: { group: "", version: "v1", resource: "configmaps" },
  object: NAME,
  desired: (namespace, live, { authority = "" }) => {
    const data = { "ca.crt": authority };
    if (!live) {
      const metadata = { name: NAME, namespace, annotations: { [DESCRIPTION]: TEXT } };
      return { apiVersion: "v1", kind: "ConfigMap", metadata, data };
    }
    const described = live.metadata.annotations?.[DESCRIPTION];
    if (described && equalJson(live["data"], data)) return undefined;
    const annotations = { ...live.metadata.annotations, [DESCRIPTION]: described || TEXT };
    return { ...live, metadata: { ...live.metadata, annotations }, data };
  },
});
