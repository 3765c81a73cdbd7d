// The expected texts were generated with Python's difflib.

import { describe, expect, it } from "vitest";
import { unifiedDiff } from "../../../../../../src/kube/core/pod/update/show-change.ts";
import { cpuMs } from "../../../../../support/cpu-time.ts";

const lines = (text: string): string[] => text.split("");

describe("a unified diff", () => {
  it.each([
    ["equal texts", "abc", "abc", ""],
    ["another line", "abcdefghi", "abcdXfghi", "@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+X\n f\n g\n h\n"],
    ["a line more at the start", "abcd", "Xabcd", "@@ -1,3 +1,4 @@\n+X\n a\n b\n c\n"],
    ["a line less at the end", "abcde", "abcd", "@@ -2,4 +2,3 @@\n b\n c\n d\n-e\n"],
    ["everything new", "", "ab", "@@ -0,0 +1,2 @@\n+a\n+b\n"],
    ["one line only", "a", "b", "@@ -1 +1 @@\n-a\n+b\n"],
    [
      "changes far from each other",
      "abcdefghijklmnop",
      "aXcdefghijklmnYp",
      "@@ -1,5 +1,5 @@\n a\n-b\n+X\n c\n d\n e\n@@ -12,5 +12,5 @@\n l\n m\n n\n-o\n+Y\n p\n",
    ],
    [
      "changes near each other",
      "abcdefghij",
      "aXcdefgYij",
      "@@ -1,10 +1,10 @@\n a\n-b\n+X\n c\n d\n e\n f\n g\n-h\n+Y\n i\n j\n",
    ],
  ])("shows %s", (_name, a, b, expected) => {
    expect(unifiedDiff(lines(a), lines(b))).toBe(expected);
  });

  it("does not let lines that are everywhere begin a match in a long text", () => {
    const long = Array.from({ length: 210 }, (_, index) => (index % 2 === 0 ? "}" : `line ${index}`));
    const changed = [...long.slice(0, 100), "new", ...long.slice(100)];
    expect(unifiedDiff(long, changed)).toBe(
      "@@ -98,6 +98,7 @@\n line 97\n }\n line 99\n+new\n }\n line 101\n }\n",
    );
  });

  it("says of longer texts how much is not compared", () => {
    const a = Array.from({ length: 60_000 }, (_, index) => `line ${index}`);
    const b = a.map((line, index) => (index === 10 || index === 59_999 ? "new" : line));
    expect(unifiedDiff(a, b)).toBe(
      "@@ -8,7 +8,7 @@\n line 7\n line 8\n line 9\n-line 10\n+new\n line 11\n line 12\n line 13\n" +
        "... // 9993 more lines are not compared\n",
    );
  });

  it("compares less where many lines equal many others", () => {
    const a = Array.from({ length: 20_000 }, (_, index) => `line ${index % 110}`);
    const before = cpuMs();
    expect(unifiedDiff(a, [...a].reverse())).toMatch(/\n\.\.\. \/\/ 15000 more lines are not compared\n$/);
    expect(cpuMs() - before).toBeLessThan(3000);
  });
});
