// Shared table cells and warnings of volumes and claims: storage class and access modes.
import { type JsonObject, objectAt, textAt } from "../../../apimachinery/json/json.ts";
import { annotationOf, CLASS_ANNOTATION, classOfVolume } from "../../../apimachinery/meta/storage-class.ts";
import { column, type PrintedColumn, wideColumn } from "../../../apiserver/registry/strategy/columns.ts";
import { isBeingDeleted, specOf } from "../../../apiserver/registry/strategy/fields.ts";

const SHORT_MODES = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
] as const;

export const shortModes = (modes: readonly string[]): string =>
  SHORT_MODES.filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short)
    .join(",");

const orUnset = (member: string) => (object: Readonly<JsonObject>) => {
  const value = specOf(object)[member];
  return typeof value === "string" ? value : "<unset>";
};

export const CLASS_COLUMNS: readonly PrintedColumn[] = [
  column("StorageClass", "Class of the volume.", classOfVolume),
  column(
    "VolumeAttributesClass",
    "Class of changeable attributes of the volume.",
    orUnset("volumeAttributesClassName"),
  ),
];

export const MODE_COLUMN = wideColumn("VolumeMode", "Filesystem or Block.", orUnset("volumeMode"));

export const phaseCell = (object: Readonly<JsonObject>): string =>
  isBeingDeleted(object) ? "Terminating" : textAt(objectAt(object, "status"), "phase");

/** Warning about the deprecated class annotation. */
export const classWarnings = (object: Readonly<JsonObject>): string[] =>
  annotationOf(object, CLASS_ANNOTATION) === undefined
    ? []
    : [
        `metadata.annotations[${CLASS_ANNOTATION}]: deprecated since v1.8; use "storageClassName" attribute instead`,
      ];
