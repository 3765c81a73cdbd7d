// npm run bench: throughput and latency of the built server over a real socket, compared with fastify and LevelDB alone in
// the same run. scripts/bench/README.md explains the rows.
import { rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ensureEgressIps } from "./bench/client/crd.ts";
import { clear } from "./bench/client/egress-ips.ts";
import { accessFromKubeconfig } from "./bench/client/kubeconfig.ts";
import { plainAccess, type ServerAccess } from "./bench/client/server-access.ts";
import { compareWith, USUAL_ROWS } from "./bench/compare/compare.ts";
import { GENERATORS, Generator } from "./bench/load/generator.ts";
import { API_ALONE, serveFrom, start } from "./bench/own-server.ts";
import { type Bench, type Means, planFor } from "./bench/plan.ts";
import { processorTime, stolenShare } from "./bench/processor-time.ts";
import { startRawServer } from "./bench/raw/raw-process.ts";
import { markdownOf } from "./bench/report/markdown.ts";
import { type Report, readJsonReport, reportOf, writeJson } from "./bench/report/report.ts";
import type { Row } from "./bench/report/row.ts";
import { summaryOf } from "./bench/report/summary.ts";
import { tableOf } from "./bench/report/table.ts";
import { type Choice, chosen, GROUPS } from "./bench/rows/groups.ts";

const HELP = `Usage: npm run bench -- [flags]

  --runs N            how often to measure everything; the medians are shown (1)
  --rounds N          how many turns each figure of a run is the median of (9)
  --compare REF       measure another commit and this checkout in turns, REF being a commit or a folder
                      with a built checkout; --runs are the pairs (5), --only the rows (${USUAL_ROWS.join(", ")})
  --only NAME         only these rows; may be repeated: ${GROUPS.map(({ name }) => name).join(", ")};
                      or ids of rows from their beginning, as in get or create/16
  --generator NAME    who sends what needs no look at the answers: ${GENERATORS.join(", ")} (wrk if it is there)
  --json FILE         write the figures to this file as well
  --markdown          print them as Markdown
  --summary           and only the rows with goals
  --from FILE         measure nothing, show what --json has written
  --long              also with a million objects
  --alone             without the raw limits
  --build DIR         measure the built checkout in this folder
  --folder DIR        where the stores lie (${tmpdir()})
  --quick             far too short to say anything, but everything runs
  --server URL        measure this Kubernetes server instead
  --kubeconfig PATH   how to reach and to enter it: server, authority, token or client certificate
  --context NAME      of that file (its current one)
`;

const { values: flags } = parseArgs({
  options: {
    help: { type: "boolean", default: false },
    runs: { type: "string" },
    rounds: { type: "string" },
    compare: { type: "string" },
    alone: { type: "boolean", default: false },
    long: { type: "boolean", default: false },
    build: { type: "string" },
    generator: { type: "string" },
    only: { type: "string", multiple: true, default: [] },
    json: { type: "string" },
    markdown: { type: "boolean", default: false },
    summary: { type: "boolean", default: false },
    from: { type: "string" },
    folder: { type: "string", default: tmpdir() },
    quick: { type: "boolean", default: false },
    server: { type: "string" },
    kubeconfig: { type: "string" },
    context: { type: "string" },
  },
});

if (flags.help) process.stdout.write(HELP);
else if (flags.compare !== undefined) await printComparison(flags.compare);
else await main();

async function main(): Promise<void> {
  const report = flags.from === undefined ? await measureAll() : await readJsonReport(flags.from);
  const textOf = flags.summary ? summaryOf : flags.markdown ? markdownOf : tableOf;
  process.stdout.write(textOf(report));
}

function namesOf(only: readonly string[]): string[] {
  return only.flatMap((names) => names.split(","));
}

