// Label selectors: the query text ("env in (a,b),!x"), and the object form of the API (matchLabels, matchExpressions).
// Both become a list of requirements that must all hold. Complaints are worded as k8s.io/apimachinery words them.

import { goQuote } from "../go/strconv.ts";
import { describeFieldError, type FieldError, invalid } from "./field-error.ts";
import { isObject, type JsonObject, lookupTable, objectAt, objectsAt, textAt, textsAt } from "./json.ts";
import { isLabelValue, isQualifiedName } from "./names.ts";
import { badRequest } from "./status.ts";

export type LabelOperator = "=" | "==" | "!=" | "in" | "notin" | "exists" | "!" | "gt" | "lt";

export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

export interface LabelSelector {
  /** In the order of their keys. */
  readonly requirements: readonly LabelRequirement[];
  /** True if it selects everything. */
  readonly isEmpty: boolean;
  matches(labels: Readonly<Record<string, string>> | undefined): boolean;
}

/** The selector cannot be understood. parseLabelSelector turns it into a 400. */
export class InvalidSelectorError extends Error {
  override readonly name = "InvalidSelectorError";
}

/** Reads a labelSelector parameter; throws a 400 StatusError. */
export function parseLabelSelector(text: string): LabelSelector {
  try {
    return selectorOf(new SelectorParser(text).parse());
  } catch (error) {
    throw error instanceof InvalidSelectorError ? badRequest(error.message) : error;
  }
}

const OBJECT_OPERATORS: Readonly<Record<string, LabelOperator>> = lookupTable({
  In: "in",
  NotIn: "notin",
  Exists: "exists",
  DoesNotExist: "!",
});

/** Reads a metav1.LabelSelector: absent selects nothing, empty selects everything. Throws InvalidSelectorError. */
export function labelSelectorFromObject(selector: unknown): LabelSelector {
  if (!isObject(selector)) return NOTHING;
  const labels = Object.entries(objectAt(selector, "matchLabels") ?? {});
  return selectorOf([
    ...labels.map(([key, value]) => requirement(key, "=", [String(value)])),
    ...objectsAt(selector, "matchExpressions").map(requirementOf),
  ]);
}

function requirementOf({ key, operator, values }: JsonObject): LabelRequirement {
  const name = String(operator ?? "");
  const meant = OBJECT_OPERATORS[name];
  if (meant === undefined) {
    throw new InvalidSelectorError(`${goQuote(name)} is not a valid label selector operator`);
  }
  const given = Array.isArray(values) && values.length > 0 ? values.map(String) : undefined;
  return requirement(String(key ?? ""), meant, given);
}

/** As labelSelectorFromObject, with what is wrong with the selector as the answer. */
export function readLabelSelector(selector: unknown): LabelSelector | InvalidSelectorError {
  try {
    return labelSelectorFromObject(selector);
  } catch (error) {
    if (error instanceof InvalidSelectorError) return error;
    throw error;
  }
}

/** Whether the selector matches; one that cannot be understood selects nothing. */
export function selects(selector: unknown, labels: Readonly<Record<string, string>> | undefined): boolean {
  const read = readLabelSelector(selector);
  return !(read instanceof InvalidSelectorError) && read.matches(labels);
}

const NOTHING: LabelSelector = { requirements: [], isEmpty: false, matches: () => false };
const EVERYTHING: LabelSelector = { requirements: [], isEmpty: true, matches: () => true };

function selectorOf(unsorted: readonly LabelRequirement[]): LabelSelector {
  if (unsorted.length === 0) return EVERYTHING;
  const requirements = [...unsorted].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const wants = requirements.map((wanted) => ({ ...wanted, listed: new Set(wanted.values) }));
  return {
    requirements,
    isEmpty: false,
    matches(labels) {
      for (const wanted of wants) if (!holds(wanted, labels)) return false;
      return true;
    },
  };
}

interface Wanted extends LabelRequirement {
  /** The values, of which there may be thousands. */
  readonly listed: ReadonlySet<string>;
}

function holds({ key, operator, values, listed }: Wanted, labels: Readonly<Record<string, string>> = {}) {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case "exists":
      return value !== undefined;
    case "!":
      return value === undefined;
    case "!=":
    case "notin":
      return value === undefined || !listed.has(value);
    case "gt":
    case "lt":
      return value !== undefined && holdsOrder(operator, value, values[0] ?? "");
    default:
      return value !== undefined && listed.has(value);
  }
}

function holdsOrder(operator: "gt" | "lt", value: string, bound: string): boolean {
  const a = parseInt64(value);
  const b = parseInt64(bound);
  if (a === undefined || b === undefined) return false;
  return operator === "gt" ? a > b : a < b;
}

