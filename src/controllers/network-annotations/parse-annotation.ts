// Annotations of nodes whose value is JSON.
import type { KubeObject } from "../../meta/object-meta.ts";

/** The JSON in an annotation; undefined when the annotation is absent or holds none. */
export function parseAnnotation(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const readOf = new WeakMap<KubeObject, Map<string, unknown>>();

/** The same of an object that many ask: each of its annotations is read once. Nobody may change what he gets. */
export function readAnnotation(object: KubeObject, key: string): unknown {
  let read = readOf.get(object);
  if (read === undefined) {
    read = new Map();
    readOf.set(object, read);
  }
  if (!read.has(key)) read.set(key, parseAnnotation(object.metadata.annotations?.[key]));
  return read.get(key);
}
