// Syntax highlighting of YAML: keys, strings, punctuation, comments.
import { expect, test } from "vitest";
import { type Line, nextToken, type Place } from "../../../src/ui/object/yaml-tokens.ts";

class TextLine implements Line {
  at = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  sol = () => this.at === 0;
  eol = () => this.at >= this.#text.length;
  indentation = () => this.#text.length - this.#text.trimStart().length;
  eatSpace = () => this.match(/^\s+/) !== null;
  skipToEnd = () => {
    this.at = this.#text.length;
  };
  match(pattern: RegExp) {
    const found = pattern.exec(this.#text.slice(this.at));
    this.at += found?.[0].length ?? 0;
    return found;
  }
}

/** "key kind" of what has one, line by line. */
function tokensOf(text: string): string[] {
  const place: Place = { block: undefined };
  return text.split("\n").flatMap((one) => {
    const line = new TextLine(one);
    const tokens: string[] = [];
    while (!line.eol()) {
      const from = line.at;
      const token = nextToken(line, place);
      if (line.at === from) throw new Error(`it does not go on at ${from} of ${one}`);
      if (token !== null) tokens.push(`${one.slice(from, line.at)} ${token}`);
    }
    return tokens;
  });
}

const key = (name: string) => [`${name} propertyName`, ": punctuation"];

test.each([
  ["kind: EgressIP", key("kind")],
  ['  k8s.ovn.org/egress-assignable: ""', [...key("k8s.ovn.org/egress-assignable"), '"" string']],
  ["- 192.168.126.101", ["- punctuation"]],
  ["- name: web # a remark", ["- punctuation", ...key("name"), "# a remark comment"]],
  ['"a: b": c', key('"a: b"')],
  ["url: http://a:80/#x", key("url")],
  [
    "{type: Ready, 'x': \"y\"}",
    ["{ punctuation", ...key("type"), ", punctuation", ...key("'x'"), '"y" string', "} punctuation"],
  ],
  ["---", ["--- punctuation"]],
  ["-1", []],
  ['open: "never closed', [...key("open"), '"never closed string']],
  ["", []],
])("%s", (text, tokens) => {
  expect(tokensOf(text)).toEqual(tokens);
});

test("a text of several lines ends where it is indented no more", () => {
  const text = "data:\n  a: |-\n    x: y\n\n    # z\n  b: c";
  expect(tokensOf(text)).toEqual([
    ...[...key("data"), ...key("a"), "|- punctuation"],
    ...["    x: y string", "    # z string"],
    ...key("b"),
  ]);
});

test("whatever stands there is gone through to the end", () => {
  for (const odd of ["&x *y !!str %z @", "]}:,", "? ", ":", "'", "| x", "- - -", "\t\ta", "a:b", "😀: 😀"])
    expect(() => tokensOf(odd), odd).not.toThrow();
});
