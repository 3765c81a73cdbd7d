// The ServiceAccount `default` of every namespace, under which pods run that name no other.
import { keepInEachNamespace } from "./kit/in-each-namespace.ts";

const NAME = "default";

export const serviceAccount = keepInEachNamespace({
  name: "serviceaccount",
  summary: "the default ServiceAccount of every namespace",
  fieldManager: "kube-controller-manager",
  offByDefault: true,
  resource: { group: "", version: "v1", resource: "serviceaccounts" },
  object: NAME,
  desired: (namespace, live) =>
    live ? undefined : { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: NAME, namespace } },
});
