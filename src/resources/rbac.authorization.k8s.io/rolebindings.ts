// RoleBinding: gives the rights of a role to subjects, inside one namespace.
import { builtIn } from "../define.ts";
import { BINDING_COLUMNS, bindingStrategy, printBinding } from "./bindings.ts";

export const roleBindings = builtIn("rbac.authorization.k8s.io/v1", "RoleBinding", {
  columns: BINDING_COLUMNS,
  printRow: printBinding,
  strategy: bindingStrategy(["Role", "ClusterRole"]),
});
