// Subresources that change one part of a pod and preserve all others.

import { quantityNanos } from "../../../apimachinery/go/quantity.ts";
import { goQuote } from "../../../apimachinery/go/strconv.ts";
import {
  cloneJson,
  equalJson,
  type JsonObject,
  objectAt,
  objectsAt,
  textAt,
} from "../../../apimachinery/json/json.ts";
import { type FieldError, forbidden, invalid } from "../../../apimachinery/meta/field-error.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import type { Strategy } from "../../../apiserver/registry/definition/resource-definition.ts";
import {
  eachAt,
  ensureObject,
  keepOwnMetadata,
  specOf,
} from "../../../apiserver/registry/strategy/fields.ts";
import { structOf } from "../../../apiserver/registry/strategy/internal-struct.ts";
import { qosClassOf } from "../../quota/pod-resources.ts";
import { MIRROR } from "./annotations.ts";
import { showStructChange } from "./update/show-change.ts";
import { validatePod } from "./validation.ts";

interface Change {
  /** Reason why the change is never possible for this pod. */
  never(old: Readonly<KubeObject>): string | undefined;
  /** Copies the mutable fields from the wanted spec. */
  take(spec: JsonObject, wanted: JsonObject): void;
  validate(object: Readonly<JsonObject>, old: Readonly<JsonObject>): FieldError[];
}

/** Upstream names no field where it rejects any change. */
const NO_FIELD = "[]";

const changing = ({ never, take, validate }: Change): Strategy => ({
  allowUnconditionalUpdate: true,
  resetFields: [["status"]],
  prepareForUpdate(object, old) {
    const wanted = specOf(object);
    keepOwnMetadata(object, old);
    for (const part of ["spec", "status"]) object[part] = cloneJson(old[part]);
    take(ensureObject(object, "spec"), wanted);
  },
  validateUpdate(object, old) {
    const rule = never(old);
    if (rule !== undefined) return [forbidden(NO_FIELD, rule)];
    return [...validatePod(object), ...validate(object, old)];
  },
});

/** A mirror pod: the API object of a static pod. */
const isPictureOfStatic = (pod: Readonly<KubeObject>): boolean =>
  pod.metadata.annotations?.[MIRROR] !== undefined;

const LISTS = ["containers", "initContainers"] as const;
const MUTABLE = ["cpu", "memory"];
const RESIZED = ["resources", "resizePolicy"] as const;
const PARTS = ["requests", "limits"] as const;
const ONLY_MUTABLE = "only cpu and memory resources are mutable";

/** pods/resize: CPU and memory of the containers of a pod that may be running. */
export const resize = changing({
  never(old) {
    if (isPictureOfStatic(old)) return "static pods cannot be resized";
    const isWindows = textAt(objectAt(specOf(old), "os"), "name") === "windows";
    return isWindows ? "windows pods cannot be resized" : undefined;
  },
  take: takeSizes,
  validate(object, old) {
    const [spec, oldSpec] = [specOf(object), specOf(old)];
    const status = objectAt(old, "status");
    const quality = textAt(status, "qosClass") || qosClassOf(oldSpec);
    const rule = "Pod QOS Class may not change as a result of resizing";
    const early = [
      ...(qosClassOf(spec) === quality ? [] : [invalid("spec", textAt(status, "qosClass"), rule)]),
      ...validateWhole(spec, oldSpec),
    ];
    const moved = LISTS.flatMap((list) => validateOrder(list, spec, oldSpec));
    return moved.length > 0 ? [...early, ...moved] : [...early, ...validateSizes(spec, oldSpec)];
  },
});

/**
 * Copies the resize fields, container by container. If a list has another length, the whole spec is copied; a list with
 * other names is copied as a whole. Validation rejects both.
 */
function takeSizes(spec: JsonObject, wanted: JsonObject): void {
  const isOther = LISTS.some((list) => objectsAt(wanted, list).length !== objectsAt(spec, list).length);
  if (isOther) {
    for (const member of Object.keys(spec)) delete spec[member];
    Object.assign(spec, wanted);
    return;
  }
  takeMember(spec, wanted, "resources");
  for (const list of LISTS) {
    const given = objectsAt(wanted, list);
    const containers = objectsAt(spec, list);
    if (given.some(({ name }, index) => name !== containers[index]?.["name"])) spec[list] = given;
    else {
      containers.forEach((container, index) => {
        for (const member of RESIZED) takeMember(container, given[index] ?? {}, member);
      });
    }
  }
}

function takeMember(target: JsonObject, source: JsonObject, member: string): void {
  if (source[member] === undefined) delete target[member];
  else target[member] = source[member];
}

function validateOrder(list: string, spec: JsonObject, oldSpec: JsonObject): FieldError[] {
  const [now, before] = [objectsAt(spec, list), objectsAt(oldSpec, list)];
  if (now.length !== before.length)
    return [forbidden(`spec.${list}`, `${list} may not be added or removed on resize`)];
  return eachAt("spec", spec, list, (place, { name }, index) =>
    name === before[index]?.["name"]
      ? []
      : [forbidden(`${place}.name`, `${list} may not be renamed or reordered on resize`)],
  );
}

// Quantities before and after.

type Amounts = Readonly<JsonObject>;

const amountsIn = (resources: JsonObject | undefined, part: string): Amounts =>
  objectAt(resources, part) ?? {};

