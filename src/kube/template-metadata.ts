// Metadata of a template whose objects get their own name and system fields: only labels and annotations are allowed.

import { type JsonObject, objectAt } from "../apimachinery/json/json.ts";
import { type FieldError, forbidden } from "../apimachinery/meta/field-error.ts";
import { wasGivenEmpty } from "../apimachinery/meta/given-empty.ts";
import { validateAnnotations, validateLabels } from "../apimachinery/meta/names.ts";
import { goMembers } from "../apimachinery/schema/go/go-struct.ts";
import { schemaLibrary } from "../apimachinery/schema/go/schema-library.ts";
import { textMap } from "../apiserver/registry/strategy/label-selectors.ts";

const OBJECT_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
const MAY_BE_GIVEN = ["annotations", "labels"];

export function templateMetadataErrors(field: string, metadata: JsonObject): FieldError[] {
  const members = goMembers(schemaLibrary().resolve(OBJECT_META)).map(([name]) => name);
  const isGiven = (name: string): boolean => (metadata[name] ?? "") !== "" || wasGivenEmpty(metadata, name);
  return [
    ...validateAnnotations(textMap(objectAt(metadata, "annotations")), `${field}.annotations`),
    ...validateLabels(textMap(objectAt(metadata, "labels")), `${field}.labels`),
    ...members
      .filter((name) => !MAY_BE_GIVEN.includes(name) && isGiven(name))
      .map((name) => forbidden(`${field}.${name === "uid" ? "uID" : name}`, "cannot be set")),
  ];
}
