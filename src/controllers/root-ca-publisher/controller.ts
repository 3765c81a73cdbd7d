// The ConfigMap `kube-root-ca.crt` of every namespace: the certificate authority by which pods know the API server. A
// server that speaks plain HTTP has none; the ConfigMap is there all the same, with an empty `ca.crt`, as
// kube-controller-manager makes it when its kubeconfig names no authority.
import { equalJson } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { Controller, ControllerDeps } from "../runtime/controller.ts";
import { keepInEachNamespace } from "../runtime/in-each-namespace.ts";

const NAME = "kube-root-ca.crt";
const DESCRIPTION = "kubernetes.io/description";
const TEXT = "The certificate authority by which clients inside the cluster can verify this API server.";

export function createRootCaPublisher(deps: ControllerDeps): Controller {
  const data = { "ca.crt": deps.authority ?? "" };
  const fresh = (namespace: string): KubeObject => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: NAME, namespace, annotations: { [DESCRIPTION]: TEXT } },
    data,
  });
  return keepInEachNamespace(deps, {
    controller: "root-ca-publisher",
    resource: { group: "", version: "v1", resource: "configmaps" },
    name: NAME,
    desired: (namespace, live) => {
      if (!live) return fresh(namespace);
      const described = live.metadata.annotations?.[DESCRIPTION];
      if (described && equalJson(live["data"], data)) return undefined;
      const annotations = { ...live.metadata.annotations, [DESCRIPTION]: described || TEXT };
      return { ...live, metadata: { ...live.metadata, annotations }, data };
    },
  });
}
