// The ServiceAccount `default` of every namespace, under which pods run that name no other.
import { ensureInEachNamespace } from "./kit/in-each-namespace.ts";

const NAME = "default";

export const serviceAccount = ensureInEachNamespace({
  name: "serviceaccount",
  summary: "the default ServiceAccount of every namespace",
  fieldManager: "kube-controller-manager",
  offByDefault: true,
  resource: { group: "", version: "v1", resource: "serviceaccounts" },
  object: NAME,
  desired: (namespace, live) =>
    live ? undefined : { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: NAME, namespace } },
});
