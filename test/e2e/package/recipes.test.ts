// The recipes of src/testing/README.md, run from the installed package.
import { spawnSync } from "node:child_process";
import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { kubectlProblem } from "../../support/kubectl.ts";
import {
  emptyFolder,
  installedFolder,
  installPackage,
  newProject,
  type PackageUser,
} from "../../support/package/packed-package.ts";

const MINUTES_MS = 240_000;

async function sectionOf(title: string, document = "src/testing/README.md"): Promise<string> {
  const text = await readFile(join(await installedFolder(), document), "utf8");
  const [, section = ""] = new RegExp(`^## ${title}\n([\\s\\S]*?)\n## `, "m").exec(text) ?? [];
  expect(section, title).not.toBe("");
  return section;
}

const recipesIn = (section: string): ReadonlyMap<string, string> =>
  new Map(
    [...section.matchAll(/```\w+\n(?:\/\/|#) ([^\s:]+).*\n([\s\S]*?)```/g)].map(
      ([, name = "", code = ""]) => [name, code],
    ),
  );

/** A recipe of the section as a file. */
async function writeRecipe({ folder }: PackageUser, file: string, document?: string): Promise<void> {
  const code = recipesIn(await sectionOf("In your tests", document)).get(file);
  expect(code, `the document has ${file}`).toBeDefined();
  await writeFile(join(folder, file), code ?? "");
}

const hasPythonClient = spawnSync("python3", ["-c", "import kubernetes, pytest"]).status === 0;

describe("a recipe of a few lines", () => {
  test.each([
    ["namespaces.test.ts", "npx", ["vitest", "run"]],
    ["namespaces.test.mjs", "node", ["--test", "namespaces.test.mjs"]],
  ])("%s passes", { timeout: MINUTES_MS }, async (file, command, args) => {
    const user = await emptyFolder(`recipe-${file}`);
    await writeRecipe(user, file);
    expect(await user.text(command, args)).toMatch(/pass(ed)?/);
  });

  test("the suite on the first page passes", { timeout: MINUTES_MS }, async () => {
    const user = await emptyFolder("recipe-first-page");
    await writeRecipe(user, "namespaces.test.ts", "README.md");
    expect(await user.text("npx", ["vitest", "run"])).toMatch(/passed/);
  });

  test("client-node.test.mjs passes with the overrides", { timeout: MINUTES_MS }, async () => {
    const [overrides = ""] = /^\{ "overrides": .*$/m.exec(await sectionOf("In your tests")) ?? [];
    const project = await newProject("client-node");
    await writeFile(join(project.folder, "package.json"), overrides);
    await installPackage(project, ["@kubernetes/client-node"]);
    await writeRecipe(project, "client-node.test.mjs");
    expect(await project.text("node", ["--test", "client-node.test.mjs"])).toMatch(/^# pass 1$/m);
  });

  test.skipIf(!hasPythonClient)("test_namespaces.py passes", { timeout: MINUTES_MS }, async () => {
    const user = await emptyFolder("recipe-python");
    await writeRecipe(user, "test_namespaces.py");
    const printed = await user.text("egret", ["run", "--", "python3", "-m", "pytest"]);
    expect(printed).toContain("1 passed");
  });

  test("jobs of a CI run the tests", async () => {
    const recipes = recipesIn(await sectionOf("In your tests"));
    const { jobs } = parse(recipes.get(".github/workflows/test.yml") ?? "");
    expect(jobs.test.steps.at(-1)).toEqual({ run: "npx --yes egret-apiserver run -- go test ./..." });
    const { test: job } = parse(recipes.get(".gitlab-ci.yml") ?? "");
    expect(job.script).toEqual(["npx --yes egret-apiserver run -- python3 -m pytest"]);
  });
});

describe("a suite of one test", () => {
  /** How the test runner that a recipe is for is started; that of jest is not among our packages. */
  test.each([
    ["first.test.ts", "npx", ["vitest", "run"]],
    ["first.test.mjs", "node", ["--test", "first.test.mjs"]],
  ])("%s passes", { timeout: MINUTES_MS }, async (file, command, args) => {
    const section = await sectionOf("Test your controller");
    const code = recipesIn(section).get(file);
    expect(code, `the document has ${file}`).toBeDefined();
    const user = await emptyFolder(`suite-${file}`);
    await writeFile(join(user.folder, file), code ?? "");
    const { code: exitCode, stdout, stderr } = await user.run(command, args);
    expect(stdout).toMatch(/pass(ed)?/);
    expect(exitCode, stdout + stderr).toBe(0);
  });
});

test("the sample of a controller in TypeScript", { timeout: MINUTES_MS }, async () => {
  const project = await newProject("sample");
  const sample = join(await installedFolder(), "test/samples/typescript-controller");
  await cp(sample, project.folder, { recursive: true });
  await installPackage(project);
  expect(await project.text("npm", ["test"])).toMatch(/Tests +3 passed \(3\)/);
});

describe.skipIf(kubectlProblem() !== undefined)("with kubectl", () => {
  test("the first command that egret runs", { timeout: MINUTES_MS }, async () => {
    const section = await sectionOf("In your tests");
    const line = /^\$ (egret run -- sh -c '.*)$/m.exec(section)?.[1];
    expect(line).toBeDefined();
    const user = await emptyFolder("run");
    const printed = await user.text("sh", ["-c", line ?? ""]);
    expect(printed).toMatch(/^kube-system +Active/m);
    expect(printed).toMatch(/"openapi": ?"3\.0/);
  });

  test("the recipe in shell", { timeout: MINUTES_MS }, async () => {
    const user = await emptyFolder("recipe-shell");
    await writeRecipe(user, "suite.sh");
    expect(await user.text("egret", ["run", "--", "sh", "-e", "suite.sh"])).toBe(
      "configmap/settings created\n",
    );
  });

  test("the suite in shell", { timeout: MINUTES_MS }, async () => {
    const user = await emptyFolder("shell");
    await cp(join(await installedFolder(), "test/samples/shell"), user.folder, { recursive: true });
    const page = await readFile(join(user.folder, "README.md"), "utf8");
    const line = /^ {4}(egret run .*)$/m.exec(page)?.[1];
    expect(line).toBeDefined();
    const printed = await user.text("sh", ["-c", line ?? ""]);
    expect(printed.match(/^ok - /gm)).toHaveLength(3);
  });
});
