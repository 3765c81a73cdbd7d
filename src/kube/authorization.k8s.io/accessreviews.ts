// Access reviews of this group, which are answered and not stored.

import { type JsonObject, objectAt, textAt, textsAt } from "../../apimachinery/json/json.ts";
import { type FieldError, invalid, required } from "../../apimachinery/meta/field-error.ts";
import { append } from "../../apimachinery/meta/lists.ts";
import type { KubeObject, ObjectMeta } from "../../apimachinery/meta/object-meta.ts";
import { badRequest, invalidObject } from "../../apimachinery/meta/status.ts";
import type {
  AccessAttributes,
  PolicyRule,
  UserInfo,
} from "../../apiserver/registry/definition/request-context.ts";
import type { ResourceDefinition, Review } from "../../apiserver/registry/definition/resource-definition.ts";
import { invalidTyped } from "../../apiserver/registry/strategy/checks.ts";
import { builtIn } from "../../apiserver/registry/strategy/define.ts";
import { validateExpression, validateOperator } from "../../apiserver/registry/strategy/label-selectors.ts";
import {
  type CodeRules,
  objectOf,
  type Place,
  schemaErrors,
} from "../../apiserver/registry/strategy/schema-rules.ts";

const GROUP = "authorization.k8s.io";

const reviewKind = (kind: string, namespaceScoped: boolean, review: Review): ResourceDefinition =>
  builtIn(`${GROUP}/v1`, kind, { namespaceScoped, verbs: ["create"], review });

/** Authorizes the attributes of the spec. Throws 422 for an invalid spec, in which upstream omits the kind. */
function accessReview(kind: string, about: "self" | "others" | "others here"): ResourceDefinition {
  const isLocal = about === "others here";
  return reviewKind(kind, isLocal, {
    emptyStatus: { allowed: false },
    check(object) {
      const spec = objectAt(object, "spec");
      const errors = [
        ...attributeErrors(spec, about === "self" ? [] : askedUserErrors(spec)),
        ...metadataErrors(object.metadata, isLocal ? "namespace" : ""),
        ...(isLocal ? placeErrors(object) : []),
      ];
      if (errors.length > 0) throw invalidObject({ group: GROUP, kind: "" }, "", errors);
    },
    answer(object, { user, authorizer }) {
      const spec = objectAt(object, "spec");
      const asked = attributesOf(about === "self" ? user : askedUser(spec), spec);
      const { allowed, reason } = authorizer.authorize(asked);
      object["status"] = { allowed, ...(reason === "" ? {} : { reason }) };
      return object;
    },
  });
}

/** An empty version means all versions. */
function attributesOf(user: UserInfo, spec: JsonObject | undefined): AccessAttributes {
  const asked = objectAt(spec, "resourceAttributes");
  if (asked === undefined) {
    const path = objectAt(spec, "nonResourceAttributes");
    return { type: "path", user, verb: textAt(path, "verb"), path: textAt(path, "path") };
  }
  return {
    type: "resource",
    user,
    verb: textAt(asked, "verb"),
    group: textAt(asked, "group"),
    version: textAt(asked, "version") || "*",
    resource: textAt(asked, "resource"),
    subresource: textAt(asked, "subresource"),
    namespace: textAt(asked, "namespace"),
    name: textAt(asked, "name"),
  };
}

function askedUser(spec: JsonObject | undefined): UserInfo {
  const uid = textAt(spec, "uid");
  const extra = objectAt(spec, "extra");
  return {
    name: textAt(spec, "user"),
    ...(uid === "" ? {} : { uid }),
    groups: textsAt(spec, "groups"),
    ...(extra
      ? { extra: Object.fromEntries(Object.keys(extra).map((key) => [key, textsAt(extra, key)])) }
      : {}),
  };
}

/** Without a name at least one group is required. */
function askedUserErrors(spec: JsonObject | undefined): FieldError[] {
  const { name, groups } = askedUser(spec);
  if (name !== "" || groups.length > 0) return [];
  return [invalid("spec.user", name, "at least one of user or group must be specified")];
}

function placeErrors(object: KubeObject): FieldError[] {
  const spec = objectAt(object, "spec");
  const resource = objectAt(spec, "resourceAttributes");
  const path = objectAt(spec, "nonResourceAttributes");
  const errors: FieldError[] = [];
  const namespace = textAt(resource, "namespace");
  if (resource && namespace !== object.metadata.namespace) {
    errors.push(invalid("spec.resourceAttributes.namespace", namespace, "must match metadata.namespace"));
  }
  if (path) {
    const rule = "disallowed on this kind of request";
    errors.push(invalid("spec.nonResourceAttributes", internalForm(path), rule));
  }
  return errors;
}

