// Controllers that maintain one object of a given name in every namespace. The object is created if it is missing,
// recreated after a deletion, and updated if it differs.

import { equalJson } from "../../apimachinery/json/json.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { core, isGoing, isNamespaceEnding, isOvertaken, NAMESPACES } from "../../controller/api.ts";
import type { ResourceName } from "../../controller/client.ts";
import { defineController } from "../../controller/define-controller.ts";
import type { DefinedController, Kit } from "../../controller/definition.ts";

interface InEachNamespace {
  readonly name: string;
  readonly summary: string;
  readonly resource: ResourceName;
  /** The name of the object, the same in every namespace. */
  readonly object: string;
  /** The desired object, derived from the live one; undefined if the live object needs no change. */
  desired(namespace: string, live: KubeObject | undefined, kit: Kit): KubeObject | undefined;
}

function ensureInEachNamespace(kept: InEachNamespace): DefinedController<undefined> {
  const { name, summary, resource, object } = kept;
  return defineController({
    name,
    summary,
    fieldManager: "kube-controller-manager",
    offByDefault: true,
    watches: {
      namespaces: { resource: NAMESPACES, on: ["add"] },
      objects: {
        resource,
        list: { fieldSelector: `metadata.name=${object}` },
        on: ["update", "delete"],
        toKeys: ({ object: { metadata } }) => [metadata.namespace],
      },
    },
    async reconcile(namespace, world) {
      const { namespaces, objects, client } = world;
      const found = namespaces.get(namespace);
      if (!found || isGoing(found)) return;
      const live = objects.get(`${namespace}/${object}`);
      const desired = kept.desired(namespace, live, world);
      if (!desired) return;
      try {
        await (live ? client.update(resource, desired) : client.create(resource, desired));
      } catch (error) {
        if (!isOvertaken(error) && !isNamespaceEnding(error)) throw error;
      }
    },
  });
}

/** The ServiceAccount of pods that specify none. */
const DEFAULT_ACCOUNT = "default";

export const serviceAccount = ensureInEachNamespace({
  name: "serviceaccount",
  summary: "the default ServiceAccount of every namespace",
  resource: core("serviceaccounts"),
  object: DEFAULT_ACCOUNT,
  desired: (namespace, live) =>
    live
      ? undefined
      : { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: DEFAULT_ACCOUNT, namespace } },
});

const ROOT_CA = "kube-root-ca.crt";
const DESCRIPTION = "kubernetes.io/description";
const TEXT = "The certificate authority by which clients inside the cluster can verify this API server.";

/**
 * A server with plain HTTP has no CA. The ConfigMap exists all the same, with an empty `ca.crt`, as
 * kube-controller-manager creates it when its kubeconfig has no CA.
 */
export const rootCaPublisher = ensureInEachNamespace({
  name: "root-ca-publisher",
  summary: "the ConfigMap kube-root-ca.crt in every namespace",
  resource: core("configmaps"),
  object: ROOT_CA,
  desired: (namespace, live, { authority = "" }) => {
    const data = { "ca.crt": authority };
    if (!live) {
      const metadata = { name: ROOT_CA, namespace, annotations: { [DESCRIPTION]: TEXT } };
      return { apiVersion: "v1", kind: "ConfigMap", metadata, data };
    }
    const described = live.metadata.annotations?.[DESCRIPTION];
    if (described && equalJson(live["data"], data)) return undefined;
    const annotations = { ...live.metadata.annotations, [DESCRIPTION]: described || TEXT };
    return { ...live, metadata: { ...live.metadata, annotations }, data };
  },
});
