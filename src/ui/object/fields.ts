// Fields of an object with their field managers. metadata.managedFields (KEP-555) is walked along with the object: f:NAME
// is a field, k:KEYS a list item by its keys, v:VALUE a set item, i:NUMBER an item by index. An empty field set owns the
// field with all below it.
import { isObject, type JsonObject, parsedJson } from "../../apimachinery/json/json.ts";

export interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
  readonly time?: string;
  readonly fieldsV1?: JsonObject;
}

export interface Owner {
  readonly manager: string;
  readonly operation: string;
  readonly subresource: string;
  readonly time: string;
}

export type Step =
  | { readonly field: string }
  /** A list item; items of a set are identified by their value. */
  | { readonly index: number; readonly item: unknown };

export interface Field {
  readonly path: readonly Step[];
  /** In the notation of the server: spec.ports[0].name, metadata.labels['a.b/c']. */
  readonly name: string;
  readonly value: unknown;
  readonly owners: readonly Owner[];
}

/** Owns the field and all below it. */
const ALL = "all";
type Owned = JsonObject | typeof ALL | undefined;

interface Entry {
  readonly owner: Owner;
  readonly owned: Owned;
}

/** Fields that record the write itself, not written by a field manager. */
const UNSAID = new Set(["metadata.managedFields", "metadata.resourceVersion"]);

export function fieldsOf(object: JsonObject, managed: readonly ManagedFields[]): Field[] {
  const entries = managed.map(({ fieldsV1 = {}, ...entry }) => ({
    owner: { manager: "", operation: "", subresource: "", time: "", ...entry },
    owned: fieldsV1,
  }));
  return [...leaves(object, [], entries)].filter(({ name }) => !UNSAID.has(name));
}

function* leaves(value: unknown, path: readonly Step[], entries: readonly Entry[]): Generator<Field> {
  const name = pathText(path);
  const steps = UNSAID.has(name) ? [] : stepsInto(value, entries);
  if (steps.length === 0) {
    const owners = entries.filter(({ owned }) => owned !== undefined).map(({ owner }) => owner);
    yield { path, name, value, owners };
    return;
  }
  for (const { step, value: inside } of steps) {
    const below = entries.map(({ owner, owned }) => ({ owner, owned: into(owned, step) }));
    yield* leaves(inside, [...path, step], below);
  }
}

interface Inside {
  readonly step: Step;
  readonly value: unknown;
}

/**
 * Members of an object, or items of a list. Lists of scalars count as one value, unless a field set owns single items
 * (v:).
 */
function stepsInto(value: unknown, entries: readonly Entry[]): Inside[] {
  if (isObject(value))
    return Object.entries(value).map(([field, inside]) => ({ step: { field }, value: inside }));
  if (!Array.isArray(value)) return [];
  const isOfItems =
    value.every(isObject) ||
    entries.some(({ owned }) => isObject(owned) && Object.keys(owned).some((key) => key.startsWith("v:")));
  return isOfItems ? value.map((item, index) => ({ step: { index, item }, value: item })) : [];
}

function into(owned: Owned, step: Step): Owned {
  if (owned === undefined || owned === ALL) return owned;
  const found = "field" in step ? owned[`f:${step.field}`] : itemOf(owned, step);
  if (!isObject(found)) return undefined;
  return Object.keys(found).some((key) => key !== ".") ? found : ALL;
}

function itemOf(owned: JsonObject, { index, item }: Extract<Step, { index: number }>): unknown {
  const key = Object.keys(owned).find((key) => {
    const [type, text] = [key.slice(0, 2), key.slice(2)];
    if (type === "k:") return hasKeys(item, parsedJson(text));
    return type === "v:" ? text === JSON.stringify(item) : type === "i:" && Number(text) === index;
  });
  return key === undefined ? undefined : owned[key];
}

export const hasKeys = (item: unknown, keys: unknown): boolean =>
  isObject(item) &&
  isObject(keys) &&
  Object.entries(keys).every(([name, value]) => String(item[name]) === String(value));

const PLAIN = /^[A-Za-z_$][\w$-]*$/;

function pathText(path: readonly Step[]): string {
  let text = "";
  for (const step of path) {
    if ("index" in step) text += `[${step.index}]`;
    else if (PLAIN.test(step.field)) text += text === "" ? step.field : `.${step.field}`;
    else text += `['${step.field}']`;
  }
  return text;
}

/** The newest managedFields entry; undefined if there is none. */
export const lastOwner = (managed: readonly ManagedFields[]): ManagedFields | undefined =>
  managed.toSorted(({ time: a = "" }, { time: b = "" }) => (a < b ? -1 : a > b ? 1 : 0)).at(-1);
