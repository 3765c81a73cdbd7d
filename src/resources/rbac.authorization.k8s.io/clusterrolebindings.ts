// ClusterRoleBinding: gives the rights of a cluster role to subjects, in the whole cluster.
import { builtIn } from "../define.ts";
import { BINDING_COLUMNS, bindingStrategy, printBinding } from "./bindings.ts";

export const clusterRoleBindings = builtIn("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", {
  namespaceScoped: false,
  columns: BINDING_COLUMNS,
  printRow: printBinding,
  strategy: bindingStrategy(["ClusterRole"]),
});
