// All output of commands passes through functions that escape control characters; no other code writes to the streams.
import { expect, test } from "vitest";
import { sourceFiles, withoutComments } from "./source-files.ts";

/** The last writes of a process are empty; the web UI runs in browsers. */
const MAY_WRITE = /^src\/(cli\/output\.ts|server\/launch\/end-process\.ts|ui\/)/;
const WRITES = /\bstd(?:out|err)\s*\.write\b|\bconsole\.|\bwriteSync\(\s*[12]\b/;

test("only src/cli/output.ts writes to the standard outputs", () => {
  const found = sourceFiles("src").filter(
    ({ path, text }) => !MAY_WRITE.test(path) && WRITES.test(withoutComments(text)),
  );
  expect(found.map(({ path }) => path)).toEqual([]);
});
