// format.dns1123Label() and its kin: the name rules of Kubernetes as values, with the texts of what is wrong.

import { isGoDate, parseRfc3339 } from "../../../go/time.ts";
import { requestUriProblem } from "../../../go/url.ts";
import { append } from "../../../meta/lists.ts";
import { type FunctionDecl, global, member } from "../../language/overload.ts";
import { type CelType, listOf, optionalOf, STRING, struct } from "../../language/types.ts";
import { ArrayList } from "../../values/collections.ts";
import { OPTIONAL_NONE, type OpaqueValue, Optional, type Value } from "../../values/value.ts";
import { instanceAt, Opaque, textAt } from "../args.ts";

const FORMAT = struct("kubernetes.NamedFormat");

type Check = (text: string) => readonly string[];

export class FormatValue extends Opaque {
  readonly celType: CelType = FORMAT;
  readonly name: string;
  readonly check: Check;
  /** What the cost rules take for the length of the pattern. */
  readonly patternSize: number;
  constructor(name: string, patternSize: number, check: Check) {
    super();
    this.name = name;
    this.patternSize = patternSize;
    this.check = check;
  }
  equals(other: OpaqueValue): boolean {
    return other instanceof FormatValue && this.name === other.name;
  }
}

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

let formats: ReadonlyMap<string, FormatValue> | undefined;

function namedFormats(): ReadonlyMap<string, FormatValue> {
  formats ??= new Map(
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
    ).map(([key, name, size, check]): [string, FormatValue] => [key, new FormatValue(name, size, check)]),
  );
  return formats;
}

function validate(args: readonly Value[]): Value {
  const problems = instanceAt(args, 0, FormatValue).check(textAt(args, 1));
  return problems.length === 0 ? OPTIONAL_NONE : new Optional(new ArrayList([...problems]));
}

function named(args: readonly Value[]): Value {
  const found = namedFormats().get(textAt(args, 0));
  return found ? new Optional(found) : OPTIONAL_NONE;
}

export function namedFormatFunctions(): FunctionDecl[] {
  const constants = [...namedFormats()].map(([key, format]): FunctionDecl => {
    const name = `format.${key}`;
    return { name, overloads: [global(name, [], FORMAT, () => format)] };
  });
  const problems = optionalOf(listOf(STRING));
  return [
    { name: "validate", overloads: [member("format-validate", [FORMAT, STRING], problems, validate)] },
    { name: "format.named", overloads: [global("format-named", [STRING], optionalOf(FORMAT), named)] },
    ...constants,
  ];
}
