// The recipes of the README, as who has installed the package finds and follows them.
import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { kubectlProblem } from "../../support/kubectl.ts";
import {
  emptyFolder,
  installedFolder,
  installPackage,
  newProject,
} from "../../support/package/packed-package.ts";

const MINUTES_MS = 240_000;

async function sectionOfReadme(title: string): Promise<string> {
  const text = await readFile(join(await installedFolder(), "README.md"), "utf8");
  const [, section = ""] = new RegExp(`^## ${title}\n([\\s\\S]*?)\n## `, "m").exec(text) ?? [];
  expect(section, title).not.toBe("");
  return section;
}

describe("a suite of one test", () => {
  /** How the test runner that a recipe is for is started; that of jest is not among our packages. */
  test.each([
    ["first.test.ts", "npx", ["vitest", "run"]],
    ["first.test.mjs", "node", ["--test", "first.test.mjs"]],
  ])("%s passes", { timeout: MINUTES_MS }, async (file, command, args) => {
    const section = await sectionOfReadme("Test your controller");
    const recipes = [...section.matchAll(/```(?:ts|js)\n\/\/ (\S+)\n([\s\S]*?)```/g)];
    const code = recipes.find(([, name]) => name === file)?.[2];
    expect(code, `the README has ${file}`).toBeDefined();
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
    const section = await sectionOfReadme("Test your controller");
    const line = /^\$ (egret run -- sh -c '.*)$/m.exec(section)?.[1];
    expect(line).toBeDefined();
    const user = await emptyFolder("run");
    const printed = await user.text("sh", ["-c", line ?? ""]);
    expect(printed).toMatch(/^kube-system +Active/m);
    expect(printed).toMatch(/"openapi": ?"3\.0/);
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
