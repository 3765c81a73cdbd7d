// Reads Kubernetes manifests: one or several YAML documents, or JSON, in a file or in all files of a folder. Loads
// those that the options name.

import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { cloneJson, isObject, type JsonObject } from "../apimachinery/json/json.ts";
import { append } from "../apimachinery/meta/lists.ts";
import type { KubeObject } from "../apimachinery/meta/object-meta.ts";
import { builtFile, packageFile } from "../apimachinery/meta/package-files.ts";
import { StatusError } from "../apimachinery/meta/status.ts";
import { systemReason } from "../apimachinery/meta/system-reason.ts";
import { applyJsonPatch, readJsonPatch } from "../apimachinery/patch/json-patch.ts";
import { decodeValue } from "../apimachinery/yaml/decode-yaml.ts";
import type { ResourceRegistry } from "../apiserver/registry/resource-registry.ts";
import { type ClientFactory, resourceOf } from "../controller/client.ts";
import type { Profile } from "../controller/emulated-release.ts";
import { readDocuments } from "../features/control-surface/read-body.ts";
import { StartError } from "./errors.ts";
import type { ServerOptions } from "./options/options.ts";
import { ALL_KINDS, chosenKinds, NO_KINDS } from "./options/shipped-kinds.ts";

const ENDINGS = /\.(yaml|yml|json)$/;

/** A file without Kubernetes objects. The message is one line. */
export class ManifestError extends StartError {}

/**
 * All objects in a file, or in those files below a folder whose text matches `wanted`. Lists are expanded. Throws
 * ManifestError.
 */
export async function readManifests(path: string, wanted = /^/): Promise<KubeObject[]> {
  const objects: KubeObject[] = [];
  for (const file of await manifestFiles(path)) {
    const text = await readFile(file, "utf8").catch((cause) => {
      throw new ManifestError(`${file} cannot be read${systemReason(cause)}`, { cause });
    });
    if (wanted.test(text)) append(objects, parseManifests(file, text));
  }
  return objects;
}

/** The CustomResourceDefinitions of the package, in their newest form. */
export const readShippedDefinitions = (): Promise<KubeObject[]> =>
  readManifests(packageFile("schemas"), /^kind: CustomResourceDefinition$/m);

/** The file, or all manifest files below the folder, by file extension. Throws ManifestError. */
export async function manifestFiles(path: string): Promise<string[]> {
  let isFolder: boolean;
  try {
    isFolder = (await stat(path)).isDirectory();
  } catch (cause) {
    throw new ManifestError(`${path} cannot be read${systemReason(cause)}`, { cause });
  }
  if (!isFolder) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && ENDINGS.test(entry.name));
  return files.map((entry) => join(entry.parentPath, entry.name)).sort();
}

/** The objects in a text. Errors name it `file`. Throws ManifestError. */
export function parseManifests(file: string, text: string): KubeObject[] {
  try {
    return readDocuments(text);
  } catch (error) {
    throw error instanceof StatusError
      ? new ManifestError(`${file}: ${error.message}`, { cause: error })
      : error;
  }
}

/** Whether the value has a kind and metadata. */
export const looksLikeObject = (value: unknown): value is KubeObject =>
  isObject(value) && typeof value["kind"] === "string" && isObject(value["metadata"]);

/** The CustomResourceDefinitions of --schemas. Throws StartError. */
export async function furtherDefinitions({ schemas }: ServerOptions): Promise<KubeObject[]> {
  const further = (await Promise.all(schemas.map((path) => readManifests(path)))).flat();
  const wrong = further.find((object) => object.kind !== "CustomResourceDefinition");
  if (wrong === undefined) return further;
  const { kind, metadata } = wrong;
  throw new StartError(`--schemas takes CustomResourceDefinitions only, not ${kind} ${metadata.name}`);
}

export interface LoadListeners {
  /** Called with the number of applied objects of a file, and their total. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  /** Called with each path of --load and its number of objects. */
  readonly onRead?: (path: string, objects: number) => void;
}

