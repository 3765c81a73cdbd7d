// RoleBinding: gives the rights of a role to subjects, inside one namespace.
import { builtIn } from "../define.ts";
import { BINDING_COLUMNS, bindingStrategy, printBinding, RBAC_GROUP } from "./bindings.ts";

export const roleBindings = builtIn({
  type: "io.k8s.api.rbac.v1.RoleBinding",
  group: RBAC_GROUP,
  version: "v1",
  resource: "rolebindings",
  namespaceScoped: true,
  columns: BINDING_COLUMNS,
  printRow: printBinding,
  strategy: bindingStrategy(["Role", "ClusterRole"]),
});
