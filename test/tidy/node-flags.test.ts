// npm scripts cannot import what the code says of Node's flags.
import { expect, test } from "vitest";
import { DEEP_STACK } from "../../src/launch/node-flags.ts";
import { readText } from "./source-files.ts";

test("npm start gives the stack that the build and the tests reckon with", () => {
  const { start } = JSON.parse(readText("package.json")).scripts;
  expect(start).toMatch(new RegExp(`&& node ${DEEP_STACK} dist/main\\.js$`));
});
