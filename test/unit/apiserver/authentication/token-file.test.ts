import { describe, expect, it } from "vitest";
import {
  CredentialsError,
  parseCsv,
  parseTokenFile,
} from "../../../../src/apiserver/authentication/token-file.ts";

describe("comma-separated values", () => {
  it.each([
    ["fields stand between commas", "a,b\nc", [["a", "b"], ["c"]]],
    ["a last line needs no end", "a,b\n", [["a", "b"]]],
    [
      "lines may end as on Windows",
      "a,b\r\nc,d\r\n",
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ],
    ["empty lines are passed over", "\na\n\n\r\nb\n", [["a"], ["b"]]],
    [
      "fields may be empty",
      ",\n,,x",
      [
        ["", ""],
        ["", "", "x"],
      ],
    ],
    ["a quoted field holds commas and line ends", '"a,b\nc",d', [["a,b\nc", "d"]]],
    ["a doubled quote is one quote", '"a""b"', [['a"b']]],
    ["a quoted field may be empty", '"",a\r\n', [["", "a"]]],
    ["spaces belong to the field", " a , b", [[" a ", " b"]]],
  ])("%s", (_rule, text, records) => {
    expect(parseCsv(text, "f")).toEqual(records);
  });

  it.each([
    ["a quote inside a plain field", 'a"b', 1],
    ["a quoted field without an end", 'x\n"a', 2],
    ["letters behind a quoted field", '"a"b', 1],
  ])("%s is refused", (_rule, text, line) => {
    expect(() => parseCsv(text, "f")).toThrow(CredentialsError);
    expect(() => parseCsv(text, "f")).toThrow(`f: line ${line}:`);
  });
});

describe("a token file", () => {
  it("names user, uid and groups by token", () => {
    const text = 't1,alice,1,"dev,ops"\nt2,bob,,\nt3,carol,3\n';
    expect(Object.fromEntries(parseTokenFile(text, "f"))).toEqual({
      t1: { name: "alice", uid: "1", groups: ["dev", "ops"] },
      t2: { name: "bob", groups: [] },
      t3: { name: "carol", uid: "3", groups: [] },
    });
  });

  it("passes over a line without a token; of a token given twice the last line counts", () => {
    const tokens = parseTokenFile(",nobody,1\nt,a,1\nt,b,2\n", "f");
    expect([...tokens.values()].map(({ name }) => name)).toEqual(["b"]);
  });

  it.each([
    ["a line with too few fields", "t,alice\n"],
    ["what is no CSV", 't,"alice,1\n'],
  ])("%s is refused with the name of the file", (_rule, text) => {
    expect(() => parseTokenFile(text, "tokens.csv")).toThrow(CredentialsError);
    expect(() => parseTokenFile(text, "tokens.csv")).toThrow("tokens.csv");
  });
});
