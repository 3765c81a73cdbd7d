import { expect, test } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import { declarationsOf } from "./support.ts";

const PROPERTIES = { a: { type: "string" }, list: { type: "array", items: { type: "string" } } };

const schema = (rule: JsonObject, properties: JsonObject = PROPERTIES): JsonObject => ({
  type: "object",
  properties: { spec: { type: "object", properties, "x-kubernetes-validations": [rule] } },
});

const AT = "schema.properties[spec].x-kubernetes-validations[0]";

/** How a rule is shown. */
const shown = (rule: string, messageExpression = ""): string =>
  `{"Rule":${escaped(rule)},"Message":"","MessageExpression":${escaped(messageExpression)},"Reason":null,"FieldPath":"","OptionalOldSelf":null}`;
const escaped = (text: string): string => JSON.stringify(text).replaceAll(">", "\\u003e");

test.each<[string, string, string]>([
  [
    "an operand is missing",
    "self.a ==",
    "compilation failed: ERROR: <input>:1:10: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | self.a ==\n | .........^",
  ],
  [
    "a field is not declared",
    'self.nosuch == "x"',
    "compilation failed: ERROR: <input>:1:5: undefined field 'nosuch'\n | self.nosuch == \"x\"\n | ....^",
  ],
  [
    "types do not compare",
    "self.a == 1",
    "compilation failed: ERROR: <input>:1:8: found no matching overload for '_==_' applied to '(string, int)'\n | self.a == 1\n | .......^",
  ],
  ["the result is no bool", "self.a", "cel expression must evaluate to a bool"],
  [
    "a function is not known",
    "nosuchfn(self.a)",
    "compilation failed: ERROR: <input>:1:9: undeclared reference to 'nosuchfn' (in container '')\n | nosuchfn(self.a)\n | ........^",
  ],
  [
    "types are not ordered",
    'size(self.list) > "a"',
    "compilation failed: ERROR: <input>:1:17: found no matching overload for '_>_' applied to '(int, string)'\n | size(self.list) > \"a\"\n | ................^",
  ],
])("a rule does not compile: %s", (_what, rule, expected) => {
  expect(declarationsOf(schema({ rule }))).toEqual([
    `${AT}.rule: Invalid value: ${shown(rule)}: ${expected}`,
  ]);
});

test.each<[string, JsonObject, string[]]>([
  ["a rule is needed", { rule: "" }, [`${AT}.rule: Required value: rule is not specified`]],
  [
    "a message has one line",
    { rule: "true", message: "a\nb" },
    [`${AT}.message: Invalid value: "a\\nb": must not contain line breaks`],
  ],
  [
    "a message is not blank",
    { rule: "true", message: " " },
    [`${AT}.message: Invalid value: " ": must be non-empty if specified`],
  ],
  [
    "a rule of several lines needs a message",
    { rule: "true\n&& true" },
    [`${AT}.message: Required value: message must be specified if rule contains line breaks`],
  ],
  ["a rule of several lines with a message", { rule: "true\n&& true", message: "m" }, []],
  [
    "a message expression is not blank",
    { rule: "true", messageExpression: " " },
    [`${AT}.messageExpression: Required value: messageExpression must be non-empty if specified`],
  ],
  [
    "a message expression makes a text",
    { rule: "true", messageExpression: "1" },
    [
      `${AT}.messageExpression: Invalid value: ${shown("true", "1")}: messageExpression must evaluate to a string`,
    ],
  ],
  [
    "a message expression compiles",
    { rule: "true", messageExpression: "self.nosuch" },
    [
      `${AT}.messageExpression: Invalid value: ${shown("true", "self.nosuch")}: messageExpression compilation failed: ERROR: <input>:1:5: undefined field 'nosuch'\n | self.nosuch\n | ....^`,
    ],
  ],
  [
    "a reason is one of four",
    { rule: "true", reason: "Nosuch" },
    [
      `${AT}.reason: Unsupported value: "Nosuch": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"`,
    ],
  ],
  [
    "a field path leads somewhere",
    { rule: "true", fieldPath: ".nosuch" },
    [`${AT}.fieldPath: Invalid value: ".nosuch": must be a valid path`],
  ],
  [
    "a field path begins with a dot or bracket",
    { rule: "true", fieldPath: "a" },
    [`${AT}.fieldPath: Invalid value: "a": must be a valid path`],
  ],
  [
    "a field path does not lead into a list",
    { rule: "true", fieldPath: ".list[0]" },
    [`${AT}.fieldPath: Invalid value: ".list[0]": must be a valid path`],
  ],
  ["a field path that fits", { rule: "true", fieldPath: ".a" }, []],
  [
    "an optional old value is for rules that use it",
    { rule: "true", optionalOldSelf: true },
    [`${AT}.optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule`],
  ],
  ["an optional old value is one", { rule: "oldSelf.hasValue()", optionalOldSelf: true }, []],
  ["an old value that is not optional is none", { rule: "oldSelf.a == self.a" }, []],
])("%s", (_rule, rule, expected) => {
  expect(declarationsOf(schema(rule))).toEqual(expected);
});

