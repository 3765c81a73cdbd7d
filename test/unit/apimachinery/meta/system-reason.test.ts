import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { systemReason } from "../../../../src/apimachinery/meta/system-reason.ts";

it("is what the system says of a file, in a parenthesis", async () => {
  expect(systemReason(await readFile("/nowhere/at/all").catch((error) => error))).toBe(
    " (no such file or directory)",
  );
  expect(systemReason(await readFile("/").catch((error) => error))).toBe(
    " (illegal operation on a directory)",
  );
});

it.each([
  new Error("something else"),
  { errno: -2 },
  undefined,
  Object.assign(new Error("x"), { errno: 999 }),
])("is nothing of %s", (error) => {
  expect(systemReason(error)).toBe("");
});
