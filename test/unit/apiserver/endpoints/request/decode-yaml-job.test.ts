import { expect, test } from "vitest";
import {
  decodeYamlJob,
  type YamlOutcome,
} from "../../../../../src/apiserver/endpoints/request/decode-yaml-job.ts";

const outcomeOf = (text: string): YamlOutcome => decodeYamlJob.run(Buffer.from(text), undefined);
const json = (text: string) => new TextEncoder().encode(text);

test.each<[string, string, YamlOutcome]>([
  ["a value, as JSON in its order", "b: 1\na: [~]\n", { json: json('{"b":1,"a":[null]}'), duplicates: [] }],
  ["every digit", "a: 9007199254740993\n", { json: json('{"a":9007199254740993}'), duplicates: [] }],
  ["a list without its items", "- a\n- b\n", { json: json("[]"), duplicates: [] }],
  [
    "keys that are given twice",
    "a: 1\na: 2\n",
    { json: json('{"a":2}'), duplicates: ['line 2: key "a" already set in map'] },
  ],
  [
    "what is no YAML",
    "a: @",
    { problem: "yaml: found character that cannot start any token", isOfJson: false },
  ],
  [
    "what is no JSON",
    `${"- ".repeat(6000)}${"[".repeat(6000)}${"]".repeat(6000)}`,
    { problem: "invalid character '[' exceeded max depth", isOfJson: true },
  ],
])("%s", (_what, text, outcome) => {
  expect(outcomeOf(text)).toEqual(outcome);
});

test("what is handed over is no part of anything else", () => {
  const outcome = outcomeOf("a: 1\n");
  const [buffer] = decodeYamlJob.handOver?.(outcome) ?? [];
  expect(buffer?.byteLength).toBe('{"a":1}'.length);
});
