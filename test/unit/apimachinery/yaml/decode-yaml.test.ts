import { describe, expect, test } from "vitest";
import { JsonSyntaxError } from "../../../../src/apimachinery/json/json-decode.ts";
import { decodeYaml } from "../../../../src/apimachinery/yaml/decode-yaml.ts";
import { YamlSyntaxError } from "../../../../src/apimachinery/yaml/yaml-error.ts";

const scalar = (text: string): unknown => (decodeYaml(`a: ${text}`).value as { a: unknown }).a; // a mapping of one key

describe("plain scalars are those of YAML 1.1", () => {
  test.each<[string, unknown]>([
    ["yes", true],
    ["On", true],
    ["y", true],
    ["NO", false],
    ["off", false],
    ["true", true],
    ["~", null],
    ["Null", null],
    ["", null],
    ["10", 10],
    ["+1", 1],
    ["-0", 0],
    ["012", 10],
    ["08", 8],
    ["0x1F", 31],
    ["0b11", 3],
    ["1_000", 1000],
    ["1.50", 1.5],
    [".5", 0.5],
    ["1e3", 1000],
    ["685_230.15", 685_230.15],
    ["9007199254740993", 9_007_199_254_740_993n],
    ["-9223372036854775808", -(2n ** 63n)],
    ["2001-01-01", "2001-01-01"],
    ["2001-12-14t21:59:43.10-05:00", "2001-12-14t21:59:43.10-05:00"],
    ["10.0.0.1", "10.0.0.1"],
    ["1.2.3", "1.2.3"],
    ["yEs", "yEs"],
    ["'yes'", "yes"],
    ['"10"', "10"],
    ["!!str 10", "10"],
    ["it's", "it's"],
    ["12:30:45", "12:30:45"], // numbers to the base of 60 are not read by go-yaml, so that times and MACs stay text
    ["10:20:30:40:50:10", "10:20:30:40:50:10"],
    ["1:30", "1:30"],
    ["0o12", 10], // strconv reads it since Go 1.13
    ["1e400", "1e400"], // what no float64 holds is text
    ["!!float 3", 3],
    ["!!binary aGk=", "hi"],
  ])("%s is %s", (text, value) => {
    expect(scalar(text)).toBe(value);
  });
});

