import { expect, test } from "vitest";
import { cpuMs } from "../../../../support/cpu-time.ts";
import { problemsOf } from "../support.ts";

const OPERANDS =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";
const ENTRIES =
  "{'[', '{', '}', '(', '.', ',', '-', '!', '?', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";
const FIELDS = "{'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}";

/** What the parser says, without the words that every such message begins with. */
const syntaxOf = (text: string): string[] =>
  problemsOf(text).map((problem) => problem.replace(" Syntax error:", ""));

test.each<[string, string, string[]]>([
  ["an operand is missing at the end", "a ==", [`1:5: mismatched input '<EOF>' expecting ${OPERANDS}`]],
  ["one operator too many is skipped", "1 + + 2", [`1:5: extraneous input '+' expecting ${OPERANDS}`]],
  [
    "nothing follows the operator too many",
    "1 + +",
    [
      `1:5: mismatched input '+' expecting ${OPERANDS}`,
      `1:6: mismatched input '<EOF>' expecting ${OPERANDS}`,
    ],
  ],
  [
    "an operator alone",
    "/",
    [
      `1:1: mismatched input '/' expecting ${OPERANDS}`,
      `1:2: mismatched input '<EOF>' expecting ${OPERANDS}`,
    ],
  ],
  [
    "a sign alone",
    "-",
    ["1:2: no viable alternative at input '-'", `1:2: mismatched input '<EOF>' expecting ${OPERANDS}`],
  ],
  [
    "two signs alone",
    "--",
    ["1:3: no viable alternative at input '-'", `1:3: mismatched input '<EOF>' expecting ${OPERANDS}`],
  ],
  [
    "the keyword in has no value",
    "in",
    [
      `1:1: mismatched input 'in' expecting ${OPERANDS}`,
      `1:3: mismatched input '<EOF>' expecting ${OPERANDS}`,
    ],
  ],
  ["one thing too many at the end", "a b", ["1:3: extraneous input 'b' expecting <EOF>"]],
  ["several things too many at the end", "1 + 2\n3 +", ["2:1: mismatched input '3' expecting <EOF>"]],
  ["a bracket is left open", "(a", ["1:3: missing ')' at '<EOF>'"]],
  ["the bracket of a call is left open", "size(a", ["1:7: missing ')' at '<EOF>'"]],
  ["an index is left open", "a[1", ["1:4: missing ']' at '<EOF>'"]],
  ["another bracket closes", '"%s".format(a.b])', ["1:16: extraneous input ']' expecting ')'"]],
  [
    "a comma is missing in a call",
    "x.filter(l, !(lin resource.labels))",
    ["1:19: mismatched input 'resource' expecting ')'", "1:35: extraneous input ')' expecting <EOF>"],
  ],
  ["a list is left open", "[1,2", ["1:5: mismatched input '<EOF>' expecting {']', ','}"]],
  ["a map is left open", "{", [`1:2: mismatched input '<EOF>' expecting ${ENTRIES}`]],
  ["a comma is missing in a map", "{1:305 2:569}", ["1:8: mismatched input '2' expecting {'}', ','}"]],
  ["an entry has no value", "{a}", ["1:3: mismatched input '}' expecting ':'"]],
  [
    "an entry has no key",
    "{:a}",
    [`1:2: extraneous input ':' expecting ${ENTRIES}`, "1:4: mismatched input '}' expecting ':'"],
  ],
  [
    "a field is expected in a message",
    "func{{a}}",
    [
      `1:6: extraneous input '{' expecting ${FIELDS}`,
      "1:8: mismatched input '}' expecting ':'",
      "1:9: extraneous input '}' expecting <EOF>",
    ],
  ],
  ["a message is not called", "Type{}()", ["1:7: mismatched input '(' expecting <EOF>"]],
  ["a choice has two ways", "a ? b", ["1:6: mismatched input '<EOF>' expecting ':'"]],
  ["a name is missing after the dot", "a.", ["1:3: no viable alternative at input '.'"]],
  ["a text is no name", '{"a": 1}."a"', [`1:10: no viable alternative at input '."a"'`]],
  ["a constant is no name", "self.true == 1", ["1:6: mismatched input 'true' expecting IDENTIFIER"]],
  [
    "= is no operator",
    "n = 5",
    ["1:3: token recognition error at: '= '", "1:5: extraneous input '5' expecting <EOF>"],
  ],
  [
    "problems of tokens and of the order of tokens are listed by position",
    "*@a | b",
    [
      `1:1: extraneous input '*' expecting ${OPERANDS}`,
      "1:2: token recognition error at: '@'",
      "1:5: token recognition error at: '| '",
      "1:7: extraneous input 'b' expecting <EOF>",
    ],
  ],
  [
    "a broken escape breaks the text",
    '"\\xFh"',
    [
      `1:1: token recognition error at: '"\\xFh'`,
      `1:6: token recognition error at: '"'`,
      `1:7: mismatched input '<EOF>' expecting ${OPERANDS}`,
    ],
  ],
  [
    "what is not recognised is not repeated in other messages",
    "'😁' in ['😁']\n\t\t\t&& in.😁",
    [
      `2:7: extraneous input 'in' expecting ${OPERANDS}`,
      "2:10: token recognition error at: '😁'",
      "2:11: no viable alternative at input '.'",
    ],
  ],
  [
    "a name in back quotes is no variable",
    "`b-c`()",
    [
      `1:1: extraneous input '\`b-c\`' expecting ${OPERANDS}`,
      `1:7: mismatched input ')' expecting ${OPERANDS}`,
    ],
  ],
])("%s: %s", (_rule, text, expected) => {
  expect(syntaxOf(text)).toEqual(expected);
});

