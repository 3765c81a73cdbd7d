// What the two kinds of bindings have in common: a role, and the subjects that get it.

import { type FieldError, invalid, notSupported, required } from "../../meta/field-error.ts";
import { equalJson, type JsonObject, objectAt, objectsAt, textAt } from "../../meta/json.ts";
import { isDns1123Subdomain, isPathSegmentName } from "../../meta/names.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { RowPrinter } from "../../registry/definition/resource-definition.ts";
import type { Strategy } from "../../registry/definition/strategy.ts";
import { AGE, column, NAME, timeSince, wideColumn } from "../columns.ts";
import { ensureObject, setDefault } from "../fields.ts";
import { schemaErrors } from "../schema-rules.ts";

export const RBAC_GROUP = "rbac.authorization.k8s.io";
const SUBJECT_KINDS = ["ServiceAccount", "User", "Group"];

export const BINDING_COLUMNS = [
  NAME,
  column("Role", "The role that is given."),
  AGE,
  wideColumn("Users", "Users that get the role."),
  wideColumn("Groups", "Groups that get the role."),
  wideColumn("ServiceAccounts", "Service accounts that get the role."),
];

export const printBinding: RowPrinter = (object, nowMs) => {
  const metadata = objectAt(object, "metadata");
  const role = objectAt(object, "roleRef");
  const subjects = objectsAt(object, "subjects");
  const named = (kind: string): JsonObject[] => subjects.filter((subject) => subject["kind"] === kind);
  const nameOf = (subject: JsonObject): string => textAt(subject, "name");
  return {
    cells: [
      textAt(metadata, "name"),
      `${textAt(role, "kind")}/${textAt(role, "name")}`,
      timeSince(metadata, "creationTimestamp", nowMs),
      named("User").map(nameOf).join(", "),
      named("Group").map(nameOf).join(", "),
      named("ServiceAccount")
        .map((subject) => `${textAt(subject, "namespace")}/${nameOf(subject)}`)
        .join(", "),
    ],
  };
};

function applyDefaults(object: KubeObject): void {
  setDefault(ensureObject(object, "roleRef"), "apiGroup", RBAC_GROUP);
  for (const subject of objectsAt(object, "subjects")) {
    if (["User", "Group"].includes(textAt(subject, "kind"))) setDefault(subject, "apiGroup", RBAC_GROUP);
  }
}

/** Bindings of both kinds have the same members. */
const validate = (object: Readonly<JsonObject>, roleKinds: readonly string[]): FieldError[] =>
  schemaErrors("io.k8s.api.rbac.v1.RoleBinding", object, {
    code: {
      roleKind: ({ field, value }) =>
        roleKinds.includes(String(value)) ? [] : [notSupported(field, value, roleKinds)],
      subject: ({ field, owner }) => validateSubject(field, owner, roleKinds.includes("Role")),
    },
  });

function validateSubject(field: string, subject: JsonObject, namespaceScoped: boolean): FieldError[] {
  const [kind, name, group] = [textAt(subject, "kind"), textAt(subject, "name"), textAt(subject, "apiGroup")];
  if (!SUBJECT_KINDS.includes(kind)) return [notSupported(`${field}.kind`, kind, SUBJECT_KINDS)];
  const isAccount = kind === "ServiceAccount";
  const complaints = isAccount && name !== "" ? isDns1123Subdomain(name) : [];
  const errors = complaints.map((text) => invalid(`${field}.name`, name, text));
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

export function bindingStrategy(roleKinds: readonly string[]): Strategy {
  return {
    allowCreateOnUpdate: true,
    allowUnconditionalUpdate: true,
    metadataChecksOnUpdate: ["new", "changed"],
    validateName: isPathSegmentName,
    applyDefaults,
    validate: (object) => validate(object, roleKinds),
    validateUpdate(object, old) {
      const errors = validate(object, roleKinds);
      const role = objectAt(object, "roleRef");
      if (equalJson(role, objectAt(old, "roleRef"))) return errors;
      return [...errors, invalid("roleRef", shownRole(role), "cannot change roleRef")];
    },
  };
}
