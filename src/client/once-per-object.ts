// What is read out of a text that a client wrote (an annotation, a configuration) is read once per version of the object:
// the text may have hundreds of kilobytes, and thousands of others may refer to it.
import type { KubeObject } from "../meta/object-meta.ts";

/** A function that derives its answer once from each object; another version of it is another object. */
export function oncePerObject<T>(derive: (object: KubeObject) => T): (object: KubeObject) => T {
  const known = new WeakMap<KubeObject, { readonly answer: T }>();
  return (object) => {
    let found = known.get(object);
    if (found === undefined) {
      found = { answer: derive(object) };
      known.set(object, found);
    }
    return found.answer;
  };
}
