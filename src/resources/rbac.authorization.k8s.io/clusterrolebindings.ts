// ClusterRoleBinding: gives the rights of a cluster role to subjects, in the whole cluster.
import { builtIn } from "../define.ts";
import { BINDING_COLUMNS, bindingStrategy, printBinding, RBAC_GROUP } from "./bindings.ts";

export const clusterRoleBindings = builtIn({
  type: "io.k8s.api.rbac.v1.ClusterRoleBinding",
  group: RBAC_GROUP,
  version: "v1",
  resource: "clusterrolebindings",
  namespaceScoped: false,
  columns: BINDING_COLUMNS,
  printRow: printBinding,
  strategy: bindingStrategy(["ClusterRole"]),
});
