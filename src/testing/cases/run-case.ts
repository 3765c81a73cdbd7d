// Runs a case on its own in-memory server: the steps, and the comparison with the expectations. A frozen clock and a
// seed make each run reproducible.
import { dirname, resolve } from "node:path";
import { append } from "../../apimachinery/meta/lists.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { StatusError } from "../../apimachinery/meta/status.ts";
import { readDuration } from "../../features/control-surface/clock.ts";
import { inOrder } from "../../features/import/import.ts";
import { collect } from "../../features/import/sources/collect.ts";
import { readFiles } from "../../features/import/sources/files.ts";
import { SourceError } from "../../features/import/sources/source.ts";
import { errorText, StartError, UsageError } from "../../server/errors.ts";
import { flagNameOf, readOptions, type ServerOptions } from "../../server/options/options.ts";
import { createServer, type Server } from "../../server/server.ts";
import { actionInWords, carryOut, changeAll, type Refusal } from "./actions.ts";
import { factInWords, lookAt, type World } from "./facts.ts";
import type { Case, CaseReport, CaseServer, Fact, FactResult } from "./format.ts";
import { CaseError, type ReadCase, readCase } from "./read-case.ts";

/** Noon, so that durations rarely cross a date boundary. */
const CLOCK = "2030-01-01T12:00:00Z";
/** Enough for everything that waits for time: retries, node checks, the emulated cloud. */
const REST = "30s";

/** Errors that prevent a case from running. */
const PROBLEMS = [StatusError, StartError, UsageError];

/** Runs a case file; `instead` overrides its server options. Throws CaseError for an invalid file. */
export async function runCaseFile(file: string, instead: CaseServer = {}): Promise<CaseReport> {
  const read = await readCase(file);
  return playCase({ ...read, server: { ...read.server, ...instead } });
}

/** Runs a case. If it cannot run, the report contains the problem. */
export async function playCase(read: ReadCase): Promise<CaseReport> {
  const { name, file } = read;
  try {
    await using server = await createServer(optionsOf(read));
    await layState(server, read);
    const facts: FactResult[] = [];
    for await (const result of play(server, read)) facts.push(result);
    return { name, file, passed: facts.every(({ holds }) => holds), facts };
  } catch (error) {
    if (!PROBLEMS.some((type) => error instanceof type)) throw error;
    return { name, file, passed: false, problem: errorText(error), facts: [] };
  }
}

/** Throws UsageError. */
function optionsOf({ name, server = {} }: ReadCase): ServerOptions {
  const own = { listen: "127.0.0.1:0", inMemory: true, kubeconfig: "", logLevel: "silent" };
  const given = { clock: CLOCK, seed: name, ...server, ...own };
  return readOptions(new Map(Object.entries(given).map(([option, value]) => [flagNameOf(option), value])));
}

/** Throws CaseError. */
async function layState(server: Server, { file, state }: ReadCase): Promise<void> {
  const { sources = [], objects = [] } = state;
  const standing: KubeObject[] = [];
  for (const source of sources) append(standing, await objectsOf(resolve(dirname(file), source)));
  if (standing.length > 0) await server.control.imports.import(standing);
  const written = inOrder(objects as readonly KubeObject[]).map((apply) => ({ apply })); // validated by the schema
  const refused = await server.controllers.renew(() => changeAll(server, written));
  const told = refused.map(({ action, message }) => `${action}: ${message}`);
  if (told.length > 0) throw new CaseError(`the state cannot be laid: ${told.join("; ")}`);
  await server.controllers.idle();
  await server.control.clock.advance(readDuration(REST));
}

/** Throws CaseError. */
async function objectsOf(path: string): Promise<readonly KubeObject[]> {
  try {
    return (await collect(readFiles(path))).objects;
  } catch (error) {
    throw error instanceof SourceError ? new CaseError(error.message, { cause: error }) : error;
  }
}

async function* play(
  server: Server,
  { steps = [], expect = [], facts = {} }: Case,
): AsyncGenerator<FactResult> {
  for (const [index, step] of steps.entries()) {
    const { do: actions = [], rest = REST, expect: expected = [] } = step;
    const name = step.name ?? (actions.map(actionInWords).join(", ") || `step ${index + 1}`);
    const refusals: (Refusal & { readonly at: string })[] = [];
    for (const [number, action] of actions.entries())
      for (const one of await carryOut(server, action))
        refusals.push({ ...one, at: `steps[${index}].do[${number}]` });
    await server.control.clock.advance(actions.length === 0 ? 0 : readDuration(rest));
    const claimed = expected.flatMap((fact) => ("refused" in fact ? [fact.refused] : []));
    for (const { at, action, message } of refusals) {
      if (claimed.some((part) => message.includes(part))) continue;
      const differences = [{ expected: "it is taken", found: message }];
      yield { at, step: name, fact: action, holds: false, differences };
    }
    const world = { server, facts, refusals: refusals.map(({ message }) => message) };
    yield* lookAtAll(world, expected, { step: name, path: `steps[${index}].expect` });
  }
  yield* lookAtAll({ server, facts, refusals: [] }, expect, { step: "at the end", path: "expect" });
}

async function* lookAtAll(
  world: World,
  facts: readonly Fact[],
  { step, path }: { readonly step: string; readonly path: string },
): AsyncGenerator<FactResult> {
  for (const [index, fact] of facts.entries()) {
    const at = `${path}[${index}]`;
    try {
      const { differences, because } = await lookAt(world, fact);
      const told = because === undefined ? {} : { because };
      yield { at, step, fact: factInWords(fact), holds: differences.length === 0, differences, ...told };
    } catch (error) {
      if (error instanceof StatusError) throw new CaseError(`${at}: ${error.message}`, { cause: error });
      throw error;
    }
  }
}
