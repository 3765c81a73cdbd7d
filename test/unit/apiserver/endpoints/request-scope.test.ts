import { expect, test } from "vitest";
import { managerFromUserAgent } from "../../../../src/apiserver/endpoints/request-scope.ts";

test.each([
  ["is its first word", "kubectl/v1.36.0 (linux/amd64)", "kubectl"],
  ["is all of it where there is no slash", "my tool", "my tool"],
  ["is nothing where there is nothing", "", ""],
  ["leaves out what cannot be printed", "a\u0007b\u0000c\u200bd/1", "abcd"],
  ["keeps letters beyond ASCII", "größe/1", "größe"],
  ["ends at 128 bytes", `${"a".repeat(200)}/1`, "a".repeat(128)],
  ["ends before a letter that does not fit any more", `${"a".repeat(127)}ä/1`, "a".repeat(127)],
])("the manager of a user agent %s", (_rule, userAgent, manager) => {
  expect(managerFromUserAgent(userAgent)).toBe(manager);
});
