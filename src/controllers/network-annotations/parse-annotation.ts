/** The JSON in an annotation; undefined when the annotation is absent or holds none. */
export function parseAnnotation(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
