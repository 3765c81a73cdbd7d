// The ServiceAccount `default` of every namespace, under which pods run that name no other.
import type { Controller, ControllerDeps } from "../runtime/controller.ts";
import { keepInEachNamespace } from "../runtime/in-each-namespace.ts";

const NAME = "default";

export function createServiceAccountController(deps: ControllerDeps): Controller {
  return keepInEachNamespace(deps, {
    controller: "serviceaccount",
    resource: { group: "", version: "v1", resource: "serviceaccounts" },
    name: NAME,
    desired: (namespace, live) =>
      live ? undefined : { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: NAME, namespace } },
  });
}
