import { describe, expect, test } from "vitest";
import { objectsInText } from "../../../../../src/features/import/sources/objects-in-text.ts";

const pod = (name: string) => ({ apiVersion: "v1", kind: "Pod", metadata: { name } });
const read = (text: string) =>
  [...objectsInText(text, "f")].map((item) =>
    item.type === "object"
      ? `${item.object.apiVersion}/${item.object.kind}/${item.object.metadata.name}`
      : item.type === "skipped"
        ? item.reason
        : item.type,
  );
const AB = ["v1/Pod/a", "v1/Pod/b"];
const [a, b] = [JSON.stringify(pod("a")), JSON.stringify(pod("b"))];
const yaml = (name: string) => `apiVersion: v1\nkind: Pod\nmetadata:\n  name: ${name}\n`;
const yamlList = (...names: string[]) =>
  `apiVersion: v1\nitems:\n${names.map((name) => `- apiVersion: v1\n  kind: Pod\n  metadata: {name: ${name}}\n`).join("")}kind: List\n`;
const CUT = /^the list ends before it has told its kind/;

describe("objects are found", () => {
  test.each([
    ["in documents", `# of two\n${yaml("a")}---\n---\n# nothing\n---\n${yaml("b")}`],
    ["in a List of kubectl", `{"apiVersion":"v1","kind":"List","items":[${a},${b}]}`],
    ["in the same as YAML", yamlList("a", "b")],
    [
      "in a list whose items go without a kind",
      '{"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]}',
    ],
    ["in lines of JSON", `${a}\n\n${b}\n`],
    ["in JSON without lines between", `${a}${b}`],
    [
      "in JSON on several lines, with signs in its texts",
      `{"apiVersion":"v1","kind":"Pod",\n"metadata":{"name":"a","labels":{"x":"}\\"{"}}}\n${b}`,
    ],
    ["in an array", `[${a},${b}]`],
    [
      "in events of a watch",
      `{"type":"ADDED","object":${a}}\n{"type":"MODIFIED","object":${b}}\n{"type":"DELETED","object":${a}}\n{"type":"BOOKMARK","object":${a}}`,
    ],
    ["in outputs that were put one behind the other", yamlList("a") + yamlList("b")],
    [
      "in YAML that looks like JSON",
      "{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: Pod, metadata: {name: a}}, {apiVersion: v1, kind: Pod, metadata: {name: b}}]}",
    ],
  ])("%s", (_where, text) => {
    expect(read(text)).toEqual(AB);
  });

  test("with all digits of their numbers", () => {
    const [item] = objectsInText(
      '{"apiVersion":"v1","kind":"A","metadata":{"name":"a"},"n":9007199254740993}',
      "f",
    );
    expect(item).toMatchObject({ type: "object", object: { n: 9007199254740993n }, origin: "f" });
  });
});

describe("what is no object is told of, and the rest is found", () => {
  test.each([
    ["a value without a kind", `${a}\n{"metadata":{"name":"x"}}`, ["v1/Pod/a", "names no kind"]],
    [
      "an object without a name",
      `${a}\n{"apiVersion":"v1","kind":"Pod","metadata":{}}`,
      ["v1/Pod/a", "is a Pod without a name"],
    ],
    ["a text", `--- hello\n---\n${yaml("a")}`, ["is no object", "v1/Pod/a"]],
    ["an empty list", '{"kind":"List","apiVersion":"v1","items":[]}', []],
    ["nothing", "\n# nothing\n", []],
  ])("%s", (_what, text, found) => {
    expect(read(text)).toEqual(found);
  });

  test.each([
    [
      "YAML that was cut off",
      `${yaml("a")}---\napiVersion: "v`,
      /yaml: line \d+: found unexpected end of stream/,
    ],
    ["JSON that was cut off", `${a}\n${b.slice(0, 30)}`, /unexpected end of JSON input/],
    ["a list in YAML that was cut off where a line ends", yamlList("a").replace("kind: List\n", ""), CUT],
    [
      "a long list in YAML that was cut off where a line ends",
      `# ${"x".repeat(1 << 20)}\n${yamlList("a").replace("kind: List\n", "")}`,
      CUT,
    ],
  ])("%s", (_what, text, why) => {
    expect(read(text)).toEqual(["v1/Pod/a", expect.stringMatching(why)]);
  });

  test("an output that was cut off, with another one behind it", () => {
    const first = yamlList("a").replace("kind: List\n", "");
    expect(read(first + yamlList("b"))).toEqual([...AB, expect.stringMatching(CUT)]);
    expect(read(`${first}---\n${yamlList("b")}`)).toEqual([...AB, expect.stringMatching(CUT)]);
  });

  test("a list that never tells its kind tells no version, and is whole", () => {
    expect(read(yamlList("a", "b").replace("apiVersion: v1\n", "").replace("kind: List\n", ""))).toEqual(AB);
  });

  test.each([
    [
      "in a line in between",
      `${a}\n{broken\n${b}`,
      [...AB, "invalid character 'b' looking for beginning of object key string"],
    ],
    ["in the first line", `{"broken"\n${a}\n${b}`, [...AB, "invalid character '{' after object key"]],
    ["in a text alone", a.slice(0, 40), ["unexpected end of JSON input"]],
    ["in a text alone that ends with a comma", '{"a": ["b",\n', ["unexpected end of JSON input"]],
  ])("JSON that is broken %s", (_where, text, found) => {
    expect(read(text)).toEqual(found);
  });
});
