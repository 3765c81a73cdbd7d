// StorageClass: parameters of a volume provisioner. This server has no provisioner; claims are validated against their
// classes.

import {
  equalJson,
  type JsonObject,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from "../../apimachinery/json/json.ts";
import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  required,
  ToldFindings,
  tooLong,
} from "../../apimachinery/meta/field-error.ts";
import { isQualifiedName } from "../../apimachinery/meta/names.ts";
import { isDefaultClass } from "../../apimachinery/meta/storage-class.ts";
import { bytesIn, formErrors } from "../../apiserver/registry/strategy/checks.ts";
import { AGE, column, NAME } from "../../apiserver/registry/strategy/columns.ts";
import { builtIn } from "../../apiserver/registry/strategy/define.ts";
import { eachAt, isTrue, nameOf } from "../../apiserver/registry/strategy/fields.ts";
import { isNothing, objectOf, type Place } from "../../apiserver/registry/strategy/schema-rules.ts";
import { labelWarnings } from "../core/pod/warnings.ts";

const PARAMETERS_MAX = 512;
const PARAMETERS_BYTES_MAX = 256 * 1024;

/** Parameters need names; their number and total size are limited. */
function validateParameters(field: string, parameters: JsonObject): FieldError[] {
  const names = Object.keys(parameters);
  if (names.length > PARAMETERS_MAX) return [tooLong(field, PARAMETERS_MAX)];
  return [
    ...(names.includes("") ? [invalid(field, "", "field can not be empty.")] : []),
    ...(bytesIn(parameters) > PARAMETERS_BYTES_MAX ? [tooLong(field, PARAMETERS_BYTES_MAX)] : []),
  ];
}

/** A provisioner has a qualified name, case-insensitive. */
const validateProvisioner = (field: string, name: string): FieldError[] =>
  formErrors((text: string) => isQualifiedName(text.toLowerCase()), field, name);

/** Canonical form of a topology term for comparison: values by label, in any order. */
const meaningOf = (term: JsonObject): JsonObject =>
  Object.fromEntries(
    objectsAt(term, "matchLabelExpressions").map((requirement) => [
      textAt(requirement, "key"),
      [...new Set(textsAt(requirement, "values"))].sort(),
    ]),
  );

/**
 * Duplicate topology terms. Upstream compares each with as many empty terms as there are others, so an empty one is
 * reported as often.
 */
function repeatedTerms({ field, value, owner }: Place): FieldError[] {
  const terms = objectsAt(owner, "allowedTopologies");
  const term = meaningOf(objectOf(value));
  const before = [...terms.map(() => ({})), ...terms.slice(0, terms.indexOf(objectOf(value))).map(meaningOf)];
  const found = new ToldFindings();
  for (const other of before) {
    if (equalJson(other, term)) found.add(duplicate(`${field}.matchLabelExpressions`, ""));
    if (found.isFull) break;
  }
  return found.errors;
}

export const storageClasses = builtIn("storage.k8s.io/v1", "StorageClass", {
  shortNames: ["sc"],
  namespaceScoped: false,
  columns: [
    {
      ...NAME,
      cell: (object) => nameOf(object) + (isDefaultClass(object) ? " (default)" : ""),
    },
    column("Provisioner", "Who makes the volumes.", "provisioner"),
    column("ReclaimPolicy", "What becomes of a volume without its claim.", "reclaimPolicy"),
    column("VolumeBindingMode", "When a claim gets its volume.", "volumeBindingMode"),
    column("AllowVolumeExpansion", "Whether claims may ask for more.", (object) =>
      isTrue(object, "allowVolumeExpansion"),
    ),
    AGE,
  ],
  strategy: {
    metadataChecksOnUpdate: ["new", "changed"],
    allowUnconditionalUpdate: true,
    warnings: (object) =>
      eachAt("", object, "allowedTopologies", (field, term) =>
        eachAt(field, term, "matchLabelExpressions", (place, { key }) =>
          labelWarnings(`${place}.key`, String(key)),
        ),
      ),
  },
  rules: {
    provisioner: ({ field, value }) => validateProvisioner(field, String(value)),
    parameters: ({ field, value }) => validateParameters(field, objectOf(value)),
    topology: repeatedTerms,
  },
  returnsDeletedObject: true,
});

// VolumeAttributesClass: mutable attributes of volumes. A class itself is immutable.

const unchanged = ({ owner, old }: Place, member: string): FieldError[] =>
  equalJson(owner[member], old?.[member]) ? [] : [forbidden(member, `updates to ${member} are forbidden.`)];

export const volumeAttributesClasses = builtIn("storage.k8s.io/v1", "VolumeAttributesClass", {
  shortNames: ["vac"],
  namespaceScoped: false,
  columns: [NAME, column("DriverName", "Driver that knows the attributes.", "driverName"), AGE],
  strategy: { metadataChecksOnUpdate: ["new", "changed"], allowUnconditionalUpdate: true },
  rules: {
    driver(place) {
      if (place.old !== undefined) return unchanged(place, "driverName");
      const name = textAt(place.owner, "driverName");
      return name === "" ? [required("driverName")] : validateProvisioner("driverName", name);
    },
    parameters(place) {
      const parameters = objectAt(place.owner, "parameters") ?? {};
      return [
        ...(place.old === undefined ? [] : unchanged(place, "parameters")),
        ...validateParameters("parameters", parameters),
        ...(isNothing(Object.keys(parameters))
          ? [required("parameters", "must contain at least one key/value pair")]
          : []),
      ];
    },
  },
  returnsDeletedObject: true,
});
