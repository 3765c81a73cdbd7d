// Common parts of mutating policies and webhooks: reinvocation after a change of the object, and replacement of the
// object.
import { cloneJson, equalJson, isObject, type JsonObject } from "../../apimachinery/json/json.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { internalServerError } from "../../apimachinery/meta/status.ts";
import { conformObject } from "../registry/codec/object-decoder.ts";
import { inOtherView } from "../registry/codec/versions.ts";
import type { ResourceView } from "../registry/definition/resource-definition.ts";
import { keepType } from "./mutated-type.ts";
import type { WriteRequest } from "./request.ts";

/** Reinvocation state of one kind of mutators: policies, or webhooks. */
export class Reinvocation {
  /** Invoked in the first round, and not due for reinvocation yet. */
  #asked = new Set<string>();
  readonly #due = new Set<string>();
  #output: unknown;

  /** A mutator has changed the object: all invoked mutators are due for reinvocation. */
  objectChanged(): void {
    for (const key of this.#asked) this.#due.add(key);
    this.#asked = new Set();
  }

  /** Records an invoked mutator, which is due again after a later change of the object. */
  remember(key: string): void {
    this.#asked.add(key);
  }

  isDue(key: string): boolean {
    return this.#due.has(key);
  }

  /** Starts the second round. A change by other mutators since the end of the first round counts too. */
  resume(object: unknown): void {
    if (!equalJson(object, this.#output)) this.objectChanged();
  }

  finish(object: unknown): void {
    this.#output = cloneJson(object); // the object is changed in place
  }
}

export interface Round {
  readonly again: boolean;
  readonly policies: Reinvocation;
  readonly webhooks: Reinvocation;
  /** Requests a second round. */
  repeat(): void;
}

/**
 * Replaces the object by the result of a webhook's patch, decoded, pruned and defaulted like any other. Returns
 * whether it has changed. The write checks namespace, name and uid after admission. Throws 500 for an object of
 * another kind.
 */
export async function replaceObject(
  request: WriteRequest,
  view: ResourceView,
  before: Readonly<KubeObject>,
  made: JsonObject,
): Promise<boolean> {
  const kind = request.kindIn(view);
  const mutated = keepType(kind, cloneJson(made), request.deps.resources);
  const options = { refuse: internalServerError, isSpelled: true };
  const { object: decoded } = conformObject(mutated.view, mutated.object, options);
  const next = mutated.view === kind ? decoded : await inOtherView(mutated.view, kind, decoded);
  const changed = await placeObject(request, view, before, next);
  return changed || lacksMembers(made, before);
}

/** Replaces the written object by the result of a mutation. Returns whether it has changed. */
export async function placeObject(
  request: WriteRequest,
  view: ResourceView,
  before: Readonly<KubeObject>,
  next: KubeObject,
): Promise<boolean> {
  const { object, view: own, posted } = request.attributes;
  if (object === undefined) throw new Error("only what is written can be changed");
  // An empty managedFields list requests a reset by the field manager, which has already run.
  if (next.metadata?.managedFields?.length === 0) delete next.metadata.managedFields;
  const losesTimes = request.loseExactTimes() && !request.kindIn(view).definition.custom;
  if (equalJson(next, before)) return losesTimes;
  const placed = posted || view.version === own.version ? next : await inOtherView(view, own, next);
  for (const key of Object.keys(object)) delete object[key];
  Object.assign(object, placed);
  return true;
}

/** Whether defaulting has restored a removed field: a kube-apiserver compares the objects before defaulting. */
function lacksMembers(made: unknown, before: unknown): boolean {
  if (Array.isArray(before))
    return Array.isArray(made) && before.some((item, index) => lacksMembers(made[index], item));
  if (!isObject(before)) return false;
  return Object.entries(before).some(([key, value]) =>
    isObject(made) ? lacksMembers(made[key], value) : made === undefined,
  );
}