const transition = {
  type: "string",
  maxLength: 10,
  "x-kubernetes-validations": [{ rule: "self == oldSelf" }],
};
const UNCORRELATED =
  "oldSelf cannot be used on the uncorrelatable portion of the schema within schema.properties[spec].properties[l]";

test.each<[string, JsonObject, string[]]>([
  ["in a property", { a: transition }, []],
  [
    "in the entries of a map",
    { l: { type: "object", maxProperties: 9, additionalProperties: transition } },
    [],
  ],
  [
    "in the items of a list",
    { l: { type: "array", maxItems: 9, items: transition } },
    [
      `schema.properties[spec].properties[l].items.x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": ${UNCORRELATED}`,
    ],
  ],
  [
    "in the items of a set",
    { l: { type: "array", maxItems: 9, items: transition, "x-kubernetes-list-type": "set" } },
    [
      `schema.properties[spec].properties[l].items.x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": ${UNCORRELATED}`,
    ],
  ],
  [
    "in the items of a keyed list",
    {
      l: {
        type: "array",
        maxItems: 9,
        items: { type: "object", properties: { k: { type: "string" }, v: transition } },
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k"],
      },
    },
    [],
  ],
])("an old value is known where positions correspond: %s", (_where, properties, expected) => {
  expect(declarationsOf(schema({ rule: "true" }, properties))).toEqual(expected);
});

const ADVICE =
  "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)";
const NESTED = "self.all(x, self.all(y, x == y))";
const listWith = (rule: string, more: JsonObject = {}): JsonObject => ({
  l: { type: "array", items: { type: "integer" }, ...more, "x-kubernetes-validations": [{ rule }] },
});
const L = "schema.properties[spec].properties[l].x-kubernetes-validations[0]";

test.each<[string, JsonObject, string[]]>([
  ["a loop over a list without a limit is affordable", listWith("self.all(x, x > 0)"), []],
  [
    "loops inside each other are not",
    listWith(NESTED),
    [
      `${L}.rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x ${ADVICE}`,
      `${L}.rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema`,
      `schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x ${ADVICE}`,
    ],
  ],
  ["unless the list has a limit", listWith(NESTED, { maxItems: 100 }), []],
])("the cost of rules is estimated: %s", (_what, properties, expected) => {
  expect(declarationsOf(schema({ rule: "true" }, properties))).toEqual(expected);
});

