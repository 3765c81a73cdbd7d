// The report from results: medians of runs, goals that are met or missed, Markdown.
import { expect, test } from "vitest";
import { readProcessorTime, stolenShare } from "../../scripts/bench/processor-time.ts";
import { timesBetter, verdictOf } from "../../scripts/bench/report/goals.ts";
import { markdownOf } from "../../scripts/bench/report/markdown.ts";
import { mediansOf, reportOf } from "../../scripts/bench/report/report.ts";
import type { Row } from "../../scripts/bench/report/row.ts";
import { summaryOf } from "../../scripts/bench/report/summary.ts";
import { tableOf } from "../../scripts/bench/report/table.ts";

const row = (id: string, metrics: Partial<Row>): Row => ({ id, operation: id, ...metrics });

test("of several runs each figure is the median of its own", () => {
  const run = (perSecond: number, p99Ms: number) => [
    row("get/1", { clients: 1, perSecond, p99Ms, raw: "bare" }),
  ];
  expect(mediansOf([run(10, 3), run(30, 1), run(20, 9)])).toEqual([
    row("get/1", { clients: 1, perSecond: 20, p99Ms: 3, raw: "bare" }),
  ]);
});

test.each<[string, Row, readonly Row[], boolean | undefined]>([
  ["a limit that is kept", row("reopen/100000", { value: 1000, unit: "ms" }), [], true],
  ["a limit that is not kept", row("start/memory", { value: 61, unit: "MB" }), [], false],
  ["times the raw figure", row("start/answer", { value: 160, rawValue: 100 }), [], true],
  ["more than that", row("start-newest/answer", { value: 161, rawValue: 100 }), [], false],
  ["times a raw figure that was not measured", row("start/answer", { value: 160 }), [], undefined],
  ["a share of the raw limit", row("controllers/create/16", { perSecond: 90, rawPerSecond: 100 }), [], true],
  ["less than a share of it", row("controllers/create/16", { perSecond: 89, rawPerSecond: 100 }), [], false],
  ["both of two", row("create/16", { perSecond: 70, rawPerSecond: 100, cpuUs: 100 }), [], true],
  ["one of two", row("create/16", { perSecond: 70, rawPerSecond: 100, cpuUs: 101 }), [], false],
  ["the other of two", row("create/64", { perSecond: 54, rawPerSecond: 100, cpuUs: 80 }), [], false],
  ["one of two, and the other unknown", row("get/16", { perSecond: 65, rawPerSecond: 100 }), [], undefined],
  ["none of two, and one unknown", row("get/16", { perSecond: 64, rawPerSecond: 100 }), [], false],
  ["processor time", row("patch-memory/16", { perSecond: 1, cpuUs: 130 }), [], true],
  [
    "times the processor time of another row",
    row("size/get/1000000", { cpuUs: 50 }),
    [row("size/get/1000", { cpuUs: 40 })],
    true,
  ],
  ["more than that", row("size/get/1000000", { cpuUs: 51 }), [row("size/get/1000", { cpuUs: 40 })], false],
  ["times that of a row that was not measured", row("size/get/1000000", { cpuUs: 1 }), [], undefined],
  ["bytes per second", row("list/json", { perSecond: 100, bytes: 3e6 }), [], true],
  ["times a real server", row("list/label", { perSecond: 400 }), [], true],
  ["less than that", row("list/label", { perSecond: 300 }), [], false],
  ["a delay", row("watch-paced/1000", { perSecond: 1, p99Ms: 61 }), [], false],
  ["what nothing is demanded of", row("delete/16", { perSecond: 1 }), [], undefined],
])("%s", (_, measured, others, met) => {
  expect(verdictOf(measured, [measured, ...others])?.met).toBe(met);
});