const removals = (
  field: string,
  now: JsonObject | undefined,
  before: JsonObject | undefined,
  whose = "",
): FieldError[] =>
  PARTS.flatMap((part) => {
    const kept = amountsIn(now, part);
    const gone = Object.keys(amountsIn(before, part)).some((name) => !Object.hasOwn(kept, name));
    return gone ? [forbidden(`${field}.${part}`, `${whose}resource ${part} cannot be removed`)] : [];
  });

const areSame = (one: Amounts, other: Amounts): boolean =>
  Object.keys(one).length === Object.keys(other).length &&
  Object.entries(one).every(
    ([name, amount]) => Object.hasOwn(other, name) && quantityNanos(amount) === quantityNanos(other[name]),
  );

const fixed = (amounts: Amounts): Amounts =>
  Object.fromEntries(Object.entries(amounts).filter(([name]) => !MUTABLE.includes(name)));

const areSameParts = (
  one: JsonObject | undefined,
  other: JsonObject | undefined,
  pick = (amounts: Amounts) => amounts,
): boolean => PARTS.every((part) => areSame(pick(amountsIn(one, part)), pick(amountsIn(other, part))));

/** Pod-level resources. */
function validateWhole(spec: JsonObject, oldSpec: JsonObject): FieldError[] {
  const [now, before] = [spec, oldSpec].map((each) => objectAt(each, "resources"));
  const hasSome = [now, before].some((each) =>
    PARTS.some((part) => Object.keys(amountsIn(each, part)).length > 0),
  );
  if (!hasSome) return [];
  if (before !== undefined && now === undefined)
    return [forbidden("spec.resources", "pod-level resources cannot be removed")];
  const rule = `${ONLY_MUTABLE} at pod-level`;
  return [
    ...removals("spec.resources", now, before, "pod-level "),
    ...(areSameParts(now, before, fixed) && sameClaims(now, before) ? [] : [forbidden("spec", rule)]),
  ];
}

const sameClaims = (one: JsonObject | undefined, other: JsonObject | undefined): boolean =>
  equalJson(objectsAt(one, "claims"), objectsAt(other, "claims"));

const mayBeResized = (container: JsonObject): boolean => textAt(container, "restartPolicy") === "Always";

function validateSizes(spec: JsonObject, oldSpec: JsonObject): FieldError[] {
  const resourcesOf = (container: JsonObject | undefined) => objectAt(container, "resources");
  const pairs = (list: string, check: (place: string, now: JsonObject, before: JsonObject) => FieldError[]) =>
    eachAt("spec", spec, list, (place, now, index) =>
      check(place, now, objectsAt(oldSpec, list)[index] ?? {}),
    );
  const removed = (place: string, now: JsonObject, before: JsonObject) =>
    removals(`${place}.resources`, resourcesOf(now), resourcesOf(before));
  /** Allocations of a container prevent a resize. */
  const isFixed = (now: JsonObject, before: JsonObject): boolean =>
    areSameParts(resourcesOf(now), resourcesOf(before), fixed) &&
    objectsAt(resourcesOf(before), "claims").length === 0 &&
    samePolicy(now, before);
  return [
    ...pairs("initContainers", (place, now, before) =>
      mayBeResized(before) ? removed(place, now, before) : [],
    ),
    ...pairs("containers", removed),
    ...pairs("containers", (_place, now, before) =>
      isFixed(now, before) ? [] : [forbidden("spec", ONLY_MUTABLE)],
    ),
    ...pairs("initContainers", (place, now, before) => {
      if (mayBeResized(now)) {
        const rule = "only cpu and memory resources for init or sidecar containers are mutable";
        return isFixed(now, before) ? [] : [forbidden(place, rule)];
      }
      const isSame =
        areSameParts(resourcesOf(now), resourcesOf(before)) &&
        sameClaims(resourcesOf(now), resourcesOf(before)) &&
        samePolicy(now, before);
      return isSame ? [] : [forbidden("spec", "resources for non-sidecar init containers are immutable")];
    }),
  ];
}

const samePolicy = (one: JsonObject, other: JsonObject): boolean =>
  equalJson(objectsAt(one, "resizePolicy"), objectsAt(other, "resizePolicy"));

const EPHEMERAL = "io.k8s.api.core.v1.EphemeralContainer";

/** pods/ephemeralcontainers (kubectl debug): containers are added to a running pod, and never changed or removed. */
export const ephemeralContainers = changing({
  never: (old) => (isPictureOfStatic(old) ? "static pods do not support ephemeral containers" : undefined),
  take(spec, { ephemeralContainers: added }) {
    if (Array.isArray(added) && added.length > 0) spec["ephemeralContainers"] = added;
    else delete spec["ephemeralContainers"];
  },
  validate(object, old) {
    const now = ephemeralByName(object);
    return [...ephemeralByName(old)].flatMap(([name, container]) => {
      const present = now.get(name);
      const rule = `existing ephemeral containers ${goQuote(name)} may not be`;
      if (present === undefined) return [forbidden("spec.ephemeralContainers", `${rule} removed\n`)];
      if (equalJson(present, container)) return [];
      const change = showStructChange(structOf(EPHEMERAL, container), structOf(EPHEMERAL, present));
      return [forbidden("spec.ephemeralContainers", `${rule} changed${change}`)];
    });
  },
});

const ephemeralByName = (pod: Readonly<JsonObject>): Map<string, JsonObject> =>
  new Map(
    objectsAt(objectAt(pod, "spec"), "ephemeralContainers").map((item) => [textAt(item, "name"), item]),
  );
