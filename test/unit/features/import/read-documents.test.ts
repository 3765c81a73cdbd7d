import { describe, expect, test } from "vitest";
import { readDocuments } from "../../../../src/features/control-surface/read-body.ts";

const map = (name: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n`;
const names = (text: string) => readDocuments(text).map(({ metadata }) => metadata.name);

describe("a text of objects", () => {
  test.each<[string, string, string[]]>([
    ["one document", map("a"), ["a"]],
    ["several", `${map("a")}---\n${map("b")}---\n${map("c")}`, ["a", "b", "c"]],
    ["documents of comments", `# a file\n---\n${map("a")}--- # and so on\n# nothing\n---\n`, ["a"]],
    ["line ends of other systems", `${map("a")}---\r\n${map("b")}`.replaceAll("\n", "\r\n"), ["a", "b"]],
    ["nothing", "", []],
    ["JSON", `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}`, ["a"]],
    ["an array", `[{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}]`, ["a"]],
    [
      "a List",
      `apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Pod, metadata: {name: a}}\n---\n${map("b")}`,
      ["a", "b"],
    ],
    ["a text that looks like a separator", `${map("a")}data:\n  text: |\n    ---\n    more\n`, ["a"]],
  ])("%s", (_what, text, wanted) => {
    expect(names(text)).toEqual(wanted);
  });

  test.each([
    ["a: [", "document 1 cannot be read"],
    [`${map("a")}---\nkind: ConfigMap\nmetadata: {name: b}\n`, "document 2 is no object"],
    [`${map("a")}kind: Secret\n`, 'key "kind" already set in map'],
    ["just words", "document 1 is no object"],
    ["apiVersion: v1\nkind: Pod\nmetadata: {generateName: a}\n", "metadata.name"],
  ])("%j is refused", (text, message) => {
    expect(() => readDocuments(text)).toThrow(message);
  });
});
