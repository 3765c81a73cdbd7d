// pods/resize: processor and memory of the containers of a pod that may be running already.

import { type FieldError, forbidden, invalid } from "../../../../meta/field-error.ts";
import { equalJson, type JsonObject, objectAt, objectsAt, textAt } from "../../../../meta/json.ts";
import { append } from "../../../../meta/lists.ts";
import type { KubeObject } from "../../../../meta/object-meta.ts";
import type { Strategy } from "../../../../registry/definition/strategy.ts";
import { qosClassOf } from "../quality.ts";
import { validatePod } from "../validation.ts";
import { isStaticPod, keepAllBut } from "./kept-fields.ts";

const LISTS = ["containers", "initContainers"] as const;
const MUTABLE = ["cpu", "memory"];
const RESIZED = ["resources", "resizePolicy"] as const;

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

function validateUpdate(object: Readonly<JsonObject>, old: Readonly<KubeObject>): FieldError[] {
  if (isStaticPod(old)) return [forbidden("", "static pods cannot be resized")];
  const spec = objectAt(object, "spec") ?? {};
  const oldSpec = objectAt(old, "spec") ?? {};
  const errors = validatePod(object);
  if (qosClassOf(spec) !== qosClassOf(oldSpec)) {
    const rule = "Pod QOS Class may not change as a result of resizing";
    errors.push(invalid("spec", textAt(objectAt(object, "status"), "qosClass"), rule));
  }
  for (const list of LISTS) {
    const before = objectsAt(oldSpec, list);
    objectsAt(spec, list).forEach((container, index) => {
      const field = `spec.${list}[${index}].resources`;
      append(errors, removals(field, objectAt(container, "resources"), objectAt(before[index], "resources")));
    });
  }
  if (!equalJson(withoutMutable(spec), withoutMutable(oldSpec))) {
    errors.push(forbidden("spec", "only cpu and memory resources are mutable"));
  }
  return errors;
}

function removals(field: string, now: JsonObject | undefined, before: JsonObject | undefined): FieldError[] {
  return ["requests", "limits"].flatMap((part) => {
    const kept = objectAt(now, part) ?? {};
    const gone = Object.keys(objectAt(before, part) ?? {}).some((name) => !Object.hasOwn(kept, name));
    return gone ? [forbidden(`${field}.${part}`, `resource ${part} cannot be removed`)] : [];
  });
}

/** The resources that must be the same as before. */
const withoutMutable = (spec: JsonObject): unknown =>
  LISTS.map((list) =>
    objectsAt(spec, list).map((container) => {
      const resources = objectAt(container, "resources");
      return ["requests", "limits"].map((part) =>
        Object.entries(objectAt(resources, part) ?? {}).filter(([name]) => !MUTABLE.includes(name)),
      );
    }),
  );

export const resize: Strategy = {
  allowUnconditionalUpdate: true,
  resetFields: [["status"]],
  prepareForUpdate(object, old) {
    const wanted = objectAt(object, "spec") ?? {};
    keepAllBut(object, old, () => takeSizes(objectAt(object, "spec") ?? {}, wanted));
  },
  validateUpdate,
};