/** Used by kubectl auth can-i. */
export const selfSubjectAccessReviews = accessReview("SelfSubjectAccessReview", "self");
/** For servers that delegate authorization. */
export const subjectAccessReviews = accessReview("SubjectAccessReview", "others");
/** About one namespace, so that access to the review can be granted per namespace. */
export const localSubjectAccessReviews = accessReview("LocalSubjectAccessReview", "others here");

/**
 * Rules of the caller in a namespace (kubectl auth can-i --list). The response has the status only, without spec and
 * metadata.
 */
export const selfSubjectRulesReviews = reviewKind("SelfSubjectRulesReview", false, {
  emptyStatus: { resourceRules: null, nonResourceRules: null, incomplete: false },
  check(object) {
    if (textAt(objectAt(object, "spec"), "namespace") === "") throw badRequest("no namespace on request");
  },
  answer({ apiVersion, kind, ...object }, { user, authorizer }) {
    const { rules, error } = authorizer.rulesFor(user, textAt(objectAt(object, "spec"), "namespace"));
    return {
      ...(kind === undefined ? {} : { kind }),
      ...(apiVersion === undefined ? {} : { apiVersion }),
      metadata: {},
      spec: {},
      status: {
        resourceRules: rules.filter(({ resources }) => resources.length > 0).map(resourceRule),
        nonResourceRules: rules.filter(({ nonResourceURLs }) => nonResourceURLs.length > 0).map(pathRule),
        incomplete: false,
        ...(error === undefined ? {} : { evaluationError: error }),
      },
    };
  },
});

function resourceRule({ verbs, apiGroups, resources, resourceNames }: PolicyRule): object {
  return {
    verbs,
    ...(apiGroups.length > 0 ? { apiGroups } : {}),
    resources,
    ...(resourceNames.length > 0 ? { resourceNames } : {}),
  };
}

function pathRule({ verbs, nonResourceURLs }: PolicyRule): object {
  return { verbs, nonResourceURLs };
}

// Validation of an access review's spec.

type Spec = JsonObject | undefined;

/** Exactly one kind of attributes is required; `more` is reported before its errors. */
function attributeErrors(spec: Spec, more: readonly FieldError[] = []): FieldError[] {
  const resource = objectAt(spec, "resourceAttributes");
  const path = objectAt(spec, "nonResourceAttributes");
  const errors: FieldError[] = [];
  if (resource && path) {
    const rule = "cannot be specified in combination with resourceAttributes";
    errors.push(invalid("spec.nonResourceAttributes", internalForm(path), rule));
  }
  if (!resource && !path) {
    const rule = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
    errors.push(invalid("spec.resourceAttributes", null, rule));
  }
  append(errors, more);
  if (resource === undefined) return errors;
  const type = "io.k8s.api.authorization.v1.ResourceAttributes";
  return [
    ...errors,
    ...schemaErrors(type, resource, { field: "spec.resourceAttributes", code: SELECTOR_CODE }),
  ];
}

/** In messages: with the names of the Go struct. */
function internalForm(path: JsonObject): JsonObject {
  return { Path: textAt(path, "path"), Verb: textAt(path, "verb") };
}

const OBJECT_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

/** A review must not have a name, labels and the like. */
function metadataErrors(metadata: ObjectMeta, except: "namespace" | "" = ""): FieldError[] {
  const given = Object.entries(metadata).filter(
    ([key, value]) => value !== undefined && key !== "managedFields" && key !== except,
  );
  const rule = except === "" ? "must be empty" : `must be empty except for ${except}`;
  return given.length > 0 ? [invalidTyped(OBJECT_META, "metadata", { ...metadata }, rule)] : [];
}

const requirement =
  (errorsOf: typeof validateOperator) =>
  ({ field, value }: Place): FieldError[] => [
    ...(textAt(objectOf(value), "key") === "" ? [required(`${field}.key`, "must be specified")] : []),
    ...errorsOf(field, objectOf(value), { knowsAll: false }),
  ];

const SELECTOR_CODE: CodeRules = {
  field: requirement(validateOperator),
  label: requirement(validateExpression),
};
