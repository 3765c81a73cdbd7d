// format.dns1123Label() and its kin: the name rules of Kubernetes as values, with the texts of what is wrong.

import { isGoDate, parseRfc3339 } from "../../../go/time.ts";
import { requestUriProblem } from "../../../go/url.ts";
import { append } from "../../../meta/lists.ts";
import { struct } from "../../language/types.ts";
import { ArrayList } from "../../values/collections.ts";
import { LibraryType, type LibraryValue, type Value } from "../../values/value.ts";
import { declareWith, type FunctionDecl } from "../declare.ts";
import { toOptional } from "../optionals.ts";
import { costToTraverse, matchCost, type Price, REGEX_LENGTH, sizeAt } from "../price.ts";

type Check = (text: string) => readonly string[];

interface Format {
  readonly name: string;
  /** What the cost rules take for the length of the pattern. */
  readonly patternSize: number;
  readonly check: Check;
}

const FORMAT = new LibraryType<Format>(struct("kubernetes.NamedFormat"), (a, b) => a.name === b.name);
const declare = declareWith({ Format: FORMAT.type });

const DNS1123_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const DNS1123_SUBDOMAIN = `${DNS1123_LABEL}(\\.${DNS1123_LABEL})*`;
const DNS1035_LABEL = "[a-z]([-a-z0-9]*[a-z0-9])?";
const QUALIFIED_NAME = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const LABEL_VALUE = `(${QUALIFIED_NAME})?`;

function patternText(text: string, pattern: string, ...examples: string[]): string {
  const shown = examples.map((example) => `'${example}', `).join(" or ");
  return `${text} (e.g. ${shown}regex used for validation is '${pattern}')`;
}

function matchRule(pattern: string, lengthMax: number, problem: string): Check {
  const whole = new RegExp(`^${pattern}$`);
  return (text) => {
    const found: string[] = [];
    if (Buffer.byteLength(text) > lengthMax) found.push(`must be no more than ${lengthMax} bytes`);
    if (!whole.test(text)) found.push(problem);
    return found;
  };
}

const isLabel = matchRule(
  DNS1123_LABEL,
  63,
  patternText(
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
    DNS1123_LABEL,
    "my-name",
    "123-abc",
  ),
);
const isSubdomain = matchRule(
  DNS1123_SUBDOMAIN,
  253,
  patternText(
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
    DNS1123_SUBDOMAIN,
    "example.com",
  ),
);
const isDns1035 = matchRule(
  DNS1035_LABEL,
  63,
  patternText(
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
    DNS1035_LABEL,
    "my-name",
    "abc-123",
  ),
);
const isLabelValue = matchRule(
  LABEL_VALUE,
  63,
  patternText(
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    LABEL_VALUE,
    "MyValue",
    "my_value",
    "12345",
  ),
);

const QUALIFIED_TEXT =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

function isQualifiedName(text: string): readonly string[] {
  const parts = text.split("/");
  if (parts.length > 2) {
    const problem = patternText(
      `a qualified name ${QUALIFIED_TEXT}`,
      QUALIFIED_NAME,
      "MyName",
      "my.name",
      "123-abc",
    );
    return [`${problem} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const found: string[] = [];
  const name = parts.at(-1) ?? "";
  const prefix = parts.length === 2 ? (parts[0] ?? "") : undefined;
  if (prefix === "") found.push("prefix part must be non-empty");
  else if (prefix !== undefined)
    append(
      found,
      isSubdomain(prefix).map((problem) => `prefix part ${problem}`),
    );
  if (name === "") found.push("name part must be non-empty");
  else if (name.length > 63) found.push("name part must be no more than 63 bytes");
  if (!new RegExp(`^${QUALIFIED_NAME}$`).test(name)) {
    found.push(patternText(`name part ${QUALIFIED_TEXT}`, QUALIFIED_NAME, "MyName", "my.name", "123-abc"));
  }
  return found;
}

/** A prefix of a generated name may end in a dash. */
const asPrefix =
  (check: Check): Check =>
  (text) =>
    check(text.length > 1 && text.endsWith("-") ? `${text.slice(0, -2)}a` : text);

const single =
  (problem: string, test: (text: string) => boolean): Check =>
  (text) =>
    test(text) ? [] : [problem];

function isUri(text: string): readonly string[] {
  const problem = requestUriProblem(text);
  return problem === undefined ? [] : [problem];
}

/** The letters may be small here, though time.Parse wants capitals. */
const isDateTime = (text: string): boolean => parseRfc3339(text.toUpperCase()) !== undefined;

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const FORMATS = new Map<string, LibraryValue<Format>>(
  (
    [
      ["dns1123Label", "DNS1123Label", 30, isLabel],
      ["dns1123Subdomain", "DNS1123Subdomain", 60, isSubdomain],
      ["dns1035Label", "DNS1035Label", 30, isDns1035],
      ["qualifiedName", "QualifiedName", 60, isQualifiedName],
      ["dns1123LabelPrefix", "DNS1123LabelPrefix", 30, asPrefix(isLabel)],
      ["dns1123SubdomainPrefix", "DNS1123SubdomainPrefix", 60, asPrefix(isSubdomain)],
      ["dns1035LabelPrefix", "DNS1035LabelPrefix", 30, asPrefix(isDns1035)],
      ["labelValue", "LabelValue", 40, isLabelValue],
      ["uri", "URI", 1000, isUri],
      ["uuid", "uuid", 103, single("does not match the UUID format", (text) => UUID.test(text))],
      ["byte", "byte", 84, single("invalid base64", (text) => BASE64.test(text))],
      ["date", "date", 110, single("invalid date", isGoDate)],
      ["datetime", "datetime", 110, single("invalid datetime", isDateTime)],
    ] as const
  ).map(([key, name, patternSize, check]) => [key, FORMAT.of({ name, patternSize, check })]),
);

function validate({ content }: LibraryValue<Format>, text: string): Value {
  const problems = content.check(text);
  return toOptional(problems.length === 0 ? undefined : new ArrayList([...problems]));
}

/** The estimate takes this for the length of any pattern. */
const PATTERN_SIZE = 128;

const validating: Price = {
  cost: ([format, text]) => matchCost(text, FORMAT.contentOf(format)?.patternSize ?? 1),
  estimate: (operands) => ({
    cost: Math.ceil(costToTraverse(sizeAt(operands, 1)) * PATTERN_SIZE * REGEX_LENGTH),
  }),
};

export const namedFormatFunctions = (): FunctionDecl[] => [
  declare("Format.validate(string) -> optional(list(string))", validate, validating),
  declare("format.named(string) -> optional(Format)", (name: string) => toOptional(FORMATS.get(name))),
  ...[...FORMATS].map(([key, format]) => declare(`format.${key}() -> Format`, () => format)),
];
