// Whether an object has what an applied configuration asks for already; what others or defaults added does not count.
import { equalJson, isObject } from "../../meta/json.ts";

/** True if applying wanted would change nothing in live. Lists have to agree item by item. */
export function covers(live: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    if (!Array.isArray(live) || live.length !== wanted.length) return false;
    return wanted.every((item, index) => covers(live[index], item));
  }
  if (!isObject(wanted)) return equalJson(live, wanted);
  return isObject(live) && Object.entries(wanted).every(([key, value]) => covers(live[key], value));
}
