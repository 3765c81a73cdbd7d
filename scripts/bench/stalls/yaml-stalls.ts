// YAML bodies that are expensive to decode.
import { BODY_BYTES, filled, inTurn, type RawRequest, type Stall } from "./stall.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
/** Created, unreadable, too large, invalid, or aborted. */
const ANSWERS = [201, 400, 413, 422, 429, 500, 504];

const TEXTS: Readonly<Record<string, { readonly what: string; text(): string }>> = {
  "flow-keys": { what: "{a,a,…}", text: () => `{${filled("a,")}a}` },
  "flow-lists": { what: "[[],[],…]", text: () => `[${filled("[],")}[]]` },
  tags: { what: "a tag on every item", text: () => `data:\n${filled("- !!str a\n")}` },
  "repeated-keys": { what: "one key again and again", text: () => filled("a: 1\n") },
  "many-keys": { what: "400,000 keys", text: manyKeys },
  comments: { what: "comments between items", text: () => `data:\n${filled("#\n- a #\n")}` },
  "block-lists": { what: "lists in lists", text: () => `data:\n${filled("- - - a\n")}` },
  aliases: { what: "an alias on every item", text: () => `data:\n- &a b\n${filled("- *a\n")}` },
  merges: { what: "a merge in every item", text: () => `data:\n- &a {b: c}\n${filled("- <<: *a\n")}` },
  quotes: { what: "quoted items with escapes", text: () => `data:\n${filled('- "\\u0061\\n"\n')}` },
  "long-line": { what: "one long word", text: () => `data: ${filled("a ")}` },
  documents: { what: "many documents", text: () => filled("a: 1\n---\n") },
};

export const YAML_STALLS: readonly Stall[] = [
  ...Object.entries(TEXTS).map(([name, { what, text }]) => posted(name, what, text)),
  {
    id: "yaml/together",
    what: "eight YAML bodies at once",
    answers: ANSWERS,
    arm: async (access) => {
      const body = `{${filled("a,", BODY_BYTES / 4)}a}`;
      const strikes = Array.from({ length: 8 }, () => inTurn(access, [create(body)]));
      return async () => (await Promise.all(strikes.map((strike) => strike()))).flat();
    },
  },
  {
    id: "yaml/import",
    what: "YAML of objects, imported",
    answers: [200, ...ANSWERS],
    arm: async (access) => {
      const body = filled("a: [b, c]\n---\n");
      return inTurn(access, [{ method: "POST", path: "/egret/v1/import", type: "application/yaml", body }]);
    },
  },
];

function posted(name: string, what: string, text: () => string): Stall {
  return {
    id: `yaml/${name}`,
    what: `YAML, ${what}`,
    answers: ANSWERS,
    arm: async (access) => inTurn(access, [create(text())]),
  };
}

const create = (body: string): RawRequest => ({
  method: "POST",
  path: CONFIG_MAPS,
  type: "application/yaml",
  body,
});

function manyKeys(): string {
  let text = "";
  for (let number = 0; text.length < BODY_BYTES; number++) text += `k${number}: \n`;
  return text;
}
