// `egret case`: runs case files, which hold a state, changes and expectations, and creates them from a cluster.

import { writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { OWNER_ONLY_FILE, writePrivateFile } from "../apimachinery/meta/files/private-file.ts";
import { systemReason } from "../apimachinery/meta/system-reason.ts";
import { PLATFORMS, PROFILES } from "../controller/emulated-release.ts";
import { detectFacts } from "../ovn/detect/facts.ts";
import { NEEDED_KINDS } from "../ovn/needed-kinds.ts";
import { DEFAULT_FACTS } from "../ovn/snapshot.ts";
import { StartError } from "../server/errors.ts";
import { manifestFiles } from "../server/manifests.ts";
import type { ServerStatus } from "../server/paths.ts";
import type { CaseReport, CaseServer } from "../testing/cases/format.ts";
import { caseText, junitText, reportText } from "../testing/cases/report.ts";
import { runCaseFile } from "../testing/cases/run-case.ts";
import { caseTextOf } from "../testing/cases/save-case.ts";
import type { Asked } from "./ask-server.ts";
import { usageError } from "./commands.ts";
import { tellPerson } from "./far-verdicts.ts";
import { print, printDocument } from "./output.ts";
import { filedCluster, listedCluster, type ReadCluster } from "./read-cluster.ts";

/** Returns the exit code. Throws UsageError and StartError. */
export async function caseCommand(asked: Asked): Promise<number> {
  const [word, ...given] = asked.words;
  const [name, ...more] = given;
  if (word === "run" && name !== undefined) return await run(asked, given);
  if (word === "save" && name !== undefined && more.length === 0) return await save(asked, name);
  throw usageError("say what to do", "case");
}

async function run(asked: Asked, paths: readonly string[]): Promise<number> {
  const files = (await Promise.all(paths.map((path) => manifestFiles(path)))).flat();
  const reports: CaseReport[] = [];
  const instead = askedServer(asked);
  for (const file of files) reports.push(await runCaseFile(file, instead));
  printReports(asked.text("output") ?? "text", reports);
  return reports.every(({ passed }) => passed) ? 0 : 1;
}

/** Server options of the command line for the run. Throws UsageError. */
function askedServer(asked: Asked): CaseServer {
  const platform = PLATFORMS.find((one) => one === asked.text("platform"));
  return { ...(platform && { platform }), ...(asked.isSet("cluster") && { cluster: true }) };
}

function printReports(form: string, reports: readonly CaseReport[]): void {
  if (form === "json") printDocument(`${JSON.stringify(reports, undefined, 2)}\n`);
  else if (form === "junit") printDocument(junitText(reports));
  else print(reportText(reports));
}

/** Saves a case and runs it at once, to report a case that does not pass. */
async function save(asked: Asked, name: string): Promise<number> {
  const file = /\.ya?ml$/.test(name) ? name : `${name}.yaml`;
  const read = await readState(asked);
  for (const note of read.notes) tellPerson(note);
  const status = await statusOf(asked);
  const { cluster = status?.cluster === true, ...askedPlatform } = askedServer(asked);
  const { platform, ...facts } = {
    ...DEFAULT_FACTS,
    ...detectFacts(read.snapshot),
    ...serverFacts(status),
    ...askedPlatform,
  };
  const { product: profile, clusterSubnets, serviceSubnets: serviceClusterIpRange } = facts;
  const text = caseTextOf(read.objects, {
    name: basename(file).replace(/\.ya?ml$/, ""),
    facts: { ...facts, onCloud: platform !== "none" },
    server: { profile, ...(cluster && { cluster }), platform, clusterSubnets, serviceClusterIpRange },
    namespaces: asked.texts("namespace"),
    selector: asked.text("selector") ?? "",
  });
  await write(file, text, asked.isSet("replace"));
  const report = await runCaseFile(file);
  print(`${file} is written\n${caseText(report)}`);
  return report.passed ? 0 : 1;
}

const WHOLE = { keep: (object: ReadCluster["objects"][number]) => object, mustHave: () => false };

async function readState(asked: Asked): Promise<ReadCluster> {
  const files = asked.texts("from");
  const must = NEEDED_KINDS.slice(0, 2); // nodes and namespaces
  if (files.length > 0) return await filedCluster(files, WHOLE, asked.limits());
  return await listedCluster(asked, { ...WHOLE, mustHave: (kind) => must.includes(kind) });
}

/** Status of the server to save, if it is an Egret; undefined for other clusters and files. */
const statusOf = async (asked: Asked): Promise<ServerStatus | undefined> =>
  asked.texts("from").length > 0
    ? undefined
    : asked.askEgret<ServerStatus>({ method: "GET", path: "/status" });

/** Facts that a running Egret reports; they override detected ones. */
function serverFacts(status: ServerStatus | undefined) {
  if (status === undefined) return {};
  const { clusterSubnets, serviceClusterIpRange: serviceSubnets } = status;
  const platform = PLATFORMS.find((one) => one === status.platform) ?? "none";
  const product = PROFILES.find((one) => one === status.profile) ?? PROFILES[0];
  return { product, platform, clusterSubnets, serviceSubnets };
}

/** Throws StartError. */
async function write(file: string, text: string, mayReplace: boolean): Promise<void> {
  const written = mayReplace
    ? writePrivateFile(file, text)
    : writeFile(file, text, { flag: "wx", mode: OWNER_ONLY_FILE });
  await written.catch((cause: Error) => {
    const isThere = "code" in cause && cause.code === "EEXIST";
    const why = isThere
      ? "is there already: --replace writes over it"
      : `cannot be written${systemReason(cause)}`;
    throw new StartError(`${file} ${why}`, { cause });
  });
}
