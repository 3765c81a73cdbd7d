// The schema of metav1.ObjectMeta and what it contains: custom resources and embedded resources bring none of their own,
// yet their metadata is read like that of every kind.

import type { JsonObject } from "../../meta/json.ts";
import { lookupTable } from "../../meta/tables/lookup-table.ts";

const META = "io.k8s.apimachinery.pkg.apis.meta.v1";

export const OBJECT_META = `${META}.ObjectMeta`;

const STRING = { type: "string" };
const NAME = { type: "string", default: "" };
const INT64 = { type: "integer", format: "int64" };
const BOOLEAN = { type: "boolean" };
const STRING_MAP = { type: "object", additionalProperties: STRING };
const TIME = { $ref: `${META}.Time` };

const SCHEMAS: Readonly<Record<string, JsonObject>> = lookupTable({
  [OBJECT_META]: {
    type: "object",
    properties: {
      annotations: STRING_MAP,
      creationTimestamp: TIME,
      deletionGracePeriodSeconds: INT64,
      deletionTimestamp: TIME,
      finalizers: {
        type: "array",
        items: STRING,
        "x-kubernetes-list-type": "set",
        "x-kubernetes-patch-strategy": "merge",
      },
      generateName: STRING,
      generation: INT64,
      labels: STRING_MAP,
      managedFields: {
        type: "array",
        items: { $ref: `${META}.ManagedFieldsEntry` },
        "x-kubernetes-list-type": "atomic",
      },
      name: STRING,
      namespace: STRING,
      ownerReferences: {
        type: "array",
        items: { $ref: `${META}.OwnerReference` },
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["uid"],
        "x-kubernetes-patch-merge-key": "uid",
        "x-kubernetes-patch-strategy": "merge",
      },
      resourceVersion: STRING,
      selfLink: STRING,
      uid: STRING,
    },
  },
  [`${META}.OwnerReference`]: {
    type: "object",
    required: ["apiVersion", "kind", "name", "uid"],
    properties: {
      apiVersion: NAME,
      blockOwnerDeletion: BOOLEAN,
      controller: BOOLEAN,
      kind: NAME,
      name: NAME,
      uid: NAME,
    },
    "x-kubernetes-map-type": "atomic",
  },
  [`${META}.ManagedFieldsEntry`]: {
    type: "object",
    properties: {
      apiVersion: STRING,
      fieldsType: STRING,
      fieldsV1: { $ref: `${META}.FieldsV1` },
      manager: STRING,
      operation: STRING,
      subresource: STRING,
      time: TIME,
    },
  },
  [`${META}.FieldsV1`]: { type: "object" },
  [`${META}.Time`]: { type: "string", format: "date-time" },
});

export const objectMetaSchema = (typeName: string): JsonObject | undefined => SCHEMAS[typeName];
