import { defineConfig } from "vitest/config";
import { DEEP_STACK } from "../src/server/launch/node-flags.ts";

/** They look at times, at memory, or at servers that are killed: one after the other, so that none waits for another's processor. */
const ALONE = [
  "bench/**/*.test.ts",
  "fault/server-*.test.ts",
  "fault/etcd/robustness.test.ts",
  "e2e/start.test.ts",
  "e2e/limits.test.ts",
  "e2e/verdict-size.test.ts",
  "e2e/stalls/every-stall.test.ts",
  "e2e/stalls/verdicts.test.ts",
  "security/**/alone/*.test.ts",
  "e2e/package/**/*.test.ts",
  "e2e/testing/many-servers.test.ts",
  "e2e/envtest/times.test.ts",
];
/** They start servers and commands, and wait for them. */
const OUTSIDE = ["e2e/**/*.test.ts", "security/**/*.test.ts"];
/** They start servers, too, and spend most of their time waiting as long as the recording did. */
const RECORDED = ["conformance/suite/**/*.test.ts"];
/** They have tests of their own, which are run as their READMEs say. */
const OTHER_PROJECTS = ["samples/**"];

const shared = {
  root: new URL(".", import.meta.url).pathname,
  // Much more than any test takes: a machine that others share may stand still for seconds.
  testTimeout: 60_000,
  hookTimeout: 60_000,
  pool: "forks" as const,
  execArgv: [DEEP_STACK],
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
          exclude: [...ALONE, ...OUTSIDE, ...RECORDED, ...OTHER_PROJECTS],
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...shared,
          name: "alone",
          include: ALONE,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...shared,
          name: "outside",
          include: OUTSIDE,
          exclude: [...ALONE, ...OTHER_PROJECTS],
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          ...shared,
          name: "recorded",
          include: RECORDED,
          maxWorkers: 4,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
