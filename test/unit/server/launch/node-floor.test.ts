// Node versions that are rejected before any other code is loaded.
import { expect, test } from "vitest";
import { nodeProblem } from "../../../../src/server/launch/node-floor.ts";

test.each(["20.19.0", "20.20.2", "21.0.0", "22.0.0", "26.10.0", "100.0.0-pre"])("%s will do", (version) => {
  expect(nodeProblem(version, "20.19", "/bin/node")).toBeUndefined();
});

test.each(["20.18.3", "18.20.8", "16.20.2", "9.0.0", "0.10.48", ""])("%s is too old", (version) => {
  expect(nodeProblem(version, "20.19", "/bin/node")).toBe(
    `Node 20.19 or newer is needed, and /bin/node is Node ${version}`,
  );
});
