// Role and ClusterRole: permissions in one namespace, or in the whole cluster. Rules of a ClusterRole with an
// aggregationRule are stored as given; the clusterrole-aggregation controller replaces them.

import { equalJson, type JsonObject, objectAt, objectsAt, textAt } from "../../apimachinery/json/json.ts";
import { invalid, notSupported, required } from "../../apimachinery/meta/field-error.ts";
import { isPathSegmentName } from "../../apimachinery/meta/names.ts";
import type {
  ResourceDefinition,
  Strategy,
} from "../../apiserver/registry/definition/resource-definition.ts";
import { AGE, column, NAME, wideColumn } from "../../apiserver/registry/strategy/columns.ts";
import { builtIn } from "../../apiserver/registry/strategy/define.ts";
import { structOf } from "../../apiserver/registry/strategy/internal-struct.ts";
import { objectOf } from "../../apiserver/registry/strategy/schema-rules.ts";

export const RBAC_GROUP = "rbac.authorization.k8s.io";

export const RBAC_STRATEGY: Strategy = {
  metadataChecksOnUpdate: ["new", "changed"],
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  validateName: isPathSegmentName,
};

function roleKind(kind: string, namespaceScoped: boolean): ResourceDefinition {
  return builtIn(`${RBAC_GROUP}/v1`, kind, {
    namespaceScoped,
    strategy: {
      ...RBAC_STRATEGY,
      emptyListsStoredAsNull: [["rules"]],
    },
    rules: {
      urls: ({ field, value }) =>
        namespaceScoped ? [invalid(field, value, "namespaced rules cannot apply to non-resource URLs")] : [],
    },
  });
}

export const roles = roleKind("Role", true);
export const clusterRoles = roleKind("ClusterRole", false);

// RoleBinding and ClusterRoleBinding: grant the permissions of a role to subjects, in one namespace or in the whole
// cluster.

const nameOf = (subject: JsonObject): string => textAt(subject, "name");
const accountOf = (subject: JsonObject): string => `${textAt(subject, "namespace")}/${nameOf(subject)}`;

/** Column with the names of all subjects of one kind. */
const subjectColumn = (name: string, description: string, kind: string, show = nameOf) =>
  wideColumn(name, description, (object) => {
    const subjects = objectsAt(object, "subjects").filter((subject) => subject["kind"] === kind);
    return subjects.map(show).join(", ");
  });

function roleCell(object: Readonly<JsonObject>): string {
  const role = objectAt(object, "roleRef");
  return `${textAt(role, "kind")}/${textAt(role, "name")}`;
}

const bindingKind = (kind: string, namespaceScoped: boolean, roleKinds: string[]): ResourceDefinition =>
  builtIn(`${RBAC_GROUP}/v1`, kind, {
    namespaceScoped,
    columns: [
      NAME,
      column("Role", "The role that is given.", roleCell),
      AGE,
      subjectColumn("Users", "Users that get the role.", "User"),
      subjectColumn("Groups", "Groups that get the role.", "Group"),
      subjectColumn("ServiceAccounts", "Service accounts that get the role.", "ServiceAccount", accountOf),
    ],
    strategy: RBAC_STRATEGY,
    rules: {
      roleKind: ({ field, value }) =>
        roleKinds.includes(String(value)) ? [] : [notSupported(field, value, roleKinds)],
      namespace: ({ field }) => (namespaceScoped ? [] : [required(field)]),
      sameRole({ owner, old }) {
        const role = objectOf(owner["roleRef"]);
        if (old === undefined || equalJson(role, objectOf(old["roleRef"]))) return [];
        return [invalid("roleRef", structOf("io.k8s.api.rbac.v1.RoleRef", role), "cannot change roleRef")];
      },
    },
  });

export const roleBindings = bindingKind("RoleBinding", true, ["Role", "ClusterRole"]);
export const clusterRoleBindings = bindingKind("ClusterRoleBinding", false, ["ClusterRole"]);
