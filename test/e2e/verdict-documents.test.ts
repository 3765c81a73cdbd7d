// The transcripts of verdicts in the documents equal the output: each is replayed and compared word by word, except times.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { EXPLAINABLE } from "../../src/ovn/explain/explain.ts";
import { EgretSession } from "../support/egret-session.ts";
import { transcriptsIn } from "../support/transcripts.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

const transcriptsOf = async (path: string) => transcriptsIn(await readFile(join(ROOT, path), "utf8"));

const TRANSCRIPTS = [
  ...(await transcriptsOf("src/ovn/explain/README.md")),
  ...(await transcriptsOf("src/ovn/trace/README.md")),
];

let session: EgretSession;
beforeAll(async () => {
  session = await EgretSession.start(["nodes.yaml", "shop.yaml", "verdicts.yaml"]);
});
afterAll(() => session?.[Symbol.asyncDispose]());

const timeless = (text: string): string => text.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "TIME");

test.each(TRANSCRIPTS)("$command", async ({ command, printed }) => {
  const { stdout, stderr } = await session.egret(...command.split(" "));
  expect({ stdout: timeless(stdout), stderr }).toEqual({ stdout: timeless(printed), stderr: "" });
});

test("every kind that can be explained has an example, and so has every form of a trace and a plan", () => {
  const commands = TRANSCRIPTS.map(({ command }) => command);
  const explained = new Set(commands.map((command) => /^explain (\w+)/.exec(command)?.[1]));
  for (const { words, kind } of EXPLAINABLE) {
    expect({ kind, isThere: words.some((word) => explained.has(word)) }).toEqual({ kind, isThere: true });
  }
  const forms = [
    "trace pod/",
    "trace --from ns/",
    "trace --matrix",
    "-o markdown",
    "--since",
    "plan --delete",
    "--every node",
  ];
  for (const form of forms) expect(commands.join("\n")).toContain(form);
});
