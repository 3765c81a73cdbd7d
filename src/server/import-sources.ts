// Reads the sources of an import.

import type { KubeObject } from "../apimachinery/meta/object-meta.ts";
import type { ImportReport } from "../features/import/report.ts";
import { type Collected, collect } from "../features/import/sources/collect.ts";
import { readFiles } from "../features/import/sources/files.ts";
import type { SourceLimits } from "../features/import/sources/limits.ts";
import { SourceError, type SourceItem } from "../features/import/sources/source.ts";
import { StartError } from "./errors.ts";

export interface ReadSources extends Pick<Collected, "notes"> {
  /** One state per object, including generated definitions for kinds without one. */
  readonly objects: readonly KubeObject[];
  readonly skipped: ImportReport["skipped"];
}

/** Reads files, folders and archives; - is standard input. Throws StartError. */
export const readSources = (
  paths: readonly string[],
  onRead?: (count: number) => void,
  limits?: SourceLimits,
): Promise<ReadSources> => readItems(filesOf(paths, limits), onRead);

/** Reads files, folders and archives, one after the other. */
export async function* filesOf(
  paths: readonly string[],
  limits?: SourceLimits,
): AsyncGenerator<SourceItem, void, undefined> {
  for (const path of paths) yield* readFiles(path, limits);
}

/** Throws StartError. */
export async function readItems(
  items: AsyncIterable<SourceItem>,
  onRead: (count: number) => void = () => {},
): Promise<ReadSources> {
  let count = 0;
  const counted = (object: KubeObject): KubeObject => {
    onRead(++count);
    return object;
  };
  const { objects, kinds, notes, skipped } = await collect(items, counted).catch((error) => {
    throw error instanceof SourceError ? new StartError(error.message, { cause: error }) : error;
  });
  return { objects: [...definitionsFor(objects, kinds), ...objects], notes, skipped: skipped.reasons };
}

/** Generates a definition for each custom kind whose definition is not among the objects. */
function definitionsFor(objects: readonly KubeObject[], kinds: Collected["kinds"]): KubeObject[] {
  const made = new Map<string, KubeObject>();
  const defined = new Set(
    objects.filter(({ kind }) => kind === "CustomResourceDefinition").map(({ metadata }) => metadata.name),
  );
  const seen = new Set<string>();
  for (const { apiVersion = "", kind = "" } of objects) {
    if (seen.has(`${apiVersion}/${kind}`)) continue;
    seen.add(`${apiVersion}/${kind}`);
    const definition = kinds.definitionFor(apiVersion, kind);
    const { name = "" } = definition?.metadata ?? {};
    if (definition !== undefined && !defined.has(name)) made.set(name, definition);
  }
  return [...made.values()];
}
