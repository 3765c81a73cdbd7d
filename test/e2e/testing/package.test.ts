// The package as a project sees it that has installed it: its types and its modules.
import { expect, test } from "vitest";
import { ConsumerProject } from "../../support/consumer-project.ts";

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
