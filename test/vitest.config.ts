import { defineConfig } from "vitest/config";

/** They start servers and look at times: one after the other, so that none waits for another's processor. */
const WITH_SERVERS = ["e2e/**/*.test.ts", "bench/**/*.test.ts", "fault/server-*.test.ts"];
/** They start servers, too, and spend most of their time waiting as long as the recording did. */
const RECORDED = ["conformance/suite/**/*.test.ts"];
/** They have tests of their own, which are run as their READMEs say. */
const OTHER_PROJECTS = ["samples/**"];

const shared = {
  root: new URL(".", import.meta.url).pathname,
  testTimeout: 20_000,
  hookTimeout: 30_000,
  pool: "forks" as const,
  // Test files share their process: reading the source anew for each takes longer than the tests do.
  isolate: false,
};

export default defineConfig({
  test: {
    reporters: process.env["CI"] ? ["default"] : ["dot"],
    projects: [
      {
        test: {
          ...shared,
          name: "inside",
          maxWorkers: 2,
          include: ["**/*.test.ts"],
          exclude: [...WITH_SERVERS, ...RECORDED, ...OTHER_PROJECTS],
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...shared,
          name: "outside",
          include: WITH_SERVERS,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...shared,
          name: "recorded",
          include: RECORDED,
          maxWorkers: 4,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
