// Field selectors: "metadata.name=a,status.phase!=Running". The caller checks which fields a resource supports. In
// values a backslash escapes a comma, an equals sign and a backslash.
import { SELECTOR_CHARS_MAX, SELECTOR_TERMS_MAX } from "./label-selector-text.ts";
import { ownText } from "./packed-texts.ts";
import { compileRules } from "./selector-rules.ts";
import { badRequest } from "./status.ts";

export interface FieldRequirement {
  readonly field: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

/** Compiled field requirements, all of which must hold. */
export interface FieldSelector {
  /** The required metadata.name; the first if there are several. */
  readonly name: string | undefined;
  /** The required values of the field; undefined: none. */
  allowed(field: string): readonly string[] | undefined;
  /** `valueAt` returns "" for an absent field. */
  matches(valueAt: (field: string) => string): boolean;
}

/** Undefined if there are no requirements. */
export function compileFields(requirements: readonly FieldRequirement[]): FieldSelector | undefined {
  const rules = compileRules(
    requirements.map(({ field, operator, value }) => ({ key: field, operator, values: [value] })),
  );
  if (rules === undefined) return undefined;
  const named = requirements.find(({ field, operator }) => field === "metadata.name" && operator === "=");
  return {
    name: named && ownText(named.value),
    allowed: (field) => rules.allowed(field)?.list(),
    matches: (valueAt) => rules.matchValues(valueAt),
  };
}

/** Parses a fieldSelector parameter. The requirements keep the order of the text. Throws a 400 StatusError. */
export function parseFieldSelector(selector: string): FieldRequirement[] {
  if (selector.length > SELECTOR_CHARS_MAX)
    throw badRequest(`the selector is longer than ${SELECTOR_CHARS_MAX} characters`);
  const requirements: FieldRequirement[] = [];
  for (const term of splitTerms(selector).sort()) {
    if (term === "") continue;
    const sign = term.indexOf("=");
    if (sign < 0) throw badRequest(`invalid selector: '${selector}'; can't understand '${term}'`);
    const isNot = term[sign - 1] === "!";
    const isDouble = !isNot && term[sign + 1] === "=";
    const field = term.slice(0, isNot ? sign - 1 : sign);
    const value = unescapeValue(term.slice(sign + (isDouble ? 2 : 1)));
    requirements.push({ field, operator: isNot ? "!=" : "=", value });
  }
  return requirements;
}

const [BACKSLASH, COMMA] = [92, 44];

/** Splits at unescaped commas. */
function splitTerms(selector: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let at = 0; at < selector.length; at++) {
    const letter = selector.charCodeAt(at);
    if (letter === BACKSLASH) at++;
    else if (letter === COMMA) {
      terms.push(selector.slice(start, at));
      if (terms.length > SELECTOR_TERMS_MAX)
        throw badRequest(`the selector has more than ${SELECTOR_TERMS_MAX} requirements and values`);
      start = at + 1;
    }
  }
  terms.push(selector.slice(start));
  return terms;
}

const ESCAPED_OR_SEPARATOR = /[\\,=]/;

function unescapeValue(text: string): string {
  if (!ESCAPED_OR_SEPARATOR.test(text)) return text;
  return text.replace(/\\([\s\S]?)|[,=]/gu, (found, escaped: string | undefined) => {
    if (escaped === undefined) {
      throw badRequest(`invalid field selector: unescaped character in value: ${found.charCodeAt(0)}`);
    }
    if (escaped === "\\" || escaped === "," || escaped === "=") return escaped;
    throw badRequest(`invalid field selector: invalid escape sequence: ${found}`);
  });
}