describe("documents", () => {
  test.each<[string, string, unknown]>([
    ["nothing is null", "", null],
    ["a comment is nothing", "# x\n", null],
    ["an empty document is null", "---\n", null],
    ["of several documents the first counts", "a: 1\n---\na: 2\n", { a: 1 }],
    ["JSON is YAML", '{"a":[1,"x",null,{"b":true}]}', { a: [1, "x", null, { b: true }] }],
    ["keys are text", "1: a\n1.50: b\ntrue: c\nno: d\n2024-01-01: e\n", dictionary()],
    ["an alias is a copy", "a: &x {b: 1}\nc: *x\n", { a: { b: 1 }, c: { b: 1 } }],
    ["<< takes in another mapping", "a: &x {b: 1, c: 2}\nd:\n  <<: *x\n  e: 3\n", merged()],
    ["a block keeps its lines", "a: |\n  x\n  y\n", { a: "x\ny\n" }],
    ["a folded block joins its lines", "a: >-\n  x\n  y\n", { a: "x y" }],
    ["a byte order mark is no content", "\ufeffa: 1\n", { a: 1 }],
  ])("%s", (_rule, text, value) => {
    expect(decodeYaml(text)).toEqual({ value, duplicates: [] });
  });

  test.each([
    ["a key twice", "a: 1\nb: 2\na: 3\n", { a: 3, b: 2 }, ['line 3: key "a" already set in map']],
    ["a key twice inside", "x:\n  a: 1\n  a: 2\n", { x: { a: 2 } }, ['line 3: key "a" already set in map']],
    ["a key that << has brought", "<<: {a: 1}\na: 2\n", { a: 2 }, ['line 2: key "a" already set in map']],
    ["a key in what << brings", "a: 1\n<<: {a: 2}\n", { a: 2 }, ['line 2: key "a" already set in map']],
    [
      "a key whose value is below it",
      "a: 1\na:\n  b: 2\n",
      { a: { b: 2 } },
      ['line 3: key "a" already set in map'],
    ],
    ["a quoted key twice", '{"a": 1, "a": 2}', { a: 2 }, ['line 1: key "a" already set in map']],
  ])("%s is told, and the last one counts", (_rule, text, value, duplicates) => {
    expect(decodeYaml(text)).toEqual({ value, duplicates });
  });

  test("of a key that is given again and again only the first thousand are told", () => {
    const { value, duplicates } = decodeYaml("a: 1\n".repeat(3000));
    expect(value).toEqual({ a: 1 });
    expect(duplicates).toHaveLength(1000);
    expect(duplicates[999]).toBe('line 1001: key "a" already set in map');
  });

  test("a key that objects have from birth is a key like any other", () => {
    const { value } = decodeYaml("__proto__: {a: 1}\n");
    expect(Object.keys(value as object)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  test("a hundred thousand keys take no longer than as many lines", () => {
    const text = Array.from({ length: 100_000 }, (_, index) => `k${index}: v`).join("\n");
    expect(Object.keys(decodeYaml(text).value as object)).toHaveLength(100_000);
  });

  test("JSON and YAML agree on what both can say", () => {
    for (const number of [
      "1",
      "-1",
      "0",
      "1.5",
      "1e3",
      "-0",
      "9007199254740993",
      "123456789012345678",
      "1.0",
    ]) {
      const [flow, block] = [`{"a": [${number}], "b": "\\u0041"}`, `a:\n- ${number}\nb: A\n`];
      expect(decodeYaml(flow).value).toEqual(decodeYaml(block).value);
    }
  });

  test("many aliases of small things are no attack", () => {
    const text = `a: &x 1\nb: [${Array(500).fill("*x").join(", ")}]\n`;
    expect(decodeYaml(text).value).toEqual({ a: 1, b: Array(500).fill(1) });
  });
});

describe("what is no YAML is refused as go-yaml words it", () => {
  const refusal = (text: string | Uint8Array): unknown => {
    try {
      return decodeYaml(text);
    } catch (error) {
      return error;
    }
  };
  test.each([
    ["a: b: c", "mapping values are not allowed in this context"],
    ['{"a":"b"', "line 1: did not find expected ',' or '}'"],
    ["x: 1\na: b: c", "line 2: mapping values are not allowed in this context"], // the line, except the first one
    ["a:\n\t- b", "line 2: found character that cannot start any token"], // a tab, the mistake that is made most
    ["a: 1\nb: @x", "line 2: found character that cannot start any token"],
    ["a: *x", "unknown anchor 'x' referenced"],
    ["a: &a [*a]", "anchor 'a' value contains itself"],
    ["<<: 3", "map merge requires map or sequence of maps as the value"],
    [bomb(), "document contains excessive aliasing"],
    ["[".repeat(1e6), "exceeded max depth of 10000"],
    ["- ".repeat(1e6), "exceeded max depth of 10000"],
    [`a: \n${" ".repeat(600)}\u0001`, "control characters are not allowed"],
  ])("%j", (text, complaint) => {
    expect(refusal(text)).toEqual(new YamlSyntaxError(`yaml: ${complaint}`));
  });

  test("lists in lists that JSON nests too deeply", () => {
    const text = `${"- ".repeat(6000)}${"[".repeat(6000)}${"]".repeat(6000)}`;
    expect(refusal(text)).toEqual(new JsonSyntaxError("invalid character '[' exceeded max depth"));
  });

  test("bytes that are no letters, in which a mistake before them comes first", () => {
    const bytes = Buffer.from([0x61, 0x3a, 0x20, 0xff]);
    expect(refusal(bytes)).toEqual(new YamlSyntaxError("yaml: invalid leading UTF-8 octet"));
    const later = Buffer.concat([Buffer.from(`a: b: c\n${"# \n".repeat(500)}`), bytes]);
    expect(refusal(later)).toEqual(
      new YamlSyntaxError("yaml: mapping values are not allowed in this context"),
    );
  });

  test("a number that JSON cannot say", () => {
    expect(refusal("a: .inf")).toEqual(new YamlSyntaxError("json: unsupported value: +Inf"));
  });
});

function dictionary() {
  return { "1": "a", "1.5": "b", true: "c", false: "d", "2024-01-01": "e" };
}

function merged() {
  return { a: { b: 1, c: 2 }, d: { b: 1, c: 2, e: 3 } };
}

/** A few lines that mean a billion items. */
function bomb(): string {
  const names = [..."abcdefghi"];
  const lines = names.map((name, index) => {
    const before = index === 0 ? "x" : `*${names[index - 1]}`;
    return `${name}: &${name} [${Array(10).fill(before).join(", ")}]`;
  });
  return lines.join("\n");
}