test("a cost that is not far beyond the limit is told as a factor", () => {
  const [found] = declarationsOf(schema({ rule: "true" }, listWith(NESTED, { maxItems: 2000 })));
  expect(found).toMatch(/\.rule: Forbidden: estimated rule cost exceeds budget by factor of \d+\.\d+x \(try/);
});

test("positions that repeat multiply the cost", () => {
  const text = { type: "string", "x-kubernetes-validations": [{ rule: 'self.contains("xxxxxxxxxx")' }] };
  const list = { type: "array", items: text };
  const found = declarationsOf(schema({ rule: "true" }, { l: list }));
  expect(found[0]).toMatch(
    /\.items\.x-kubernetes-validations\[0\]\.rule: Forbidden: estimated rule cost exceeds budget/,
  );
  const limited = { type: "array", maxItems: 10, items: { ...text, maxLength: 100 } };
  expect(declarationsOf(schema({ rule: "true" }, { l: limited }))).toEqual([]);
});

test.each<[string, JsonObject, string]>([
  ["keywords", { namespace: { type: "string" } }, 'self.__namespace__ == "x"'],
  ["dots", { "a.b": { type: "string" } }, 'self.a__dot__b == "x"'],
  ["dashes and slashes", { "a-b/c": { type: "string" } }, 'self.a__dash__b__slash__c == "x"'],
  ["underscores", { a__b: { type: "string" } }, 'self.a__underscores__b == "x"'],
])("names that are no identifiers are escaped: %s", (_what, properties, rule) => {
  expect(declarationsOf(schema({ rule }, properties))).toEqual([]);
});

const WORDS =
  "as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  );

test.each(WORDS)("a field that is a reserved word is named plainly, too: %s", (word) => {
  const properties = { [word]: { type: "string" } };
  for (const rule of [
    `has(self.${word}) && self.${word} != ''`,
    `self.__${word}__ != ''`,
    `self.?${word}.hasValue()`,
  ])
    expect(declarationsOf(schema({ rule }, properties))).toEqual([]);
  expect(declarationsOf(schema({ rule: `self.${word} == 'x'` }))).toEqual([
    expect.stringContaining(`undefined field '${word}'`),
  ]);
});

test.each(["true", "false", "null"])("a constant is named by its escape only: %s", (word) => {
  const properties = { [word]: { type: "string" } };
  expect(declarationsOf(schema({ rule: `self.__${word}__ == 'x'` }, properties))).toEqual([]);
  const rule = `has(self.${word})`;
  const problem = `invalid argument to has() macro\n | ${rule}\n | ....^\nERROR: <input>:1:10: Syntax error: mismatched input '${word}' expecting IDENTIFIER\n | ${rule}\n | .........^`;
  expect(declarationsOf(schema({ rule }, properties))).toEqual([
    `${AT}.rule: Invalid value: ${shown(rule)}: compilation failed: ERROR: <input>:1:5: ${problem}`,
  ]);
});

test("the operator in is named by its escape only", () => {
  const properties = { in: { type: "string" } };
  expect(declarationsOf(schema({ rule: "has(self.__in__)" }, properties))).toEqual([]);
  const found = declarationsOf(schema({ rule: "has(self.in)" }, properties)).join();
  expect(found.split("\n").filter((line) => !line.startsWith(" |"))).toEqual([
    expect.stringMatching(/ERROR: <input>:1:5: invalid argument to has\(\) macro$/),
    "ERROR: <input>:1:10: Syntax error: no viable alternative at input '.in'",
    expect.stringMatching(/^ERROR: <input>:1:12: Syntax error: mismatched input '\)' expecting \{'\[', /),
  ]);
});

test("the size of a field is known by its escaped name only", () => {
  const properties = { namespace: { type: "string", maxLength: 10 } };
  const contains = (name: string): string[] =>
    declarationsOf(schema({ rule: `self.${name}.contains('x')` }, properties));
  expect(contains("__namespace__")).toEqual([]);
  expect(contains("namespace")[0]).toContain(
    "estimated rule cost exceeds budget by factor of more than 100x",
  );
});

test.each<[string, JsonObject, string]>([
  [
    "int-or-string is dyn",
    { p: { "x-kubernetes-int-or-string": true } },
    'type(self.p) == int ? self.p < 10 : self.p == "x"',
  ],
  ["numbers are doubles", { p: { type: "number" } }, "self.p < 1.5"],
  [
    "times are times",
    { p: { type: "string", format: "date-time" } },
    'self.p > timestamp("2024-01-01T00:00:00Z")',
  ],
  ["durations are durations", { p: { type: "string", format: "duration" } }, 'self.p > duration("1s")'],
  ["bytes are bytes", { p: { type: "string", format: "byte" } }, 'self.p == b"x"'],
  [
    "an embedded object has its kind and name",
    {
      p: {
        type: "object",
        "x-kubernetes-embedded-resource": true,
        "x-kubernetes-preserve-unknown-fields": true,
      },
    },
    'self.p.kind == "Pod" && self.p.metadata.name == "x" && self.p.metadata.generateName == ""',
  ],
  [
    "fields may be asked for",
    { p: { type: "object", properties: { q: { type: "integer" } } } },
    "self.?p.?q.orValue(1) == 1",
  ],
])("types of positions: %s", (_what, properties, rule) => {
  expect(declarationsOf(schema({ rule }, properties))).toEqual([]);
});

test("of the metadata of a resource only its names are known", () => {
  const root = (rule: string): JsonObject => ({
    type: "object",
    properties: { metadata: { type: "object" } },
    "x-kubernetes-validations": [{ rule }],
  });
  expect(declarationsOf(root('self.metadata.name != "x" && self.kind != ""'))).toEqual([]);
  expect(declarationsOf(root("has(self.metadata.labels)"))[0]).toContain("undefined field 'labels'");
});

test("rules are compiled only where all their texts are sound", () => {
  const broken = { rule: "nosuch()", message: "a\nb" };
  expect(declarationsOf(schema(broken))).toEqual([
    `${AT}.message: Invalid value: "a\\nb": must not contain line breaks`,
  ]);
});
