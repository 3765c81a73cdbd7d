import { describe, expect, test } from "vitest";
import { unknownVariables } from "../../../../src/cli/serve-command.ts";
import type { Flag } from "../../../../src/server/options/flag.ts";
import { nearestOf, readCommandLine } from "../../../../src/server/options/read-command-line.ts";

const FLAGS: readonly Flag[] = [
  { name: "log-level", type: "string", value: "LEVEL", variable: true, text: "" },
  { name: "filename", short: "f", type: "string", multiple: true, value: "PATH", text: "" },
  { name: "load", type: "string", multiple: true, variable: true, text: "" },
  { name: "secure", type: "boolean", variable: true, text: "" },
];

const read = (args: readonly string[], env = {}) => {
  const { values, words, rest } = readCommandLine(FLAGS, args, env);
  return { ...Object.fromEntries(values), words, rest };
};

describe("a command line", () => {
  test.each<[what: string, args: string[], values: object, words?: string[], rest?: string[]]>([
    ["flags with = and without", ["--log-level", "info", "--secure"], { "log-level": "info", secure: true }],
    ["flags with =", ["--log-level=info", "--secure=false"], { "log-level": "info", secure: false }],
    ["short flags", ["-f", "a", "-fb", "--filename=c"], { filename: ["a", "b", "c"] }],
    ["a dash alone is a value", ["-f", "-"], { filename: ["-"] }],
    ["help by its letter", ["-h"], { help: true }],
    ["words between flags", ["a", "--secure", "b"], { secure: true }, ["a", "b"]],
    ["what is behind two dashes is no flag", ["a", "--", "b", "--c"], {}, ["a"], ["b", "--c"]],
    ["an empty value", ["--log-level="], { "log-level": "" }],
  ])("%s", (_what, args, values, words = [], rest = undefined) => {
    expect(read(args)).toEqual({ ...values, words, rest });
  });

  test.each([
    [["--log-levl", "info"], "there is no flag --log-levl; did you mean --log-level?"],
    [["--loglevel=info"], "there is no flag --loglevel; did you mean --log-level?"],
    [["--sec"], "there is no flag --sec; did you mean --secure?"],
    [["--colour"], "there is no flag --colour; --help lists them"],
    [["-x"], "there is no flag -x; --help lists them"],
    [["--log-level"], "--log-level needs a value: --log-level LEVEL"],
    [["-f"], "-f needs a value: -f PATH"],
    [
      ["--log-level", "--secure"],
      "--log-level needs a value; if --secure is meant, write --log-level=--secure",
    ],
    [["--secure=maybe"], "--secure=maybe says neither true nor false"],
  ])("%j is refused", (args, message) => {
    expect(() => read(args)).toThrow(message);
  });
});

describe("a variable", () => {
  test("says what the flag says, and the flag goes before it", () => {
    const env = { EGRET_LOG_LEVEL: "debug", EGRET_LOAD: "a,b", EGRET_SECURE: "true" };
    expect(read([], env)).toMatchObject({ "log-level": "debug", load: ["a", "b"], secure: true });
    expect(read(["--log-level", "info", "--load", "c", "--secure=false"], env)).toMatchObject({
      "log-level": "info",
      load: ["c"],
      secure: false,
    });
  });

  test.each(["true", "1", "yes", "TRUE"])("%s is true", (text) =>
    expect(read([], { EGRET_SECURE: text })).toMatchObject({ secure: true }),
  );
  test.each(["false", "0", "no", ""])("%j is false", (text) =>
    expect(read([], { EGRET_SECURE: text })).toMatchObject({ secure: false }),
  );
  test.each(["on", "off", "enabled"])("%s is refused, so that nobody takes it for the other", (text) =>
    expect(() => read([], { EGRET_SECURE: text })).toThrow(
      `EGRET_SECURE=${text} says neither true nor false`,
    ),
  );

  test("of a flag without one is not read", () => {
    expect(read([], { EGRET_FILENAME: "a" })).toEqual({ words: [], rest: undefined });
  });

  test("that means nothing gets a line", () => {
    const env = { EGRET_DATADIR: "x", EGRET_DATA_DIR: "x", EGRET_URL: "x", PATH: "x", EGRET_WHATEVER: "x" };
    expect(unknownVariables(env)).toEqual([
      "the variable EGRET_DATADIR means nothing; did you mean EGRET_DATA_DIR?",
      "the variable EGRET_WHATEVER means nothing",
    ]);
  });
});

test.each([
  ["aplly", "apply"],
  ["expotr", "export"],
  ["snap", "snapshot"],
  ["colour", undefined],
  ["x", undefined],
])("%s means %s", (given, word) => {
  expect(nearestOf(given, ["apply", "export", "snapshot", "history"])).toBe(word);
});
