// What the documents show of verdicts is what is printed: every transcript is replayed, word by word but for times.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { EXPLAINABLE } from "../../src/verdict/explain/explain.ts";
import { type EgretProcess, runEgret, startEgret } from "../support/egret-process.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const MANIFESTS = join(ROOT, "test/e2e/manifests");

interface Transcript {
  readonly command: string;
  readonly printed: string;
}

/** The commands of all consoles of a document. */
async function transcriptsOf(path: string): Promise<Transcript[]> {
  const text = await readFile(join(ROOT, path), "utf8");
  const consoles = [...text.matchAll(/```console\n([\s\S]*?)```/g)].map(([, block = ""]) => block);
  return consoles.flatMap((block) =>
    [...block.matchAll(/^\$ node dist\/main\.js (.*)\n([\s\S]*?)(?=^\$|(?![\s\S]))/gm)].map(
      ([, command = "", printed = ""]) => ({ command, printed }),
    ),
  );
}

const TRANSCRIPTS = [
  ...(await transcriptsOf("src/verdict/explain/README.md")),
  ...(await transcriptsOf("src/verdict/trace/README.md")),
];

let folder: string;
let kubeconfig: string;
let server: EgretProcess;
const egret = (...words: string[]) => runEgret(words, { env: { EGRET_KUBECONFIG: kubeconfig } });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-documents-"));
  kubeconfig = join(folder, "kubeconfig");
  server = await startEgret(["--in-memory", "--kubeconfig", kubeconfig]);
  const files = ["nodes.yaml", "shop.yaml", "verdicts.yaml"].flatMap((name) => ["-f", join(MANIFESTS, name)]);
  expect(await egret("apply", "--status", ...files)).toMatchObject({ code: 0, stderr: "" });
  await egret("clock", "settle");
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const timeless = (text: string): string => text.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "TIME");

test.each(TRANSCRIPTS)("$command", async ({ command, printed }) => {
  const { stdout, stderr } = await egret(...command.split(" "));
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
