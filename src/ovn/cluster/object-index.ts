// Indexes of objects by address or label. The index of a changed list is derived from the previous one: removed objects are
// deleted from a copy, and new ones are inserted.
import { leading, unlike } from "../../apimachinery/meta/lists.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import type { Coroutine } from "../../apimachinery/scheduling/coroutine.ts";

/** Objects by key, sorted by namespace and name. */
export type ObjectIndex = ReadonlyMap<string, readonly KubeObject[]>;

/** Definition of an index. Compared by identity, so each definition must be a single object. */
export interface Lookup {
  readonly resource: string;
  /** The index keys of an object; objects are immutable, and a new version is a new object. */
  readonly keysOf: (object: KubeObject) => readonly string[];
}

interface Known {
  readonly list: readonly KubeObject[];
  readonly index: ObjectIndex;
}

/** Indexes shared by successive snapshots of a store. Lists must not be modified after they were passed. */
export class Indexes {
  readonly #known = new Map<Lookup, Known>();

  *of(list: readonly KubeObject[], lookup: Lookup): Coroutine<ObjectIndex> {
    const before = this.#known.get(lookup) ?? { list: [], index: new Map() };
    if (before.list === list) return before.index;
    const index = yield* following(before, list, lookup);
    this.#known.set(lookup, { list, index });
    return index;
  }
}

function* following(before: Known, list: readonly KubeObject[], { keysOf }: Lookup): Coroutine<ObjectIndex> {
  const { gone, come } = differenceOf(before.list, list);
  const index = new Map(before.index);
  // Lists of the previous index are shared, so they are copied before the first change.
  const own = new Map<string, KubeObject[]>();
  const ownList = (key: string): KubeObject[] => {
    let objects = own.get(key);
    if (objects === undefined) {
      objects = [...(index.get(key) ?? [])];
      own.set(key, objects);
      index.set(key, objects);
    }
    return objects;
  };
  for (const object of gone) {
    for (const key of new Set(keysOf(object))) {
      const objects = ownList(key);
      objects.splice(objects.indexOf(object), 1);
    }
    yield;
  }
  for (const object of come) {
    for (const key of new Set(keysOf(object))) insert(ownList(key), object);
    yield;
  }
  for (const [key, objects] of own) if (objects.length === 0) index.delete(key);
  return index;
}

function insert(objects: KubeObject[], object: KubeObject): void {
  const last = objects.at(-1);
  if (last === undefined || isBefore(last, object)) objects.push(object);
  else
    objects.splice(
      leading(objects, (one) => isBefore(one, object)),
      0,
      object,
    );
}

function isBefore({ metadata: a }: KubeObject, { metadata: b }: KubeObject): boolean {
  const [of, than] = [a.namespace ?? "", b.namespace ?? ""];
  return of === than ? (a.name ?? "") < (b.name ?? "") : of < than;
}

/** Removed and added objects of two versions of a list, regardless of order. */
export function differenceOf(
  before: readonly KubeObject[],
  after: readonly KubeObject[],
): { readonly gone: readonly KubeObject[]; readonly come: readonly KubeObject[] } {
  const { start, end } = unlike(before, after);
  const [old, now] = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  const [inOld, inNow] = [new Set(old), new Set(now)];
  return { gone: old.filter((one) => !inNow.has(one)), come: now.filter((one) => !inOld.has(one)) };
}
