// The package from the view of a project that depends on it: its types and its modules.
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { ConsumerProject } from "../../support/consumer-project.ts";

const REPOSITORY = join(import.meta.dirname, "../../..");

const COMPILER = {
  target: "es2022",
  lib: ["es2022", "esnext.disposable"],
  module: "nodenext",
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
  types: ["node"],
};

async function compile(project: ConsumerProject, include: string[], options: object): Promise<string> {
  const config = { compilerOptions: { ...COMPILER, ...options }, include };
  await project.write("tsconfig.json", JSON.stringify(config));
  const { code, output } = await project.run(["node_modules/typescript/bin/tsc", "-p", "."]);
  return `${code} ${output}`.trim();
}

test("the types say what they should", { timeout: 60_000 }, async () => {
  await using project = await ConsumerProject.create(["@types/node", "typescript", "vitest"]);
  await project.copy("test/types");
  expect(await compile(project, ["testing-api.ts"], { skipLibCheck: true })).toBe("0");
});

const ALL_ENTRIES = `
import { createServer, type ServerOptions } from "egret-apiserver";
import type { Kinds } from "egret-apiserver/kinds";
import { startEgret } from "egret-apiserver/testing";

export const make = (options: Partial<ServerOptions>) => createServer(options);
export const egressIp = async (): Promise<Kinds["k8s.ovn.org/v1/EgressIP"]> =>
  await (await startEgret()).client.get("k8s.ovn.org/v1/EgressIP", "web");
`;

test.each([
  { module: "node16", moduleResolution: "node16" },
  { module: "nodenext", moduleResolution: "nodenext" },
  { module: "es2022", moduleResolution: "bundler" },
])(
  "the declarations pass without skipLibCheck: $module, $moduleResolution",
  {
    timeout: 60_000,
  },
  async (modules) => {
    await using project = await ConsumerProject.create(["@types/node", "typescript"]);
    await project.write("a.ts", ALL_ENTRIES);
    expect(await compile(project, ["a.ts"], { ...modules, skipLibCheck: false })).toBe("0");
  },
);

test("the declarations name nothing that TypeScript 5.4 does not have", async () => {
  const { exports } = JSON.parse(await readFile(join(REPOSITORY, "package.json"), "utf8"));
  const entries = [exports["."], exports["./testing"], exports["./kinds"]].map(({ types }) => types);
  const reached = await declarationsFrom(entries.map((path) => join(REPOSITORY, path)));
  expect(reached.size).toBeGreaterThan(50);
  const tooNew = [...reached].flatMap(([path, text]) => tooNewIn(text).map((found) => `${path}: ${found}`));
  expect(tooNew).toEqual([]);
});

/** Those that a compiler reads for these, with their texts. */
async function declarationsFrom(entries: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const read = new Map<string, string>();
  const open = [...entries];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (read.has(path)) continue;
    const text = await readFile(path, "utf8");
    read.set(path, text);
    for (const [, target = ""] of text.matchAll(/(?:from|import\() ?"(\.[^"]*)"/g))
      open.push(join(dirname(path), target.replace(/(\.d)?\.[jt]s$/, ".d.ts")));
  }
  return read;
}

const NEW_NAME =
  /\b(?:(?:Map|Set|Array|String|RegExpString)Iterator|(?:Async)?IteratorObject|BuiltinIterator)\b/g;
/** Classes that had no type parameters. */
const NEW_GENERIC = /\b(?:Buffer|DataView|\w+\dArray|Uint8ClampedArray)<\w+>/g;
/** Types that had one type parameter. */
const ITERABLE = /\b(?:Async)?Iterable(?:Iterator)?<((?:[^<>]|=>|<(?:[^<>]|<[^<>]*>)*>)*)>/g;

function tooNewIn(text: string): string[] {
  const names = text.match(NEW_NAME) ?? [];
  const generics = text.match(NEW_GENERIC) ?? [];
  const iterables = [...text.matchAll(ITERABLE)]
    .filter(([, inside = ""]) => /,/.test(inside.replaceAll(/<.*>|\{.*\}|\[.*\]|\(.*\)/g, "")))
    .map(([whole]) => whole);
  return [...names, ...generics, ...iterables];
}

test.each([
  ["imported", "a.mjs", 'import { startEgret } from "egret-apiserver/testing";'],
  ["required", "a.cjs", 'const { startEgret } = require("egret-apiserver/testing");'],
])("the module can be %s, and ends with its servers", async (_how, file, line) => {
  await using project = await ConsumerProject.create();
  const use = "startEgret().then((server) => server.close()).then(() => console.log('closed'));";
  await project.write(file, `${line}\n${use}\n`);
  expect(await project.run([file])).toEqual({ code: 0, output: "closed\n" });
});