/** Few rounds are enough for one pair of many. */
async function printComparison(ref: string): Promise<void> {
  const { runs = "5", rounds = flags.quick ? "1" : "3", only, generator, quick } = flags;
  const names = namesOf(only);
  chosen(names); // throws now for unknown names
  const folder = await mkdtemp(join(flags.folder, "egret-compare-"));
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => {
      rmSync(folder, { recursive: true, force: true });
      process.exit(1);
    });
  try {
    const turn = ["--rounds", rounds, ...(quick ? ["--quick"] : [])];
    const by = generator === undefined ? [] : ["--generator", generator];
    const comparison = {
      ref,
      pairs: Number(runs),
      only,
      flags: [...turn, ...by],
      folder,
      tell: tellProgress,
    };
    process.stdout.write(await compareWith(comparison));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measureAll(): Promise<Report> {
  const other = await otherServer();
  const choice = chosen(namesOf(flags.only));
  if (flags.build !== undefined) await serveFrom(flags.build);
  const rounds = flags.rounds === undefined ? {} : { rounds: Number(flags.rounds) };
  const plan = planFor({ quick: flags.quick, long: flags.long, alone: flags.alone, ...rounds });
  const means = { plan, generator: Generator.find(flags.generator), wants: choice.wants };
  const folder = await mkdtemp(join(flags.folder, "egret-bench-"));
  try {
    const measured = {
      server: other?.url ?? "the built server",
      own: other === undefined,
      quick: flags.quick,
      startedAt: new Date(),
    };
    const from = processorTime();
    const report = () => reportOf({ ...measured, stolen: stolenShare(from, processorTime()) }, runs);
    const runs: Row[][] = [];
    for (let run = 0; run < Math.max(1, Number(flags.runs ?? 1)); run++) {
      runs.push(
        await (other === undefined ? ownRun(choice, means, folder) : otherRun(other, choice, means, folder)),
      );
      // Written after each run, so that a reader need not wait for all of them.
      if (flags.json !== undefined) await writeJson(flags.json, report());
    }
    return report();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Undefined: the bench starts and measures the built server. */
async function otherServer(): Promise<ServerAccess | undefined> {
  const { server, kubeconfig, context } = flags;
  if (kubeconfig !== undefined)
    return await accessFromKubeconfig(kubeconfig, {
      ...(context === undefined ? {} : { context }),
      ...(server === undefined ? {} : { server }),
    });
  return server === undefined ? undefined : plainAccess(server);
}

async function ownRun(choice: Choice, means: Means, folder: string): Promise<Row[]> {
  await using raw = await startRawServer(folder);
  const bench: Bench = {
    ...means,
    folder,
    raw: raw.access,
    own: true,
    async withServer(use, more = []) {
      const dataDir = await mkdtemp(join(folder, "data-"));
      const { egret, access } = await start(dataDir, [...API_ALONE, ...more]);
      await using _running = egret;
      return await use({ ...means, folder, access, raw: raw.access });
    },
  };
  return await rowsOf(choice, bench);
}

async function otherRun(
  access: ServerAccess,
  { groups, wants }: Choice,
  means: Means,
  folder: string,
): Promise<Row[]> {
  await using raw = await startRawServer(folder);
  const bench: Bench = {
    ...means,
    folder,
    raw: raw.access,
    own: false,
    async withServer(use) {
      await clear(access);
      try {
        return await use({ ...means, folder, access, raw: raw.access });
      } finally {
        await clear(access);
      }
    },
  };
  const remove = await ensureEgressIps(access);
  try {
    return await rowsOf({ groups: groups.filter(({ ownOnly }) => !ownOnly), wants }, bench);
  } finally {
    await remove();
  }
}

async function rowsOf({ groups, wants }: Choice, bench: Bench): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [index, group] of groups.entries()) {
    tellProgress(`${index + 1} of ${groups.length}, ${group.name}: ${group.what}`);
    rows.push(...(await group.run(bench)).filter(({ id }) => wants(id)));
  }
  return rows;
}

/** Progress for a terminal; a file or a pipe gets only the results. */
function tellProgress(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`${line}\n`);
}