interface LoadedInto {
  readonly clientFor: ClientFactory;
  readonly registry: ResourceRegistry;
  /** Resolves once the served resources match the CustomResourceDefinitions in the store. */
  settled(): Promise<void>;
}

/**
 * Applies the objects of --load, then the others, like `kubectl apply`: existing objects are changed, missing ones
 * are created. Throws ManifestError.
 */
export async function loadManifests(
  { clientFor, registry, settled }: LoadedInto,
  { load }: ServerOptions,
  others: readonly KubeObject[],
  { onProgress, onRead }: LoadListeners = {},
): Promise<void> {
  const client = clientFor("egret");
  const find = ({ apiVersion = "", kind = "" }: KubeObject) => registry.findByKind(apiVersion, kind);
  const apply = async (path: string, object: KubeObject): Promise<void> => {
    const { name = "", namespace = "default" } = object.metadata;
    if (find(object) === undefined) await settled(); // a CustomResourceDefinition may have been applied just before
    const view = find(object);
    if (view === undefined)
      throw new ManifestError(`${path}: no kind ${object.kind} of ${object.apiVersion} is served (${name})`);
    const key = { namespace: view.definition.namespaceScoped ? namespace : "", name };
    await client.patch(resourceOf(view), key, { type: "apply", body: object, force: true }).catch((error) => {
      if (!(error instanceof StatusError)) throw error;
      throw new ManifestError(`${path}: ${error.message}`, { cause: error });
    });
  };
  const applyAll = async (path: string, objects: readonly KubeObject[]): Promise<void> => {
    for (const [index, object] of objects.entries()) {
      onProgress?.(index, objects.length);
      await apply(path, object);
    }
  };
  for (const path of load) {
    const objects = await readManifests(path);
    onRead?.(path, objects.length);
    await applyAll(path, objects);
  }
  await applyAll("objects", others);
}

// CustomResourceDefinitions by profile: the newest, or those of an older product. A profile is data
// (schemas/profiles/NAME.yaml): the names of its definitions, and their differences from the newest.

/** The profile of the unchanged definitions in schemas/. */
export const NEWEST: Profile = "ovn-kubernetes-2026";

interface ProfileFile {
  /** The names of the served definitions. */
  readonly serves: readonly string[];
  readonly changes: Readonly<Record<string, Change>>;
}

interface Change {
  readonly patch: readonly JsonObject[];
  /** Removes the list and map types, which older definitions lack. */
  readonly withoutListTypes?: boolean;
  /** Fields that keep their list and map types. */
  readonly keeps?: readonly string[];
}

const LIST_TYPES = ["x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-map-type"];

/** Written by scripts/pack-schemas.ts. */
export const packedDefinitions = (profile: Profile): string => `definitions-${profile}.json`;

/** The CustomResourceDefinitions of a profile that --kinds selects: packed by the build, or from the YAML files. */
export async function definitionsOf(profile: Profile, kinds = ALL_KINDS): Promise<KubeObject[]> {
  if (kinds === NO_KINDS) return [];
  const packed = builtFile(packedDefinitions(profile));
  const all: KubeObject[] =
    packed === undefined ? await readDefinitionsOf(profile) : JSON.parse(await readFile(packed, "utf8"));
  const isChosen = chosenKinds(kinds);
  return all.filter(({ metadata }) => isChosen(metadata.name ?? ""));
}

/** Reads the YAML files of the package, which is slower. */
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
  return result as KubeObject; // patches of this package keep kind and metadata
}

/** The exception for a field in `keeps` does not extend to its subfields. */
function withoutListTypes(value: unknown, keeps: readonly string[], isKept = false): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutListTypes(item, keeps));
  if (!isObject(value)) return value;
  const members = Object.entries(value)
    .filter(([key]) => isKept || !LIST_TYPES.includes(key))
    .map(([key, member]) => [key, withoutListTypes(member, keeps, keeps.includes(key))]);
  return Object.fromEntries(members);
}
