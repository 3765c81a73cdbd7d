// Runs a command in this process. Returns its output.
import process from "node:process";
import { expect, vi } from "vitest";
import { runCommand } from "../../../src/main.ts";
import type { Environment } from "../../../src/server/options/read-command-line.ts";

/** Fails when the command does. */
export async function printedBy(args: readonly string[], env: Environment): Promise<string> {
  let text = "";
  const write = vi.spyOn(process.stdout, "write").mockImplementation((chunk) => {
    text += chunk;
    return true;
  });
  try {
    expect(await runCommand(args, env)).toBe(0);
  } finally {
    write.mockRestore();
  }
  return text;
}