test("rates and times are compared with a real server so that more is better", () => {
  expect(timesBetter(row("create/16", { perSecond: 3600 }))).toBe(3);
  expect(timesBetter(row("start/answer", { value: 200 }))).toBe(10);
  expect(timesBetter(row("delete/16", { perSecond: 1 }))).toBeUndefined();
});

test("what was missed is said, and the curves are drawn", () => {
  const rows = [
    row("start/answer", { value: 300, rawValue: 100, unit: "ms" }),
    row("get/16", {
      clients: 16,
      perSecond: 900,
      cpuUs: 25,
      busy: 0.5,
      rawPerSecond: 1000,
      generator: "wrk",
    }),
    row("watch/1", { clients: 1, perSecond: 500, p50Ms: 1, p99Ms: 2 }),
    row("size/get/1000", { perSecond: 9000 }),
    row("size/get/100000", { perSecond: 8000, rawPerSecond: 9000 }),
    row("memory/100000", { value: 300, unit: "MB" }),
  ];
  const report = reportOf({ server: "ours", own: true, quick: false, startedAt: new Date(0) }, [rows]);
  expect(tableOf(report)).toContain("3 of 4 goals are met\nmissed: start/answer");
  const markdown = markdownOf(report);
  expect(markdown).toMatch(/^\| 100,000 +\| +8000\/s \|.* 300 MB \|$/m);
  expect(markdown).toMatch(/^\| 1 +\| +500\/s \|/m);
  expect(markdown).toMatch(/^\| start\/answer .*\| ≤ 1.6 × Node alone +\| missed \|/m);
  expect(markdown).toMatch(/^\| get\/16 .* 25\.0 \| +50 % .*\| wrk +\|/m);
});

test("the summary has what has a goal or a comparison, and says what the goal looks at", () => {
  const rows = [
    row("get/16", { clients: 16, perSecond: 900, cpuUs: 25, rawPerSecond: 1000, rawCpuUs: 20 }),
    row("watch-paced/100", { clients: 100, perSecond: 50_000, p99Ms: 9, rawPerSecond: 50_000 }),
    row("start/answer", { value: 300, rawValue: 100, unit: "ms" }),
    row("delete/16", { clients: 16, perSecond: 5 }),
    row("stall/yaml/one", { value: 5, unit: "ms" }),
  ];
  const report = reportOf({ server: "ours", own: true, quick: false, startedAt: new Date(0) }, [rows]);
  const lines = summaryOf(report)
    .split("\n")
    .slice(4)
    .map((line) => line.split("|").map((cell) => cell.trim()));
  expect(lines.map((cells) => cells.slice(1, 7))).toEqual([
    ["get/16, 16 clients", "900/s", "25.0, 20.0", "90 %", "≤ 30 µs, ≥ 65 % of raw", "met"],
    ["watch-paced/100 to 100 watchers", "50000/s, p99 9.00 ms", "", "100 %", "p99 ≤ 8 ms", "missed"],
    ["start/answer", "300 ms", "", "300 %", "≤ 1.6 × Node alone", "missed"],
    [],
  ]);
});

test("what the host kept of the processors for others is said", () => {
  const from = readProcessorTime("cpu  100 0 50 9000 30 0 10 40 0 0\ncpu0 1 1\n");
  const to = readProcessorTime("cpu  160 0 60 9900 30 0 10 70 0 0\n");
  expect([from, to]).toEqual([
    { wanted: 200, stolen: 40 },
    { wanted: 300, stolen: 70 },
  ]);
  expect(stolenShare(from, to)).toBeCloseTo(0.3);
  expect([stolenShare(from, from), stolenShare(undefined, to)]).toEqual([undefined, undefined]);
  const measured = { server: "ours", own: true, quick: true, startedAt: new Date(0) };
  expect(tableOf(reportOf({ ...measured, stolen: 0.3 }, []))).toContain("The host kept 30 % of their time");
  expect(tableOf(reportOf({ ...measured, stolen: 0.001 }, []))).not.toContain("The host");
});
