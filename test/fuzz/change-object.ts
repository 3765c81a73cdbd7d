// Changes of objects as a user might make them by mistake: a field is chosen along the schema, whether it is set or not.
import { isObject } from "../../src/apimachinery/json/json.ts";
import type { Random } from "../support/random.ts";
import { ValueDrawer } from "./draw-value.ts";
import type { PublishedSchema, ServedKind } from "./served-api.ts";

/** A member of the object, or one that the schema allows. */
interface Place {
  readonly holder: Record<string, unknown> | unknown[];
  readonly key: string | number;
  readonly path: readonly (string | number)[];
  readonly schema: PublishedSchema;
}

/** Identifying fields are kept, or every request would be rejected only for them. */
const KEPT = new Set(["apiVersion", "kind", "metadata"]);
const METADATA: PublishedSchema = {
  type: "object",
  properties: {
    labels: { type: "object", additionalProperties: { type: "string" } },
    annotations: { type: "object", additionalProperties: { type: "string" } },
    finalizers: { type: "array", items: { type: "string" } },
    resourceVersion: { type: "string" },
    uid: { type: "string" },
    generation: { type: "integer" },
  },
};
const METADATA_CHANCE = 0.1;
/** Deeper fields are many, so a field is chosen level by level and the descent stops at random. */
const DEEPER_CHANCE = 0.75;

type KubeBody = Record<string, unknown>;
type Change = (place: Place, drawer: ValueDrawer) => void;

const CHANGES: readonly Change[] = [
  (place, drawer) => put(place, drawer.fitting(place.schema)),
  (place, drawer) => put(place, drawer.fitting(place.schema)),
  (place, drawer) => put(place, drawer.doubtful(place.schema)),
  (place, drawer) => put(place, drawer.doubtful(place.schema)),
  (place, drawer) => put(place, drawer.misfit(place.schema)),
  (place) => put(place, null),
  (place) => remove(place),
  (place, drawer) => {
    if (!Array.isArray(place.holder)) place.holder[drawer.random.one(["unknownField", "x-y"])] = 1;
  },
  (place) => {
    if (Array.isArray(place.holder)) place.holder.push(structuredClone(place.holder[Number(place.key)]));
  },
];

/** Returns a copy of the object with so many changes, and their paths. */
export function changed(
  object: KubeBody,
  { schema, resolve }: Pick<ServedKind, "schema" | "resolve">,
  random: Random,
  count: number,
): { readonly object: KubeBody; readonly paths: readonly (readonly (string | number)[])[] } {
  const copy = structuredClone(object);
  const drawer = new ValueDrawer(random, resolve);
  const paths: (readonly (string | number)[])[] = [];
  for (let index = 0; index < count; index++) {
    const place = placeIn(copy, schema ?? {}, drawer, resolve);
    if (place === undefined) break;
    drawer.random.one(CHANGES)(place, drawer);
    paths.push(place.path);
  }
  return { object: copy, paths };
}

function placeIn(
  object: KubeBody,
  schema: PublishedSchema,
  drawer: ValueDrawer,
  resolve: ServedKind["resolve"],
): Place | undefined {
  if (drawer.random.chance(METADATA_CHANCE))
    return descend(
      { holder: object, key: "metadata", path: ["metadata"], schema: METADATA },
      drawer,
      resolve,
    );
  const names = Object.keys(resolve(schema).properties ?? {}).filter((name) => !KEPT.has(name));
  // Present fields are preferred to absent ones.
  const present = names.filter((name) => name in object);
  const choices = present.length > 0 && drawer.random.chance(0.8) ? present : names;
  if (choices.length === 0) return undefined;
  const key = drawer.random.one(choices);
  const below = resolve(schema).properties?.[key] ?? {};
  return descend({ holder: object, key, path: [key], schema: below }, drawer, resolve);
}

function descend(place: Place, drawer: ValueDrawer, resolve: ServedKind["resolve"]): Place {
  const value = Array.isArray(place.holder) ? place.holder[Number(place.key)] : place.holder[place.key];
  const schema = resolve(place.schema);
  const below = placesBelow(value, schema, place.path);
  if (below.length === 0 || !drawer.random.chance(DEEPER_CHANCE)) return place;
  return descend(drawer.random.one(below), drawer, resolve);
}

function placesBelow(value: unknown, schema: PublishedSchema, path: Place["path"]): Place[] {
  if (Array.isArray(value))
    return value.map((_item, key) => ({
      holder: value,
      key,
      path: [...path, key],
      schema: schema.items ?? {},
    }));
  if (!isObject(value)) return [];
  const { properties = {}, additionalProperties } = schema;
  const others = typeof additionalProperties === "object" ? Object.keys(value) : [];
  return [...new Set([...Object.keys(properties), ...others])].map((key) => ({
    holder: value,
    key,
    path: [...path, key],
    schema: properties[key] ?? (typeof additionalProperties === "object" ? additionalProperties : {}),
  }));
}

function put({ holder, key }: Place, value: unknown): void {
  if (Array.isArray(holder)) holder[Number(key)] = value;
  else holder[key] = value;
}

function remove({ holder, key }: Place): void {
  if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else delete holder[key];
}
