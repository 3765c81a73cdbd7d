// A call passes its arguments on the stack. Spreading a long list of a client's causes a RangeError, and the client gets a
// 500. So no call spreads; src/apimachinery/meta/lists.ts handles lists of any length.
import { describe, expect, test } from "vitest";
import { type SourceFile, sourceFiles, withoutComments } from "./source-files.ts";

/** Files whose calls spread only lists that no client can make long. May only get shorter. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  "src/apimachinery/cel/language/syntax/grammar.ts": "the rules of a grammar",
  "src/apimachinery/meta/package-files.ts": "the names of a path",
  "src/apiserver/http/tls/certificate.ts":
    "the host names of the command line, and the extensions of a certificate",
  "src/apiserver/registry/strategy/checks.ts": "the sixteen digits",
  "src/server/api-core.ts": "the built-in definitions",
};

const CLOSING = new Map([
  [")", "("],
  ["]", "["],
  ["}", "{"],
]);

/** Reports whether the position is, on its own nesting level, inside the parentheses of a call. */
function isArgument(text: string, position: number): boolean {
  const closed: string[] = [];
  for (let index = position - 1; index >= 0; index--) {
    const char = text[index] ?? "";
    const opening = CLOSING.get(char);
    if (opening !== undefined) closed.push(opening);
    else if ("([{".includes(char) && closed.pop() === undefined)
      return char === "(" && /[\w\])]$/.test(text.slice(0, index).trimEnd());
  }
  return false;
}

/** A parameter in a declaration has a type after its name, an argument has none. */
const SPREAD = /\.\.\.(?!\w+\??:)/g;

function spreadsOf({ path, text }: SourceFile): string[] {
  const code = withoutComments(text).replace(/"(?:[^"\\\n]|\\.)*"/g, '""');
  return [...code.matchAll(SPREAD)]
    .filter(({ index }) => isArgument(code, index))
    .map(({ index }) => `${path}: ${code.slice(index, index + 30).split("\n")[0]}`);
}

/** Functions that take their arguments from an array, as a spread does. */
const APPLIED = /\bReflect\.apply\b|\.apply\(\s*(?:null|undefined|this)\s*,/g;

const files = sourceFiles("src");

describe("src", () => {
  test("is read", () => {
    expect(files.length).toBeGreaterThan(20);
  });

  test("spreads no list in a call", () => {
    expect(files.filter(({ path }) => !(path in EXCEPTIONS)).flatMap(spreadsOf)).toEqual([]);
  });

  test("applies no function to a list", () => {
    const found = files.filter(({ text }) => withoutComments(text).match(APPLIED)).map(({ path }) => path);
    expect(found).toEqual([]);
  });

  test("has a spread in each file that may have one", () => {
    const spreading = files.filter((file) => spreadsOf(file).length > 0).map(({ path }) => path);
    expect(spreading.filter((path) => path in EXCEPTIONS)).toEqual(Object.keys(EXCEPTIONS));
  });
});

describe("a spread is found", () => {
  const cases: [what: string, text: string, found: number][] = [
    ["alone", "list.push(...more);", 1],
    ["after another", "list.push(first, ...more);", 1],
    ["over several lines", "list.push(\n  ...more.map((one) => one),\n);", 1],
    ["of a function", "Math.max(...numbers);", 1],
    ["of a constructor", "new Thing(...parts);", 1],
    ["in an array that is an argument", "take([first, ...more]);", 0],
    ["in an object that is an argument", "take({ ...more });", 0],
    ["as a parameter", "function take(...more: string[]) {}", 0],
    ["as a parameter of an arrow", "const take = (...more: string[]) => more;", 0],
    ["in a text", 'log("and (so...on)");', 0],
    ["in an array in parentheses", "return ([...more]);", 0],
  ];
  test.each(cases)("%s", (_what, text, found) => {
    expect(spreadsOf({ path: "src/a.ts", text })).toHaveLength(found);
  });
});
