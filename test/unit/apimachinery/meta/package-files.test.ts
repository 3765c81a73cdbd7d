import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { packageFile } from "../../../../src/apimachinery/meta/package-files.ts";

test("a shipped file is found from the root of the package", () => {
  expect(existsSync(packageFile("schemas", "k8s.ovn.org", "v1"))).toBe(true);
  expect(packageFile("package.json")).toMatch(/[/\\]package\.json$/);
  expect(existsSync(packageFile("package.json"))).toBe(true);
});
