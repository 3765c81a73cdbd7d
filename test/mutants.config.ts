// How mutants are met: the tests that scripts/mutate.ts names, in a thread, as Stryker wants them.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: new URL(".", import.meta.url).pathname,
    include: JSON.parse(process.env["EGRET_MUTATE_TESTS"] ?? "[]"),
    testTimeout: 60_000,
    isolate: false,
  },
});
