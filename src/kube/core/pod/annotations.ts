// Validation of pod annotations; most are predecessors of today's fields.
import { goQuote } from "../../../apimachinery/go/strconv.ts";
import { type JsonObject, objectAt, objectsAt, textAt } from "../../../apimachinery/json/json.ts";
import { type FieldError, forbidden, invalid } from "../../../apimachinery/meta/field-error.ts";
import { textMap } from "../../../apiserver/registry/strategy/label-selectors.ts";
import { isDescendingPath } from "../../../apiserver/registry/strategy/paths.ts";

export const MIRROR = "kubernetes.io/config.mirror";
const DELETION_COST = "controller.kubernetes.io/pod-deletion-cost";
const SECCOMP_POD = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_CONTAINER = "container.seccomp.security.alpha.kubernetes.io/";
const APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/";
const INT32 = 2 ** 31;

type Notes = Readonly<Record<string, string>>;

const notesOf = (pod: Readonly<JsonObject>): Notes =>
  textMap(objectAt(objectAt(pod, "metadata"), "annotations"));

/** `field` is that of the metadata; for a template upstream uses the path of the template itself. */
export function validatePodAnnotations(field: string, pod: Readonly<JsonObject>): FieldError[] {
  const notes = notesOf(pod);
  const spec = objectAt(pod, "spec");
  const place = `${field}.annotations`;
  const keys = Object.keys(notes).sort();
  return [
    ...validateMirror(place, notes, spec),
    ...validateDeletionCost(place, notes),
    ...keys.filter((key) => key === SECCOMP_POD).flatMap((key) => seccompErrors(place, key, notes)),
    ...keys
      .filter((key) => key.startsWith(SECCOMP_CONTAINER))
      .flatMap((key) => seccompErrors(place, key, notes)),
    ...keys
      .filter((key) => key.startsWith(APP_ARMOR))
      .flatMap((key) => appArmorErrors(`${place}[${key}]`, key, notes, spec)),
  ];
}

function validateMirror(
  field: string,
  { [MIRROR]: value }: Notes,
  spec: JsonObject | undefined,
): FieldError[] {
  if (value === undefined || textAt(spec, "nodeName") !== "") return [];
  return [invalid(`${field}[${MIRROR}]`, value, "must set spec.nodeName if mirror pod annotation is set")];
}

function validateDeletionCost(field: string, { [DELETION_COST]: cost }: Notes): FieldError[] {
  if (cost === undefined) return [];
  const isCost = /^(?:0|-?[1-9]\d*)$/.test(cost) && Number(cost) >= -INT32 && Number(cost) < INT32;
  return isCost ? [] : [invalid(`${field}[${DELETION_COST}]`, cost, "must be a 32bit integer")];
}

const LOCAL = "localhost/";
const SECCOMP = ["runtime/default", "docker/default", "unconfined"];

function seccompErrors(owner: string, key: string, { [key]: profile = "" }: Notes): FieldError[] {
  const field = `${owner}.${key}`;
  if (SECCOMP.includes(profile)) return [];
  if (!profile.startsWith(LOCAL)) return [invalid(field, profile, "must be a valid seccomp profile")];
  const path = profile.slice(LOCAL.length);
  return isDescendingPath(path).map((complaint) => invalid(field, path, complaint));
}

function appArmorErrors(
  field: string,
  key: string,
  { [key]: profile = "" }: Notes,
  spec: JsonObject | undefined,
): FieldError[] {
  const name = key.slice(APP_ARMOR.length);
  const isThere = ["initContainers", "containers", "ephemeralContainers"].some((list) =>
    objectsAt(spec, list).some((container) => textAt(container, "name") === name),
  );
  const isKnown = ["", "runtime/default", "unconfined"].includes(profile) || profile.startsWith(LOCAL);
  return [
    ...(isThere ? [] : [invalid(field, name, "container not found")]),
    ...(isKnown ? [] : [invalid(field, profile, `invalid AppArmor profile name: ${goQuote(profile)}`)]),
  ];
}

/** AppArmor and mirror pod annotations are immutable. */
export function validateKeptAnnotations(pod: Readonly<JsonObject>, old: Readonly<JsonObject>): FieldError[] {
  const [notes, before] = [notesOf(pod), notesOf(old)];
  const told = (key: string, what: string): FieldError[] => {
    const field = `metadata.annotations[${key}]`;
    if (key.startsWith(APP_ARMOR)) return [forbidden(field, `may not ${what} AppArmor annotations`)];
    return key === MIRROR ? [forbidden(field, `may not ${what} mirror pod annotation`)] : [];
  };
  const gone = Object.keys(before).filter((key) => notes[key] !== before[key]);
  const added = Object.keys(notes).filter((key) => before[key] === undefined);
  return [
    ...gone.sort().flatMap((key) => told(key, "remove or update")),
    ...added.sort().flatMap((key) => told(key, "add")),
    ...validatePodAnnotations("metadata", pod),
  ];
}
