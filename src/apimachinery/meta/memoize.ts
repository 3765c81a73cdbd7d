// Memoization: values derived from an immutable object are cached with it, and constants are created at their first
// use.

import { cloneText } from "../go/clone.ts";

/**
 * Memoizes a function per object, or per the object that `keyOf` returns. Another version of an object is another
 * object.
 */
export function memoize<Of extends object, Answer>(
  derive: (of: Of) => Answer,
  keyOf: (of: Of) => object = (of) => of,
): (of: Of) => Answer {
  const known = new WeakMap<object, Answer>();
  return (of) => {
    const key = keyOf(of);
    let answer = known.get(key);
    if (answer === undefined && !known.has(key)) {
      answer = derive(of);
      known.set(key, answer);
    }
    return answer as Answer; // it may be undefined
  };
}

const TEXTS_MAX = 1000;
const TEXT_LENGTH_MAX = 1000;

/**
 * Memoizes a function of short texts that repeat often, such as the times in an object that is updated often. When the
 * cache is full it is cleared. Results are shared and must not be changed.
 */
export function memoizeText<Answer>(derive: (text: string) => Answer): (text: string) => Answer {
  const known = new Map<string, Answer>();
  return (text) => {
    let answer = known.get(text);
    if (answer === undefined && !known.has(text)) {
      if (text.length > TEXT_LENGTH_MAX) return derive(text);
      const own = cloneText(text); // the cache does not keep the containing request body in memory
      answer = derive(own);
      if (known.size >= TEXTS_MAX) known.clear();
      known.set(own, answer);
    }
    return answer as Answer; // it may be undefined
  };
}

/** Creates a value at the first call: most starts do not need it. */
export function lazy<Answer extends object>(make: () => Answer): () => Answer {
  let made: Answer | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
