// What expressions of admission can see of a request and of its namespace, as types. Fields that are not declared here
// are refused when an expression is compiled.
import {
  BOOL,
  type CelType,
  DYN,
  INT,
  listOf,
  mapOf,
  STRING,
  struct,
  TIMESTAMP,
} from "../../cel/language/types.ts";

/** A type with these fields and no others. */
const object = (name: string, fields: Readonly<Record<string, CelType>>): CelType =>
  struct(name, (field) => (Object.hasOwn(fields, field) ? fields[field] : undefined));

const TEXTS = listOf(STRING);

const groupVersionKind = object("kubernetes.GroupVersionKind", {
  group: STRING,
  version: STRING,
  kind: STRING,
});
const groupVersionResource = object("kubernetes.GroupVersionResource", {
  group: STRING,
  version: STRING,
  resource: STRING,
});
const userInfo = object("kubernetes.UserInfo", {
  username: STRING,
  uid: STRING,
  groups: TEXTS,
  extra: mapOf(STRING, TEXTS),
});

export const REQUEST_TYPE: CelType = object("kubernetes.AdmissionRequest", {
  kind: groupVersionKind,
  resource: groupVersionResource,
  subResource: STRING,
  requestKind: groupVersionKind,
  requestResource: groupVersionResource,
  requestSubResource: STRING,
  name: STRING,
  namespace: STRING,
  operation: STRING,
  userInfo,
  dryRun: BOOL,
  options: DYN,
});

const namespaceCondition = object("kubernetes.NamespaceCondition", {
  status: STRING,
  type: STRING,
  lastTransitionTime: TIMESTAMP,
  message: STRING,
  reason: STRING,
});

export const NAMESPACE_TYPE: CelType = object("kubernetes.Namespace", {
  metadata: object("kubernetes.NamespaceMetadata", {
    name: STRING,
    generateName: STRING,
    namespace: STRING,
    labels: mapOf(STRING, STRING),
    annotations: mapOf(STRING, STRING),
    UID: STRING,
    creationTimestamp: TIMESTAMP,
    deletionGracePeriodSeconds: INT,
    deletionTimestamp: TIMESTAMP,
    generation: INT,
    resourceVersion: STRING,
    finalizers: TEXTS,
  }),
  spec: object("kubernetes.NamespaceSpec", { finalizers: TEXTS }),
  status: object("kubernetes.NamespaceStatus", { conditions: listOf(namespaceCondition), phase: STRING }),
});
