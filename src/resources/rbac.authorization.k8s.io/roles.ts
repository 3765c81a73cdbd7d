// Role and ClusterRole: rights inside one namespace, or in the whole cluster. The rules of one with an aggregationRule would
// be filled by a controller that is not here, so they are kept as they are given.
import { type FieldError, invalid, notSupported, required } from "../../meta/field-error.ts";
import { equalJson, type JsonObject, objectAt, objectsAt, textAt, textsAt } from "../../meta/json.ts";
import { isDns1123Subdomain, isPathSegmentName } from "../../meta/names.ts";
import type { ResourceDefinition, Strategy } from "../../registry/definition/resource-definition.ts";
import { formErrors } from "../checks.ts";
import { AGE, column, NAME, wideColumn } from "../columns.ts";
import { builtIn } from "../define.ts";
import { emptyListsToNull } from "../fields.ts";

export const RBAC_GROUP = "rbac.authorization.k8s.io";

export const RBAC_STRATEGY: Strategy = {
  metadataChecksOnUpdate: ["new", "changed"],
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  validateName: isPathSegmentName,
};

function validateUrls(
  field: string,
  rule: JsonObject,
  urls: readonly string[],
  namespaceScoped: boolean,
): FieldError[] {
  const complaints: string[] = [];
  if (namespaceScoped) complaints.push("namespaced rules cannot apply to non-resource URLs");
  if (["apiGroups", "resources", "resourceNames"].some((key) => textsAt(rule, key).length > 0)) {
    complaints.push("rules cannot apply to both regular resources and non-resource URLs");
  }
  return complaints.map((text) => invalid(`${field}.nonResourceURLs`, urls, text));
}

function validateResources(field: string, rule: JsonObject): FieldError[] {
  const resources = textsAt(rule, "resources");
  const errors: FieldError[] = [];
  if (textsAt(rule, "apiGroups").length === 0) {
    errors.push(required(`${field}.apiGroups`, "resource rules must supply at least one api group"));
  }
  if (resources.length === 0) {
    errors.push(required(`${field}.resources`, "resource rules must supply at least one resource"));
  }
  if (textsAt(rule, "resourceNames").length > 0 && resources.length > 1) {
    errors.push(required(`${field}.resourceNames`, "resource names cannot apply to multiple resources"));
  }
  return errors;
}

function roleKind(kind: string, namespaceScoped: boolean): ResourceDefinition {
  const withoutEmptyRules = (object: JsonObject): void => emptyListsToNull(object, ["rules"]);
  return builtIn(`${RBAC_GROUP}/v1`, kind, {
    namespaceScoped,
    strategy: {
      ...RBAC_STRATEGY,
      prepareForCreate: withoutEmptyRules,
      prepareForUpdate: withoutEmptyRules,
    },
    rules: {
      /** Rules of a namespace are about resources only; others may be about paths instead. */
      about({ field, owner }) {
        const urls = textsAt(owner, "nonResourceURLs");
        if (urls.length === 0) return validateResources(field, owner);
        return validateUrls(field, owner, urls, namespaceScoped);
      },
    },
  });
}

export const roles = roleKind("Role", true);
export const clusterRoles = roleKind("ClusterRole", false);

// RoleBinding and ClusterRoleBinding: give the rights of a role to subjects, inside one namespace or in the whole cluster.

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
    strategy: RBAC_STRATEGY,
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
