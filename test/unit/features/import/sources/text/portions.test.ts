// A text that is read in portions yields the same objects as the whole text.
import { expect, test } from "vitest";
import { encodeJson } from "../../../../../../src/apimachinery/json/json-encode.ts";
import { objectsInText } from "../../../../../../src/features/import/sources/objects-in-text.ts";
import { portionsOf } from "../../../../../../src/features/import/sources/text/portions.ts";

const SIZES = { whole: 2000, portion: 500 };
const COUNT = 60;
const HARD = 'a "quoted] \\" {brace}, and\n---\nitems:\n- 😀';

const pods = Array.from({ length: COUNT }, (_, index) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: `pod-${index}`, annotations: { text: HARD.slice(0, index) } },
}));
const bare = pods.map(({ metadata }) => ({ metadata }));
const yamlOf = ({ metadata: { name } }: (typeof pods)[number]) =>
  `apiVersion: v1\nkind: Pod\nmetadata:\n  name: ${name}\n  annotations:\n    text: |\n      - a\n\n      ---\n`;
const yamlItems = (indent: string) =>
  pods.map((pod) => `${indent}- ${yamlOf(pod).trimEnd().replaceAll("\n", `\n${indent}  `)}\n`).join("");
const tailed = `apiVersion: v1\nitems:\n${yamlItems("")}kind: List\nmetadata:\n  resourceVersion: ""\n`;

const FORMS: readonly (readonly [name: string, text: string, count: number])[] = [
  [
    "a list as kubectl prints it",
    JSON.stringify({ apiVersion: "v1", items: pods, kind: "List" }, null, 4),
    COUNT,
  ],
  [
    "a list as a server answers",
    `${encodeJson({ apiVersion: "v1", kind: "PodList" }).slice(0, -1)},"items":${encodeJson(bare)}}\n`,
    COUNT,
  ],
  ["values on lines", pods.map((pod) => `${encodeJson(pod)}\n`).join(""), COUNT],
  [
    "lists behind each other",
    [1, 2].map(() => JSON.stringify({ kind: "List", items: pods })).join("\n"),
    2 * COUNT,
  ],
  [
    "an object and a list",
    `${encodeJson(pods[0])}\n${JSON.stringify({ kind: "List", items: pods })}`,
    COUNT + 1,
  ],
  ["an array", encodeJson(pods), COUNT],
  [
    "an array over many lines, and an object",
    `${JSON.stringify(pods, null, 2)}\n${encodeJson(pods[0])}`,
    COUNT + 1,
  ],
  ["an array of lists", encodeJson(pods.map((pod) => ({ kind: "List", items: [pod, pod] }))), 2 * COUNT],
  ["documents", pods.map((pod) => `---\n${yamlOf(pod)}`).join(""), COUNT],
  ["documents without a mark at the start", pods.map(yamlOf).join("---\n"), COUNT],
  ["a list in YAML", tailed, COUNT],
  ["a list in YAML, indented", `apiVersion: v1\nkind: List\nitems:\n${yamlItems("  ")}`, COUNT],
  ["a list in YAML, its kind in quotes", `apiVersion: v1\n"kind": List\nitems:\n${yamlItems("")}`, COUNT],
  ["lists in YAML", `${tailed}---\n${tailed}`, 2 * COUNT],
];

/** In pieces that end anywhere. */
async function* chunksOf(text: string): AsyncGenerator<string, void, undefined> {
  for (let at = 0; at < text.length; at += 97) yield text.slice(at, at + 97);
}

async function portions(text: string): Promise<string[]> {
  const found: string[] = [];
  for await (const portion of portionsOf(chunksOf(text), SIZES)) found.push(portion);
  return found;
}

const read = (texts: readonly string[]) => texts.flatMap((text) => [...objectsInText(text, "file")]);

test.each(FORMS)("%s", async (_, text, count) => {
  const found = await portions(text);
  const items = read(found);
  expect(items).toEqual(read([text]));
  expect(items.filter(({ type }) => type === "object")).toHaveLength(count);
  expect(found.length).toBeGreaterThan(5);
  expect(Math.max(...found.map(({ length }) => length))).toBeLessThan(SIZES.whole + SIZES.portion);
});

const logs =
  "==== START logs for container web of pod a/b ====\n{ no object\n==== END logs for container web of pod a/b ====\n";
const list = encodeJson({ kind: "List", apiVersion: "v1", items: pods });

test.each([
  [
    "a list that says behind its items of which kind they are",
    `{"apiVersion":"v1","items":${encodeJson(bare)},"kind":"PodList"}`,
    1,
  ],
  [
    "an array of words of YAML",
    `[${pods.map(() => "{kind: a'b, it: c\"d}").join(", ")}, {}]`.padEnd(2500),
    1,
  ],
  ["an array of numbers", `[${"1, ".repeat(1000)}1]`, 1],
  ["what containers have logged between two lists", `${list}\n${logs}${list}`, Number.POSITIVE_INFINITY],
  ["one long object", encodeJson({ ...pods[0], data: HARD.repeat(100) }), 1],
  ["what is no text of objects", "x ".repeat(2000), 1],
  ["a short text", encodeJson(pods[0]), 1],
  ["nothing", "", 1],
])("%s is read as it is as a whole", async (_, text, most) => {
  const found = await portions(text);
  expect(read(found)).toEqual(read([text]));
  expect(found.length).toBeLessThanOrEqual(most);
});

test("of a list that was cut off all is read that is whole, and that it was is told", async () => {
  const items = read(await portions(list.slice(0, -200)));
  expect(items.filter(({ type }) => type === "object").length).toBeGreaterThan(COUNT - 5);
  expect(items.at(-1)?.type).toBe("skipped");
});

test("of an array that was cut off all portions but the last are read, and that it was is told", async () => {
  const items = read(await portions(encodeJson(pods).slice(0, -200)));
  expect(items.filter(({ type }) => type === "object").length).toBeGreaterThan(COUNT - 10);
  expect(items.at(-1)?.type).toBe("skipped");
});

test("of a list in YAML that was cut off where a line ends it is told once", async () => {
  const items = read(await portions(tailed.slice(0, tailed.indexOf("kind: List"))));
  expect(items.filter(({ type }) => type === "object")).toHaveLength(COUNT);
  expect(items.slice(COUNT)).toEqual([
    { type: "skipped", origin: "file", reason: expect.stringMatching(/^the list ends before/) },
  ]);
});
