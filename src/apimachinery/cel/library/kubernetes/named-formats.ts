// format.dns1123Label() and other named formats: the name rules of Kubernetes as values, with their error messages.

import { isBase64 } from "../../../go/base64.ts";
import { isGoDate, parseRfc3339 } from "../../../go/time.ts";
import { requestUriProblem } from "../../../go/url.ts";
import {
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isLabelValue,
  isQualifiedName,
  maskTrailingDash,
} from "../../../meta/names.ts";
import { struct } from "../../language/types.ts";
import { ArrayList } from "../../values/collections.ts";
import { LibraryType, type LibraryValue, type Value } from "../../values/value.ts";
import { declareWith, type FunctionDecl } from "../declare.ts";
import { toOptional } from "../optionals.ts";
import { costToTraverse, matchCost, type Price, REGEX_LENGTH, sizeAt } from "../price.ts";

type Check = (text: string) => readonly string[];

interface Format {
  readonly name: string;
  /** The length of the pattern in cost estimates. */
  readonly patternSize: number;
  readonly check: Check;
}

const FORMAT = new LibraryType<Format>(struct("kubernetes.NamedFormat"), (a, b) => a.name === b.name);
const declare = declareWith({ Format: FORMAT.type });

/** A prefix of a generated name may end in a dash. */
const asPrefix =
  (check: Check): Check =>
  (text) =>
    check(maskTrailingDash(text));

const single =
  (problem: string, test: (text: string) => boolean): Check =>
  (text) =>
    test(text) ? [] : [problem];

function isUri(text: string): readonly string[] {
  const problem = requestUriProblem(text);
  return problem === undefined ? [] : [problem];
}

/** Lower case letters are accepted here, though time.Parse requires upper case. */
const isDateTime = (text: string): boolean => parseRfc3339(text.toUpperCase()) !== undefined;

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;

const FORMATS = new Map<string, LibraryValue<Format>>(
  (
    [
      ["dns1123Label", "DNS1123Label", 30, isDns1123Label],
      ["dns1123Subdomain", "DNS1123Subdomain", 60, isDns1123Subdomain],
      ["dns1035Label", "DNS1035Label", 30, isDns1035Label],
      ["qualifiedName", "QualifiedName", 60, isQualifiedName],
      ["dns1123LabelPrefix", "DNS1123LabelPrefix", 30, asPrefix(isDns1123Label)],
      ["dns1123SubdomainPrefix", "DNS1123SubdomainPrefix", 60, asPrefix(isDns1123Subdomain)],
      ["dns1035LabelPrefix", "DNS1035LabelPrefix", 30, asPrefix(isDns1035Label)],
      ["labelValue", "LabelValue", 40, isLabelValue],
      ["uri", "URI", 1000, isUri],
      ["uuid", "uuid", 103, single("does not match the UUID format", (text) => UUID.test(text))],
      ["byte", "byte", 84, single("invalid base64", isBase64)],
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
