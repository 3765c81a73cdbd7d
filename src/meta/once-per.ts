// What is derived from an object that never changes is derived once, and goes with the object; and what never changes is made
// once, when it is first asked for.

import { cloneText } from "../go/clone.ts";

/**
 * A function that derives its answer once for each object, or for what `keyOf` finds in it: another version of an object is
 * another object.
 */
export function oncePer<Of extends object, Answer>(
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
 * The same for short texts that come again and again, such as the times in an object that is written often. So many are
 * remembered; then all are forgotten. What is derived is shared, and must not be changed.
 */
export function oncePerText<Answer>(derive: (text: string) => Answer): (text: string) => Answer {
  const known = new Map<string, Answer>();
  return (text) => {
    let answer = known.get(text);
    if (answer === undefined && !known.has(text)) {
      if (text.length > TEXT_LENGTH_MAX) return derive(text);
      const own = cloneText(text); // neither the key nor the answer keeps the body in which it came
      answer = derive(own);
      if (known.size >= TEXTS_MAX) known.clear();
      known.set(own, answer);
    }
    return answer as Answer; // it may be undefined
  };
}

/** A function that makes its answer at the first call: most starts do without. */
export function lazy<Answer extends object>(make: () => Answer): () => Answer {
  let made: Answer | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
