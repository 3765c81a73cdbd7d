// The subresources that change one thing of a pod and leave all others as they were.

import { type FieldError, forbidden, invalid } from "../../../meta/field-error.ts";
import { cloneJson, equalJson, type JsonObject, objectAt, objectsAt, textAt } from "../../../meta/json.ts";
import { append } from "../../../meta/lists.ts";
import type { KubeObject } from "../../../meta/object-meta.ts";
import { qosClassOf } from "../../../quota/pod-resources.ts";
import type { Strategy } from "../../../registry/definition/resource-definition.ts";
import { ensureObject, keepOwnMetadata, specOf } from "../../fields.ts";
import { validatePod } from "./validation.ts";

const LISTS = ["containers", "initContainers"] as const;
const MUTABLE = ["cpu", "memory"];
const RESIZED = ["resources", "resizePolicy"] as const;

interface Change {
  /** What cannot be done to a pod that a node runs on its own account. */
  readonly staticRule: string;
  /** Takes over from the wanted spec what may change. */
  take(spec: JsonObject, wanted: JsonObject): void;
  validate(object: Readonly<JsonObject>, old: Readonly<JsonObject>): FieldError[];
}

const changing = ({ staticRule, take, validate }: Change): Strategy => ({
  allowUnconditionalUpdate: true,
  resetFields: [["status"]],
  prepareForUpdate(object, old) {
    const wanted = specOf(object);
    keepOwnMetadata(object, old);
    for (const part of ["spec", "status"]) object[part] = cloneJson(old[part]);
    take(ensureObject(object, "spec"), wanted);
  },
  validateUpdate: (object, old) =>
    isPictureOfStatic(old) ? [forbidden("", staticRule)] : [...validatePod(object), ...validate(object, old)],
});

const isPictureOfStatic = (pod: Readonly<KubeObject>): boolean =>
  pod.metadata.annotations?.["kubernetes.io/config.mirror"] !== undefined;

/** pods/resize: processor and memory of the containers of a pod that may be running already. */
export const resize = changing({
  staticRule: "static pods cannot be resized",
  take: takeSizes,
  validate(object, old) {
    const spec = specOf(object);
    const oldSpec = specOf(old);
    const errors: FieldError[] = [];
    if (qosClassOf(spec) !== qosClassOf(oldSpec)) {
      const rule = "Pod QOS Class may not change as a result of resizing";
      errors.push(invalid("spec", textAt(objectAt(object, "status"), "qosClass"), rule));
    }
    for (const list of LISTS) {
      const before = objectsAt(oldSpec, list);
      objectsAt(spec, list).forEach((container, index) => {
        append(errors, removals(`spec.${list}[${index}].resources`, container, before[index]));
      });
    }
    if (!equalJson(withoutMutable(spec), withoutMutable(oldSpec))) {
      errors.push(forbidden("spec", "only cpu and memory resources are mutable"));
    }
    return errors;
  },
});

/** Only what belongs to a resize is taken over, container by container. */
function takeSizes(spec: JsonObject, wanted: JsonObject): void {
  for (const list of LISTS) {
    const given = new Map(objectsAt(wanted, list).map((item) => [textAt(item, "name"), item]));
    for (const container of objectsAt(spec, list)) {
      const next = given.get(textAt(container, "name"));
      if (next === undefined) continue;
      for (const member of RESIZED) {
        if (next[member] === undefined) delete container[member];
        else container[member] = next[member];
      }
    }
  }
}

const amountsOf = (container: JsonObject | undefined, part: string): JsonObject =>
  objectAt(objectAt(container, "resources"), part) ?? {};

const removals = (field: string, now: JsonObject, before: JsonObject | undefined): FieldError[] =>
  ["requests", "limits"].flatMap((part) => {
    const kept = amountsOf(now, part);
    const gone = Object.keys(amountsOf(before, part)).some((name) => !Object.hasOwn(kept, name));
    return gone ? [forbidden(`${field}.${part}`, `resource ${part} cannot be removed`)] : [];
  });

/** The resources that must be the same as before. */
const withoutMutable = (spec: JsonObject): unknown =>
  LISTS.map((list) =>
    objectsAt(spec, list).map((container) =>
      ["requests", "limits"].map((part) =>
        Object.entries(amountsOf(container, part)).filter(([name]) => !MUTABLE.includes(name)),
      ),
    ),
  );

/** pods/ephemeralcontainers (kubectl debug): containers are added to a pod that runs, and never changed or taken away. */
export const ephemeralContainers = changing({
  staticRule: "static pods do not support ephemeral containers",
  take(spec, { ephemeralContainers: added }) {
    if (Array.isArray(added) && added.length > 0) spec["ephemeralContainers"] = added;
    else delete spec["ephemeralContainers"];
  },
  validate(object, old) {
    const now = ephemeralByName(object);
    return [...ephemeralByName(old)].flatMap(([name, container]) => {
      const present = now.get(name);
      if (present !== undefined && equalJson(present, container)) return [];
      const rule = `existing ephemeral containers ${JSON.stringify(name)} may not be ${present ? "changed" : "removed"}\n`;
      return [forbidden("spec.ephemeralContainers", rule)];
    });
  },
});

const ephemeralByName = (pod: Readonly<JsonObject>): Map<string, JsonObject> =>
  new Map(
    objectsAt(objectAt(pod, "spec"), "ephemeralContainers").map((item) => [textAt(item, "name"), item]),
  );
