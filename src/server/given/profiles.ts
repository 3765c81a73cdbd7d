// Which custom kinds are there from the start, and in which form: the newest, or those of an older product. A profile
// is data (schemas/profiles/NAME.yaml): the names of its definitions and how they differ from the newest.
import { readFile } from "node:fs/promises";
import type { Profile } from "../../controllers/kit/settings.ts";
import { cloneJson, isObject, type JsonObject } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { builtFile, packageFile } from "../../meta/package-files.ts";
import { applyJsonPatch, readJsonPatch } from "../../patch/json-patch.ts";
import { decodeValue } from "../../yaml/decode-yaml.ts";
import { readShippedDefinitions } from "./manifests.ts";

/** The profile of the definitions as they lie in schemas/. */
export const NEWEST: Profile = "ovn-kubernetes-2026";

interface ProfileFile {
  /** The names of the definitions that there are. */
  readonly serves: readonly string[];
  readonly changes: Readonly<Record<string, Change>>;
}

interface Change {
  readonly patch: readonly JsonObject[];
  /** Takes the list and map types away, which older definitions did not have. */
  readonly withoutListTypes?: boolean;
  /** Fields that have theirs nevertheless. */
  readonly keeps?: readonly string[];
}

const LIST_TYPES = ["x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-map-type"];

/** Made by scripts/pack-schemas.ts. */
export const packedDefinitions = (profile: Profile): string => `definitions-${profile}.json`;

/** The CustomResourceDefinitions of a profile: as the build packed them, or from their YAML files. */
export async function definitionsOf(profile: Profile): Promise<KubeObject[]> {
  const packed = builtFile(packedDefinitions(profile));
  return packed === undefined ? readDefinitionsOf(profile) : JSON.parse(await readFile(packed, "utf8"));
}

/** The same from the YAML files of the package, which is slower. */
export async function readDefinitionsOf(profile: Profile): Promise<KubeObject[]> {
  const newest = await readShippedDefinitions();
  if (profile === NEWEST) return newest;
  const text = await readFile(packageFile("schemas", "profiles", `${profile}.yaml`), "utf8");
  const { serves, changes } = decodeValue(text) as ProfileFile; // a file of this package in this form
  return serves.map((name) => {
    const definition = newest.find(({ metadata }) => metadata.name === name);
    if (definition === undefined) throw new Error(`the profile ${profile} names ${name}, which is not there`);
    return changed(definition, changes[name]);
  });
}

function changed(definition: KubeObject, change: Change | undefined): KubeObject {
  if (change === undefined) return definition;
  const { operations } = readJsonPatch(cloneJson(change.patch));
  const patched = applyJsonPatch(definition, operations);
  const result = change.withoutListTypes ? withoutListTypes(patched, change.keeps ?? []) : patched;
  return result as KubeObject; // patches of ours leave kind and metadata
}

function withoutListTypes(value: unknown, keeps: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutListTypes(item, keeps));
  if (!isObject(value)) return value;
  const members = Object.entries(value)
    .filter(([key]) => !LIST_TYPES.includes(key))
    .map(([key, member]) => [
      key,
      keeps.includes(key) ? keepingOwn(member, keeps) : withoutListTypes(member, keeps),
    ]);
  return Object.fromEntries(members);
}

/** The types of the field itself stay, those of its parts do not. */
function keepingOwn(value: unknown, keeps: readonly string[]): unknown {
  if (!isObject(value)) return value;
  const own = Object.entries(value).filter(([key]) => LIST_TYPES.includes(key));
  return Object.assign({}, withoutListTypes(value, keeps), Object.fromEntries(own));
}
