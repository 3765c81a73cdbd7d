// RoleBinding and ClusterRoleBinding: give the rights of a role to subjects, inside one namespace or in the whole cluster.

import { type FieldError, invalid, notSupported, required } from "../../meta/field-error.ts";
import { equalJson, type JsonObject, objectAt, objectsAt, textAt } from "../../meta/json.ts";
import { isDns1123Subdomain } from "../../meta/names.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { ResourceDefinition } from "../../registry/definition/resource-definition.ts";
import { formErrors } from "../checks.ts";
import { AGE, column, NAME, wideColumn } from "../columns.ts";
import { builtIn } from "../define.ts";
import { ensureObject, setDefault } from "../fields.ts";
import { RBAC_GROUP, RBAC_STRATEGY } from "./roles.ts";

const SUBJECT_KINDS = ["ServiceAccount", "User", "Group"];

const nameOf = (subject: JsonObject): string => textAt(subject, "name");
const accountOf = (subject: JsonObject): string => `${textAt(subject, "namespace")}/${nameOf(subject)}`;

/** What the subjects of a kind are called. */
const subjectColumn = (name: string, description: string, kind: string, show = nameOf) =>
  wideColumn(name, description, (object) => {
    const subjects = objectsAt(object, "subjects").filter((subject) => subject["kind"] === kind);
    return subjects.map(show).join(", ");
  });

function roleCell(object: Readonly<JsonObject>): string {
  const role = objectAt(object, "roleRef");
  return `${textAt(role, "kind")}/${textAt(role, "name")}`;
}

function applyDefaults(object: KubeObject): void {
  setDefault(ensureObject(object, "roleRef"), "apiGroup", RBAC_GROUP);
  for (const subject of objectsAt(object, "subjects")) {
    if (["User", "Group"].includes(textAt(subject, "kind"))) setDefault(subject, "apiGroup", RBAC_GROUP);
  }
}

function validateSubject(field: string, subject: JsonObject, namespaceScoped: boolean): FieldError[] {
  const [kind, name, group] = [textAt(subject, "kind"), textAt(subject, "name"), textAt(subject, "apiGroup")];
  if (!SUBJECT_KINDS.includes(kind)) return [notSupported(`${field}.kind`, kind, SUBJECT_KINDS)];
  const isAccount = kind === "ServiceAccount";
  const errors = isAccount && name !== "" ? formErrors(isDns1123Subdomain, `${field}.name`, name) : [];
  const wantedGroup = isAccount ? "" : RBAC_GROUP;
  if (group !== wantedGroup) errors.push(notSupported(`${field}.apiGroup`, group, [wantedGroup]));
  if (isAccount && !namespaceScoped && textAt(subject, "namespace") === "") {
    errors.push(required(`${field}.namespace`));
  }
  return errors;
}

/** How a Go struct without names for JSON is shown. */
const shownRole = (role: JsonObject | undefined): JsonObject => ({
  APIGroup: textAt(role, "apiGroup"),
  Kind: textAt(role, "kind"),
  Name: textAt(role, "name"),
});

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
    strategy: { ...RBAC_STRATEGY, applyDefaults },
    rules: {
      roleKind: ({ field, value }) =>
        roleKinds.includes(String(value)) ? [] : [notSupported(field, value, roleKinds)],
      subject: ({ field, owner }) => validateSubject(field, owner, namespaceScoped),
      sameRole({ owner, old }) {
        const role = objectAt(owner, "roleRef");
        if (old === undefined || equalJson(role, objectAt(old, "roleRef"))) return [];
        return [invalid("roleRef", shownRole(role), "cannot change roleRef")];
      },
    },
  });

export const roleBindings = bindingKind("RoleBinding", true, ["Role", "ClusterRole"]);
export const clusterRoleBindings = bindingKind("ClusterRoleBinding", false, ["ClusterRole"]);
