// Reports whether a stored CustomResourceDefinition can be served, by its names, group and versions; schemas are not
// checked. A raw restore, and stores of older releases, can hold CRDs that never passed create validation.

import { type JsonObject, objectAt, objectsAt, textAt } from "../../../apimachinery/json/json.ts";
import { describeFieldError, type FieldError, invalid } from "../../../apimachinery/meta/field-error.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import { crdNameComplaints, namesErrors, validateCrdStatus } from "./validate-crd.ts";

/** The findings that keep the CRD from being served, in one line; undefined: none. */
export function unservableReason(crd: Readonly<KubeObject>): string | undefined {
  if (isPlainlySound(crd)) return undefined;
  const { name = "" } = crd.metadata;
  const errors: FieldError[] = [
    ...crdNameComplaints(name, false, crd).map((complaint) => invalid("metadata.name", name, complaint)),
    ...namesErrors(crd),
    ...validateCrdStatus(crd),
  ];
  return errors.length === 0 ? undefined : errors.map(describeFieldError).join(", ");
}

const LABEL = /^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/;
const KIND = /^[A-Za-z]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;
const GROUP = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+$/;
const NAME_CHARACTERS_MAX = 253;

/** The same rules for the common case, a hundred times as fast, because a start checks every CRD. False is inconclusive. */
function isPlainlySound(crd: Readonly<KubeObject>): boolean {
  const [spec, status] = [objectAt(crd, "spec"), objectAt(crd, "status")];
  const [names, accepted] = [objectAt(spec, "names"), objectAt(status, "acceptedNames")];
  const group = textAt(spec, "group");
  const { name = "" } = crd.metadata;
  const versions = objectsAt(spec, "versions");
  const called = versions.map((version) => textAt(version, "name"));
  return (
    GROUP.test(group) &&
    name.length <= NAME_CHARACTERS_MAX &&
    name === `${textAt(names, "plural")}.${group}` &&
    ["Namespaced", "Cluster"].includes(textAt(spec, "scope")) &&
    hasSoundNames(names) &&
    textAt(names, "singular") !== "" &&
    textAt(names, "listKind") !== "" &&
    (accepted === undefined || isNothingAccepted(accepted) || hasSoundNames(accepted)) &&
    Array.isArray(status?.["storedVersions"]) &&
    called.every((version) => LABEL.test(version)) &&
    new Set(called).size === called.length &&
    versions.filter((version) => version["storage"] === true).length === 1
  );
}

/** As in the status of a new CRD. */
const isNothingAccepted = (names: Readonly<JsonObject>): boolean =>
  Object.keys(names).length === 2 && names["plural"] === "" && names["kind"] === "";

function hasSoundNames(names: Readonly<JsonObject> | undefined): boolean {
  const { plural, singular = "x", kind, listKind = "X", shortNames = [], categories = [] } = names ?? {};
  const labels = [plural, singular, ...(Array.isArray(shortNames) ? shortNames : [0])];
  const words = [...labels, ...(Array.isArray(categories) ? categories : [0])];
  return (
    words.every((word) => typeof word === "string" && LABEL.test(word)) &&
    [kind, listKind].every((word) => typeof word === "string" && KIND.test(word)) &&
    kind !== listKind
  );
}
