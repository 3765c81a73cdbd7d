// Names of properties that are no identifiers of the language, or reserved words of it, are written escaped:
// "a-b" is a__dash__b, "namespace" is __namespace__.
import { lookupTable } from "../meta/json.ts";
import { RESERVED_WORDS } from "./language/token.ts";

const ESCAPES: Readonly<Record<string, string>> = lookupTable({
  __: "__underscores__",
  ".": "__dot__",
  "-": "__dash__",
  "/": "__slash__",
});

/** The name as rules write it; undefined if no rule can. */
export function escapeName(name: string): string | undefined {
  if (RESERVED_WORDS.has(name)) return `__${name}__`;
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return undefined;
  return name.replace(/__|[./-]/g, (part) => ESCAPES[part] ?? part);
}
