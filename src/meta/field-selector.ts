// Field selectors: "metadata.name=a,status.phase!=Running". Which fields a resource supports is the caller's to check.
// In values a backslash stands before comma, equals sign and backslash.
import { badRequest } from "./status.ts";

export interface FieldRequirement {
  readonly field: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

/** Reads a fieldSelector parameter; the requirements are in the order of their texts. Throws a 400 StatusError. */
export function parseFieldSelector(selector: string): FieldRequirement[] {
  const requirements: FieldRequirement[] = [];
  for (const term of splitTerms(selector).sort()) {
    if (term === "") continue;
    const match = /^([\s\S]*?)(!=|==|=)([\s\S]*)$/.exec(term);
    if (!match) throw badRequest(`invalid selector: '${selector}'; can't understand '${term}'`);
    const [, field = "", operator, escaped = ""] = match;
    requirements.push({ field, operator: operator === "!=" ? "!=" : "=", value: unescapeValue(escaped) });
  }
  return requirements;
}

/** Splits at commas that no backslash stands before. */
function splitTerms(selector: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let at = 0; at < selector.length; at++) {
    if (selector[at] === "\\") at++;
    else if (selector[at] === ",") {
      terms.push(selector.slice(start, at));
      start = at + 1;
    }
  }
  terms.push(selector.slice(start));
  return terms;
}

function unescapeValue(text: string): string {
  return text.replace(/\\([\s\S]?)|[,=]/gu, (found, escaped: string | undefined) => {
    if (escaped === undefined) {
      throw badRequest(`invalid field selector: unescaped character in value: ${found.charCodeAt(0)}`);
    }
    if (escaped === "\\" || escaped === "," || escaped === "=") return escaped;
    throw badRequest(`invalid field selector: invalid escape sequence: ${found}`);
  });
}
