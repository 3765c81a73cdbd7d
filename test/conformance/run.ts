// Runs the recorded cases from the command line. Without --server it starts Egret itself, once per file.
//
//   node --import tsx test/conformance/run.ts [--server URL] [--token T] [--file NAME]… [--only TEXT]
//                                             [--etcd] [--verbose] [--json FILE] [--update] [--record]
//
// With --etcd the server stores everything in an etcd, which is started for it. --record writes the answers of --server, a
// real kube-apiserver, into each --file.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { judge, readKnownDifferences, withoutCases, writeKnownDifferences } from "./runner/ratchet.ts";
import { recordFile } from "./runner/record.ts";
import { failureText, fileLine, totalLine, verdictLines } from "./runner/report.ts";
import { abouts, type FileOutcome, fileNames, runFile } from "./runner/run-file.ts";
import { STANDARD_FILES, startEgret } from "./start-egret.ts";

/** Each file spends much of its time waiting; with more at once the timing of the waiting cases would fail. */
const FILES_AT_ONCE = 2;

const { values: options } = parseArgs({
  options: {
    server: { type: "string" },
    token: { type: "string" },
    file: { type: "string", multiple: true },
    only: { type: "string" },
    etcd: { type: "boolean", default: false },
    verbose: { type: "boolean", default: false },
    json: { type: "string" },
    update: { type: "boolean", default: false },
    record: { type: "boolean", default: false },
  },
});

async function main(): Promise<number> {
  const files = options.file?.map((name) => name.replace(/\.json$/, "")) ?? [...STANDARD_FILES];
  const unknown = files.filter((file) => !fileNames().includes(file));
  if (unknown.length > 0) throw new Error(`no such case file: ${unknown.join(", ")}`);
  if (options.record) return await record(files);
  const outcomes = await runFiles(files);
  const ok = report(outcomes);
  console.log(totalLine(outcomes));
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(outcomes, undefined, 2)}\n`);
  return ok ? 0 : 1;
}

async function record(files: readonly string[]): Promise<number> {
  const { server: url, token, only, file } = options;
  if (url === undefined || file === undefined) throw new Error("--record needs --server and --file");
  for (const name of files) {
    const recorded = await recordFile({ file: name, url, token, only });
    console.log(`${name}: ${recorded.length} cases recorded`);
  }
  return 0;
}

/** In the order of the names, independent of completion. On a given server the files run in sequence. */
async function runFiles(files: readonly string[]): Promise<FileOutcome[]> {
  const outcomes: FileOutcome[] = [];
  const waiting = [...files.entries()];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [position, file] = next;
      outcomes[position] = options.server === undefined ? await runOnEgret(file) : await runOnServer(file);
    }
  };
  await Promise.all(Array.from({ length: options.server === undefined ? FILES_AT_ONCE : 1 }, work));
  return outcomes;
}

async function runOnEgret(file: string): Promise<FileOutcome> {
  await using server = await startEgret(file, options.etcd ? "etcd" : "memory");
  return await runFile({ file, url: server.url, token: options.token ?? server.token, only: options.only });
}

function runOnServer(file: string): Promise<FileOutcome> {
  return runFile({ file, url: options.server ?? "", token: options.token, only: options.only });
}

/** Prints the differences and the result of each file. Returns whether they match the list of known differences. */
function report(files: readonly FileOutcome[]): boolean {
  let list = readKnownDifferences();
  let ok = true;
  for (const file of files) {
    const verdict = judge(file, list);
    const aboutByName = abouts(file.file);
    for (const outcome of verdict.unexpected) {
      const about = aboutByName.get(outcome.name) ?? "";
      console.log(`FAIL ${failureText(outcome, { about, verbose: options.verbose })}`);
    }
    console.log([fileLine(file), ...verdictLines(verdict)].join("\n  "));
    if (options.update) list = withoutCases(list, file.file, verdict.nowEqual);
    ok &&= verdict.unexpected.length === 0 && (options.update || verdict.nowEqual.length === 0);
  }
  if (options.update) writeKnownDifferences(list);
  return ok;
}

process.exitCode = await main().catch((error: unknown) => {
  console.error(error);
  return 2;
});
