// ResourceClaim, ResourceClaimTemplate and DeviceClass: pods request devices, which a scheduler and drivers allocate.
// This server does not allocate devices.

import { equalJson, type JsonObject, objectAt, objectsAt } from "../../apimachinery/json/json.ts";
import { type FieldError, forbidden } from "../../apimachinery/meta/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import type { Allocations, Strategy } from "../../apiserver/registry/definition/resource-definition.ts";
import { invalidStruct } from "../../apiserver/registry/strategy/checks.ts";
import { AGE, column, NAME } from "../../apiserver/registry/strategy/columns.ts";
import { builtIn } from "../../apiserver/registry/strategy/define.ts";
import {
  emptyListsToNull,
  isBeingDeleted,
  isTrue,
  keepingStatus,
  ONLY_STATUS,
  specOf,
} from "../../apiserver/registry/strategy/fields.ts";
import { structOf } from "../../apiserver/registry/strategy/internal-struct.ts";
import { type CodeRules, objectOf, schemaErrors } from "../../apiserver/registry/strategy/schema-rules.ts";
import { namespaces } from "../core/namespaces.ts";
import { templateMetadataErrors } from "../template-metadata.ts";
import { dropTakenDevices, resultsOf, validateClaimStatus } from "./claim-status.ts";
import { claimOf, REQUEST_RULES } from "./device-requests.ts";

const TYPES = "io.k8s.api.resource.v1.";

/**
 * Empty requests become null. On an update only if the old object has none either, so that an error shows the request as
 * sent.
 */
function withoutEmptyRequests(object: KubeObject, old?: Readonly<KubeObject>): void {
  const devices = claimOf(object);
  if (devices && (old === undefined || objectsAt(claimOf(old), "requests").length === 0))
    emptyListsToNull(devices, ["requests"]);
}

const kept = keepingStatus({});

/** Pods in namespaces with this label may request admin access to devices. */
const ADMIN_LABEL = "resource.kubernetes.io/admin-access";
/** Objects of the current write in such namespaces. */
const ofAdmins = new WeakSet<object>();

/** Index of the first request with admin access; -1: none. */
const adminRequest = (object: Readonly<JsonObject>): number =>
  objectsAt(claimOf(object), "requests").findIndex((request) =>
    isTrue(objectAt(request, "exactly"), "adminAccess"),
  );

/** Index of the first allocated device with admin access; -1: none. */
const adminResult = (object: Readonly<JsonObject>): number =>
  resultsOf(object).findIndex((result) => isTrue(result, "adminAccess"));

function noteAdmins(object: KubeObject, claims: Allocations): void {
  const isTheirs = ({ metadata }: KubeObject): boolean =>
    metadata.name === object.metadata.namespace && metadata.labels?.[ADMIN_LABEL] === "true";
  if (claims.list(namespaces).some(isTheirs)) ofAdmins.add(object);
}

function adminErrors(field: string, index: number, object: Readonly<KubeObject>): FieldError[] {
  if (index < 0 || ofAdmins.has(object)) return [];
  const rule = `admin access to devices requires the \`${ADMIN_LABEL}: true\` label on the containing namespace`;
  return [forbidden(`${field}[${index}].adminAccess`, rule)];
}

/** Strategy of a new object: its schema rules, preceded by those of admin access. */
const forAdmins = (kind: string, code: CodeRules): Strategy => ({
  claim(object, _old, claims) {
    if (adminRequest(object) >= 0) noteAdmins(object, claims);
  },
  validate: (object) => [
    ...adminErrors("spec.devices.requests", adminRequest(object), object),
    ...schemaErrors(`${TYPES}${kind}`, object, { code }),
  ],
});

/** Devices with admin access can be allocated only where requests for it are allowed; existing allocations are kept. */
const status: Strategy = {
  ...ONLY_STATUS,
  allowUnconditionalUpdate: true,
  claim(object, old, claims) {
    if (adminResult(object) >= 0 && (!old || adminResult(old) < 0)) noteAdmins(object, claims);
  },
  prepareForUpdate(object, old) {
    ONLY_STATUS.prepareForUpdate(object, old);
    dropTakenDevices(object, old);
  },
  validateUpdate: (object, old) => [
    ...(adminResult(old) < 0
      ? adminErrors("status.allocation.devices.results", adminResult(object), object)
      : []),
    ...validateClaimStatus(object, old),
  ],
};

/** The spec is immutable; errors show it as upstream's struct. */
function sameSpec(kind: string, object: Readonly<JsonObject>, old: Readonly<JsonObject>): FieldError[] {
  const spec = specOf(object);
  if (equalJson(spec, specOf(old))) return [];
  // The metadata of a template's claims is embedded in its spec.
  const { Metadata: _embedded, ...members } = structOf(`${TYPES}${kind}Spec`, spec);
  return [invalidStruct("spec", { ...objectAt(spec, "metadata"), ...members }, "field is immutable")];
}

function stateCell(object: Readonly<JsonObject>): string {
  const status = objectAt(object, "status");
  const isGiven = objectAt(status, "allocation") !== undefined;
  const isDeleted = isBeingDeleted(object);
  return [
    ...(isDeleted ? ["deleted"] : []),
    ...(isGiven ? ["allocated"] : isDeleted ? [] : ["pending"]),
    ...(isGiven && objectsAt(status, "reservedFor").length > 0 ? ["reserved"] : []),
  ].join(",");
}

export const resourceClaims = builtIn("resource.k8s.io/v1", "ResourceClaim", {
  columns: [NAME, column("State", "Whether the devices were given.", stateCell), AGE],
  strategy: {
    ...kept,
    ...forAdmins("ResourceClaim", REQUEST_RULES),
    metadataChecksOnUpdate: ["new", "changed"],
    prepareForCreate(object) {
      kept.prepareForCreate(object);
      withoutEmptyRequests(object);
    },
    prepareForUpdate(object, old) {
      kept.prepareForUpdate(object, old);
      withoutEmptyRequests(object, old);
    },
    validateUpdate: (object, old) => sameSpec("ResourceClaim", object, old),
  },
  status,
  returnsDeletedObject: true,
  rules: REQUEST_RULES,
});

const TEMPLATE = "ResourceClaimTemplate";

const TEMPLATE_RULES: CodeRules = {
  ...REQUEST_RULES,
  metadata: ({ field, value }) => templateMetadataErrors(field, objectOf(value)),
};

export const resourceClaimTemplates = builtIn("resource.k8s.io/v1", TEMPLATE, {
  columns: [NAME, AGE],
  strategy: {
    ...forAdmins(TEMPLATE, TEMPLATE_RULES),
    allowUnconditionalUpdate: true,
    metadataChecksOnUpdate: ["new", "changed"],
    prepareForCreate: (object) => withoutEmptyRequests(object),
    prepareForUpdate: (object, old) => withoutEmptyRequests(object, old),
    validateUpdate: (object, old) => [
      ...schemaErrors(`${TYPES}${TEMPLATE}`, object, { code: TEMPLATE_RULES }),
      ...sameSpec(TEMPLATE, object, old),
    ],
  },
  returnsDeletedObject: true,
  rules: TEMPLATE_RULES,
});

export const deviceClasses = builtIn("resource.k8s.io/v1", "DeviceClass", {
  namespaceScoped: false,
  columns: [NAME, AGE],
  strategy: {
    allowUnconditionalUpdate: true,
    metadataChecksOnUpdate: ["new", "changed"],
    hasGeneration: true,
  },
  returnsDeletedObject: true,
  rules: REQUEST_RULES,
});
