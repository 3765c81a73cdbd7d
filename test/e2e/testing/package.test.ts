// The package as a project sees it that has installed it: its types, its modules, and the recipes of the README.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ConsumerProject } from "../../support/consumer-project.ts";

const README = join(import.meta.dirname, "../../../README.md");
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

async function compile(project: ConsumerProject, include: string[], skipLibCheck: boolean): Promise<string> {
  const config = { compilerOptions: { ...COMPILER, skipLibCheck }, include };
  await project.write("tsconfig.json", JSON.stringify(config));
  const { code, output } = await project.run(["node_modules/typescript/bin/tsc", "-p", "."]);
  return `${code} ${output}`.trim();
}

test("the types say what they should", { timeout: 60_000 }, async () => {
  await using project = await ConsumerProject.create(["@types/node", "typescript", "vitest"]);
  await project.copy("test/types");
  expect(await compile(project, ["testing-api.ts"], true)).toBe("0");
});

test("the declarations are sound also for those who check libraries", { timeout: 60_000 }, async () => {
  await using project = await ConsumerProject.create(["@types/node", "typescript"]);
  await project.write("a.ts", 'import { startEgret } from "egret-apiserver/testing";\nawait startEgret();\n');
  expect(await compile(project, ["a.ts"], false)).toBe("0");
});

test.each([
  ["imported", "a.mjs", 'import { startEgret } from "egret-apiserver/testing";'],
  ["required", "a.cjs", 'const { startEgret } = require("egret-apiserver/testing");'],
])("the module can be %s, and ends with its servers", async (_how, file, line) => {
  await using project = await ConsumerProject.create();
  const use = "startEgret().then((server) => server.close()).then(() => console.log('closed'));";
  await project.write(file, `${line}\n${use}\n`);
  expect(await project.run([file])).toEqual({ code: 0, output: "closed\n" });
});

describe("the recipes of the README", async () => {
  const text = await readFile(README, "utf8");
  const section = /## Test your controller\n([\s\S]*?)\n## /.exec(text)?.[1] ?? "";
  const recipes = [...section.matchAll(/```(?:ts|js)\n\/\/ (\S+)\n([\s\S]*?)```/g)].map(
    ([, file = "", code = ""]) => [file, code] as const,
  );
  /** How the test runner that a recipe is for is started; that of jest is not among our packages. */
  const runners: Readonly<Record<string, readonly string[]>> = {
    "first.test.ts": ["node_modules/vitest/vitest.mjs", "run"],
    "first.test.mjs": ["--test", "first.test.mjs"],
  };

  test.each(Object.keys(runners))("%s passes", { timeout: 60_000 }, async (file) => {
    const code = new Map(recipes).get(file);
    expect(code, `the README has ${file}`).toBeDefined();
    await using project = await ConsumerProject.create(["vitest"]);
    await project.write(file, code ?? "");
    const { code: exitCode, output } = await project.run(runners[file] ?? []);
    expect(output).toMatch(/pass(ed)?/);
    expect(exitCode, output).toBe(0);
  });
});
