// What mutating policies and webhooks share: who is asked a second time when somebody has changed the object, and how a
// change takes the object's place.
import { cloneJson, equalJson, isObject, type JsonObject } from "../meta/json.ts";
import type { KubeObject } from "../meta/object-meta.ts";
import { internalServerError } from "../meta/status.ts";
import { conformObject } from "../registry/codec/object-decoder.ts";
import { inOtherView } from "../registry/codec/versions.ts";
import type { ResourceView } from "../registry/definition/resource-definition.ts";
import { keepType } from "./mutated-type.ts";
import type { WriteRequest } from "./request.ts";

/** Of one kind of mutators: policies, or webhooks. */
export class Reinvocation {
  /** Asked in the first round, and not due again yet. */
  #asked = new Set<string>();
  readonly #due = new Set<string>();
  #output: unknown;

  /** Somebody has changed the object. */
  objectChanged(): void {
    for (const key of this.#asked) this.#due.add(key);
    this.#asked = new Set();
  }

  /** It has been asked, and wants to be asked again when the object changes after that. */
  remember(key: string): void {
    this.#asked.add(key);
  }

  isDue(key: string): boolean {
    return this.#due.has(key);
  }

  /** A second round begins: whether others have changed the object since the end of the first counts as well. */
  resume(object: unknown): void {
    if (!equalJson(object, this.#output)) this.objectChanged();
  }

  finish(object: unknown): void {
    this.#output = cloneJson(object); // it is changed in place
  }
}

export interface Round {
  readonly again: boolean;
  readonly policies: Reinvocation;
  readonly webhooks: Reinvocation;
  /** Asks for a second round. */
  repeat(): void;
}

/**
 * Replaces the object by what a webhook's patch has made of it, decoded and defaulted like any other, without unknown fields.
 * Returns whether it has changed. Namespace, name and uid are checked by the write after admission. Throws 500 for an object
 * of another kind.
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

/** Puts the object that a mutation has made in the place of the one that is written. Returns whether it has changed. */
export async function placeObject(
  request: WriteRequest,
  view: ResourceView,
  before: Readonly<KubeObject>,
  next: KubeObject,
): Promise<boolean> {
  const { object, view: own, posted } = request.attributes;
  if (object === undefined) throw new Error("only what is written can be changed");
  // A list without entries asks the field manager to begin anew; it has been asked before admission.
  if (next.metadata?.managedFields?.length === 0) delete next.metadata.managedFields;
  const losesTimes = request.loseExactTimes() && !request.kindIn(view).definition.custom;
  if (equalJson(next, before)) return losesTimes;
  const placed = posted || view.version === own.version ? next : await inOtherView(view, own, next);
  for (const key of Object.keys(object)) delete object[key];
  Object.assign(object, placed);
  return true;
}

/** Whether something is missing that defaulting has filled in again: a kube-apiserver compares the objects before that. */
function lacksMembers(made: unknown, before: unknown): boolean {
  if (Array.isArray(before))
    return Array.isArray(made) && before.some((item, index) => lacksMembers(made[index], item));
  if (!isObject(before)) return false;
  return Object.entries(before).some(([key, value]) =>
    isObject(made) ? lacksMembers(made[key], value) : made === undefined,
  );
}