test.each<[string, string, string[]]>([
  ["a reserved word is no variable", "for", ["1:1: reserved identifier: for"]],
  [
    "a reserved word is no variable of a macro either",
    "list.map(var, var)",
    [
      "1:10: reserved identifier: var",
      "1:10: argument is not an identifier",
      "1:15: reserved identifier: var",
    ],
  ],
  ["names in back quotes are not enabled", "a.`b-c`", ["1:3: unsupported syntax: '`'"]],
  ["has() takes a field", "has(n)", ["1:5: invalid argument to has() macro"]],
  ["all() takes a name", "1.all(2, 3)", ["1:7: argument must be a simple name"]],
  ["map() takes a name", "list.map(a.b, 1)", ["1:11: argument is not an identifier"]],
  [
    "a loop does not use the name of its result",
    "list.map(__result__, 1)",
    ["1:10: iteration variable overwrites accumulator variable"],
  ],
  ["an int has 64 bits", "0xFFFFFFFFFFFFFFFFF", ["1:1: invalid int literal"]],
  ["a uint has 64 bits", "0xFFFFFFFFFFFFFFFFFu", ["1:1: invalid uint literal"]],
  ["a double is finite", "1.99e90000009", ["1:1: invalid double literal"]],
  ["half a surrogate is no character", "'\\udead'", ["1:1: invalid unicode code point"]],
  [
    "brackets nest at most 250 times",
    `${"(".repeat(300)}1${")".repeat(300)}`,
    ["-1:0: expression recursion limit exceeded: 250"],
  ],
  ["a chain has at most 250 operators", `1${" + 1".repeat(300)}`, ["-1:0: max recursion depth exceeded"]],
  [
    "a text is not endless",
    `"${"x".repeat(100_001)}"`,
    ["-1:0: expression code point size exceeds limit: size: 100003, limit 100000"],
  ],
])("%s: %.40s", (_rule, text, expected) => {
  expect(problemsOf(text)).toEqual(expected);
});

/** As cel-go 0.26 reports them. */
test.each<[string, string, string[]]>([
  [
    "has() of what was read before a mistake",
    "has(1 + d.in)",
    [
      "1:7: invalid argument to has() macro",
      "1:11: no viable alternative at input '.in'",
      `1:13: mismatched input ')' expecting ${OPERANDS}`,
    ],
  ],
  [
    "a macro behind a mistake",
    "(d.in) + has(1)",
    [
      "1:4: no viable alternative at input '.in'",
      `1:6: mismatched input ')' expecting ${OPERANDS}`,
      "1:14: invalid argument to has() macro",
    ],
  ],
  [
    "a name behind a mistake",
    "d.in + var",
    [
      "1:3: no viable alternative at input '.in'",
      `1:6: extraneous input '+' expecting ${OPERANDS}`,
      "1:8: reserved identifier: var",
    ],
  ],
  [
    "a number behind a mistake",
    "d.in + 99999999999999999999",
    [
      "1:3: no viable alternative at input '.in'",
      `1:6: extraneous input '+' expecting ${OPERANDS}`,
      "1:8: invalid int literal",
    ],
  ],
  [
    "a call that is not closed",
    "has (n n",
    ["1:6: invalid argument to has() macro", "1:8: mismatched input 'n' expecting ')'"],
  ],
  [
    "an argument that is no operand has no position",
    "has(..n)",
    ["1:0: invalid argument to has() macro", "1:6: no viable alternative at input '..'"],
  ],
  [
    "an optional field without a name",
    "d.?in.a",
    ["1:4: mismatched input 'in' expecting {IDENTIFIER, ESC_IDENTIFIER}", "1:4: unsupported ident kind"],
  ],
])("the repaired text is checked, too: %s", (_what, text, expected) => {
  expect(syntaxOf(text)).toEqual(expected);
});

test.each([
  ["deep brackets after a mistake", `) ${"(".repeat(49_000)}`],
  ["a long list that is left open", `[${"1,".repeat(40_000)}`],
  ["a long chain with a mistake at its end", `${"a.b == c || ".repeat(8_000)})`],
  ["a long path of fields that is cut off", `self${".a".repeat(49_000)} | has(self.name)`],
  ["many signs", `${"-".repeat(90_000)}$`],
  ["many brackets of all kinds", `$${"[{(".repeat(30_000)})`],
  ["only closing brackets", ") ] } ".repeat(10_000)],
])("explaining a hostile text takes bounded time: %s", (_what, text) => {
  const start = cpuMs();
  expect(problemsOf(text).length).toBeGreaterThan(0);
  expect(cpuMs() - start).toBeLessThan(5_000);
});
