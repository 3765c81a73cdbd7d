// The StorageClass of volumes and claims, and the default class.
import { type JsonObject, objectAt, textAt } from "../json/json.ts";

/** The deprecated way to name the class. */
export const CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class";

export const annotationOf = (object: Readonly<JsonObject> | undefined, key: string): string | undefined => {
  const value = objectAt(objectAt(object, "metadata"), "annotations")?.[key];
  return typeof value === "string" ? value : undefined;
};

/** The class of a volume or claim. The annotation takes precedence over the member. */
export const classOfVolume = (object: Readonly<JsonObject>): string =>
  annotationOf(object, CLASS_ANNOTATION) ?? textAt(objectAt(object, "spec"), "storageClassName");

const IS_DEFAULT = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];

export const isDefaultClass = (object: Readonly<JsonObject>): boolean =>
  IS_DEFAULT.some((key) => annotationOf(object, key) === "true");
