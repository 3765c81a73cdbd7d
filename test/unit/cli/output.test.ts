// Output of commands: verbatim in pipes, and escaped on terminals.
import process from "node:process";
import { afterEach, expect, test, vi } from "vitest";
import { print, printDocument, printError } from "../../../src/cli/output.ts";

const written: string[] = [];
const keep = (chunk: unknown): boolean => written.push(String(chunk)) > 0;
const isTerminal = process.stdout.isTTY;
afterEach(() => {
  vi.restoreAllMocks();
  process.stdout.isTTY = isTerminal;
  written.length = 0;
});

test.each([
  [false, "\u009b31m\u202e{}\n"],
  [true, "\\u009b31m\\u202e{}\n"],
])("a document on a terminal (%s)", (isTTY, expected) => {
  vi.spyOn(process.stdout, "write").mockImplementation(keep);
  process.stdout.isTTY = isTTY;
  printDocument("\u009b31m\u202e{}\n");
  expect(written).toEqual([expected]);
});

test("texts and errors are escaped in pipes, too", () => {
  vi.spyOn(process.stdout, "write").mockImplementation(keep);
  vi.spyOn(process.stderr, "write").mockImplementation(keep);
  process.stdout.isTTY = false;
  print("a\u001b[2J\n");
  printError("b\u001b[2J\n");
  expect(written).toEqual(["a\\u001b[2J\n", "b\\u001b[2J\n"]);
});
