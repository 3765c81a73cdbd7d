// npm scripts cannot import the constants of Node's flags, so this test compares both.
import { expect, test } from "vitest";
import { DEEP_STACK } from "../../src/server/launch/node-flags.ts";
import { readText } from "./source-files.ts";

const { scripts } = JSON.parse(readText("package.json")) as { scripts: Readonly<Record<string, string>> };

test("npm start gives the stack that the build and the tests reckon with, and no script another one", () => {
  expect(scripts["start"]).toContain(` node ${DEEP_STACK} dist/main.js`);
  const said = Object.values(scripts).flatMap((script) => script.match(/--stack-size=\S+/g) ?? []);
  expect(new Set(said)).toEqual(new Set([DEEP_STACK]));
});
