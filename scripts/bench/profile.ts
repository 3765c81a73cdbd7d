// Adds up a profile by function and by file: node --import tsx scripts/bench/profile.ts FILE.cpuprofile [lines]
import { readFileSync } from "node:fs";
import process from "node:process";
import { IDLE, ROOT, type Sum, type Sums, sumsOf } from "./profile/sums.ts";

const [file, lines = "30"] = process.argv.slice(2);
if (file === undefined) {
  process.stderr.write("a file is missing: profile.ts FILE.cpuprofile|FILE.heapprofile [lines]\n");
  process.exit(2);
}
process.stdout.write(textOf(sumsOf(readFileSync(file, "utf8")), Number(lines)));

function textOf({ unit, busy, idle, functions, files }: Sums, count: number): string {
  const table = (sums: readonly Sum[], by: "self" | "total"): string =>
    [...sums]
      .filter((sum) => sum[by] > 0 && sum.name !== IDLE && sum.name !== ROOT)
      .sort((a, b) => b[by] - a[by])
      .slice(0, count)
      .map((sum) => `${cell(sum.self, busy)} ${cell(sum.total, busy)}  ${sum.name}\n`)
      .join("");
  const head = `      self ${unit}          total ${unit}\n`;
  return [
    `${busy.toFixed(0)} ${unit} busy${idle === 0 ? "" : `, ${idle.toFixed(0)} ${unit} idle`}; shares are of what is busy\n`,
    `\nfunctions, by what they do themselves\n${head}${table(functions, "self")}`,
    `\nfunctions, with all that they call\n${head}${table(functions, "total")}`,
    `\nfiles, by what they do themselves\n${head}${table(files, "self")}`,
  ].join("");
}

function cell(value: number, all: number): string {
  return `${value.toFixed(1).padStart(9)} ${((100 * value) / all).toFixed(1).padStart(5)} %`;
}