function parseInt64(text: string): bigint | undefined {
  if (!/^[+-]?\d{1,40}$/.test(text)) return undefined;
  const value = BigInt(text.replace(/^\+/, ""));
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

/** A checked requirement; values left out counts as an absent list, which messages show as null. */
function requirement(key: string, operator: LabelOperator, values?: readonly string[]): LabelRequirement {
  const errors: FieldError[] = [];
  const given = values ?? [];
  const keyComplaints = isQualifiedName(key);
  if (keyComplaints.length > 0) errors.push(invalid("key", key, keyComplaints.join("; ")));
  if ((operator === "in" || operator === "notin") && given.length === 0) {
    errors.push(invalid("values", values, "for 'in', 'notin' operators, values set can't be empty"));
  }
  if ((operator === "exists" || operator === "!") && given.length > 0) {
    errors.push(invalid("values", values, "values set must be empty for exists and does not exist"));
  }
  if (operator === "gt" || operator === "lt") {
    const detail = "for 'Gt', 'Lt' operators, the value must be an integer";
    given.forEach((value, index) => {
      if (parseInt64(value) === undefined) errors.push(invalid(`values[${index}]`, value, detail));
    });
  }
  given.forEach((value, index) => {
    const complaints = isLabelValue(value);
    if (complaints.length > 0) errors.push(invalid(`values[${index}][${key}]`, value, complaints.join("; ")));
  });
  if (errors.length > 0) throw new InvalidSelectorError(describeAll(errors));
  return { key, operator, values: given };
}

function describeAll(errors: readonly FieldError[]): string {
  const shown = [...new Set(errors.map(describeFieldError))];
  return shown.length === 1 ? (shown[0] ?? "") : `[${shown.join(", ")}]`;
}

/** Symbols are one kind of token, words the other. A word counts as the keyword only where an operator is expected. */
const TOKEN = /==|!=|[=!(),<>]|[^=!(),<> \t\r\n]+/g;
const END = "";

const isWord = (token: string): boolean => /^[^=!(),<>]/.test(token);
const startsRequirement = (token: string): boolean => token === "!" || isWord(token);
/** What a value that is left out ends with. */
const endsRequirement = (token: string): boolean => token === END || token === ",";

const OPERATORS: Readonly<Record<string, LabelOperator>> = lookupTable({
  in: "in",
  notin: "notin",
  "=": "=",
  "==": "==",
  "!=": "!=",
  ">": "gt",
  "<": "lt",
});

const notExpected = (token: string, expected: string): InvalidSelectorError =>
  new InvalidSelectorError(`found '${token}', expected: ${expected}`);

class SelectorParser {
  readonly #tokens: readonly string[];
  #next = 0;

  constructor(text: string) {
    this.#tokens = text.match(TOKEN) ?? [];
  }

  parse(): LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    if (this.#peek() === END) return requirements;
    if (!startsRequirement(this.#peek()))
      throw notExpected(this.#peek(), "!, identifier, or 'end of string'");
    for (;;) {
      requirements.push(this.#requirement());
      const after = this.#take();
      if (after === END) return requirements;
      if (after !== ",") throw notExpected(after, "',' or 'end of string'");
      if (!startsRequirement(this.#peek())) throw notExpected(this.#peek(), "identifier after ','");
    }
  }

  #requirement(): LabelRequirement {
    try {
      return this.#readRequirement();
    } catch (error) {
      if (!(error instanceof InvalidSelectorError)) throw error;
      throw new InvalidSelectorError(`unable to parse requirement: ${error.message}`);
    }
  }

  #readRequirement(): LabelRequirement {
    const isAbsent = this.#accept("!");
    const key = this.#word();
    const complaints = isQualifiedName(key);
    if (complaints.length > 0) {
      throw new InvalidSelectorError(describeFieldError(invalid("<nil>", key, complaints.join("; "))));
    }
    if (isAbsent) return requirement(key, "!", []);
    if (endsRequirement(this.#peek())) return requirement(key, "exists", []);
    const written = this.#take();
    const operator = OPERATORS[written];
    if (operator === undefined) throw notExpected(written, "in, notin, =, ==, !=, gt, lt");
    if (operator === "in" || operator === "notin")
      return requirement(key, operator, [...this.#valueSet()].sort());
    return requirement(key, operator, [endsRequirement(this.#peek()) ? "" : this.#word()]);
  }

  #word(): string {
    const token = this.#take();
    if (!isWord(token)) throw notExpected(token, "identifier");
    return token;
  }

  /** (a,b): an empty place between commas or before the end is the empty value, and so is (). */
  #valueSet(): Set<string> {
    const open = this.#take();
    if (open !== "(") throw new InvalidSelectorError(`found '${open}' expected: '('`);
    if (this.#accept(")")) return new Set([""]);
    const first = this.#peek();
    if (first !== "," && !isWord(first)) throw notExpected(first, "',', ')' or identifier");
    const values = new Set<string>();
    for (;;) {
      const token = this.#take();
      if (isWord(token)) {
        values.add(token);
        if (this.#accept(")")) return values;
        if (this.#peek() !== ",") throw notExpected(this.#peek(), "',' or ')'");
      } else if (token === ",") {
        if (values.size === 0) values.add("");
        if (this.#accept(")")) return values.add("");
        if (this.#accept(",")) values.add("");
      } else throw notExpected(token, "',', or identifier");
    }
  }

  #peek(): string {
    return this.#tokens[this.#next] ?? END;
  }

  #accept(symbol: string): boolean {
    if (this.#peek() !== symbol) return false;
    this.#next++;
    return true;
  }

  #take(): string {
    return this.#tokens[this.#next++] ?? END;
  }
}

/** As Go shows the struct: "&LabelSelector{MatchLabels:map[string]string{app: web,},MatchExpressions:[]…{},}". */
export function formatSelectorStruct(selector: JsonObject): string {
  const labels = objectAt(selector, "matchLabels") ?? {};
  const pairs = Object.keys(labels)
    .sort()
    .map((key) => `${key}: ${textAt(labels, key)},`);
  const expressions = objectsAt(selector, "matchExpressions").map((expression) => {
    const values = textsAt(expression, "values").join(" ");
    const [key, operator] = [textAt(expression, "key"), textAt(expression, "operator")];
    return `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values}],},`;
  });
  return `&LabelSelector{MatchLabels:map[string]string{${pairs.join("")}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join("")}},}`;
}
