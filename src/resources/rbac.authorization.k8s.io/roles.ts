// Role and ClusterRole: rights inside one namespace, or in the whole cluster. The rules of one with an aggregationRule would
// be filled by a controller that is not here, so they are kept as they are given.
import { type FieldError, invalid, required } from "../../meta/field-error.ts";
import { type JsonObject, textsAt } from "../../meta/json.ts";
import { isPathSegmentName } from "../../meta/names.ts";
import type { ResourceDefinition } from "../../registry/definition/resource-definition.ts";
import type { Strategy } from "../../registry/definition/strategy.ts";
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
