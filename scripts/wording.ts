// npm run lint: wording in comments and documents that hides the terms of the field. Prints each finding, the sum by rule,
// and how many there are per 1,000 lines of prose; exits with 1 where there are more than WORDING_MAX.
import { readFileSync } from "node:fs";
import process from "node:process";
import { packageFile } from "../src/apimachinery/meta/package-files.ts";
import { filesBelow } from "./files-below.ts";
import { WORDING_MAX, wordingFindings } from "./wording-rules.ts";

const PLACES = ["src", "scripts", "test", "README.md", "CHANGELOG.md", ".github"];
const PROSE = /\.(?:ts|tsx|md|css)$/;
/** Recordings, and texts that are generated. */
const NOT_PROSE = /\/fixtures\/|^test\/conformance\/cases\//;

let lines = 0;
const found: string[] = [];
const byRule = new Map<string, number>();
for (const path of PLACES.flatMap((place) => filesBelow(place))) {
  if (!PROSE.test(path) || NOT_PROSE.test(path)) continue;
  const result = wordingFindings(path, readFileSync(packageFile(path), "utf8"));
  lines += result.lines;
  for (const { line, rule, words, better } of result.findings) {
    found.push(`${path}:${line}: "${words}": ${better}`);
    byRule.set(rule, (byRule.get(rule) ?? 0) + 1);
  }
}

const perThousand = (1000 * found.length) / Math.max(lines, 1);
const isTooMuch = perThousand > WORDING_MAX;
if (isTooMuch || process.argv.includes("--all")) {
  for (const finding of found) console.log(finding);
  for (const [rule, count] of byRule) console.log(`${count} × ${rule}`);
}
console.log(
  `wording: ${found.length} findings in ${lines} lines of prose, ${perThousand.toFixed(1)} per 1,000 (at most ${WORDING_MAX})`,
);
if (isTooMuch) process.exitCode = 1;
