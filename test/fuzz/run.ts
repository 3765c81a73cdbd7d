// Compares Egret with another server by random requests to the kinds that both serve.
//
//   npm run fuzz -- [--against URL] [--token T] [--cases N] [--seed S] [--only KIND] [--out FILE]
//
// The reference is a real server, or another Egret when none is named. A case that differs is reduced to its minimum and
// written as a recorded case.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { ConformanceCase } from "../conformance/runner/case-file.ts";
import { failureText } from "../conformance/runner/report.ts";
import { Target } from "../conformance/runner/target.ts";
import { startEgret } from "../conformance/start-egret.ts";
import { compareOn, shrink } from "./compare-servers.ts";
import { canBeDrawn, drawnCase } from "./draw-case.ts";
import { type ServedKind, servedKinds } from "./served-api.ts";

const { values: options } = parseArgs({
  options: {
    against: { type: "string" },
    token: { type: "string" },
    cases: { type: "string", default: "500" },
    seed: { type: "string", default: String(Date.now() % 2 ** 31) },
    only: { type: "string" },
    out: { type: "string", default: "fuzz-found.json" },
  },
});

/** The kinds that both servers serve. */
async function kindsOfBoth(own: Target, reference: Target): Promise<ServedKind[]> {
  const name = ({ group, version, resource }: ServedKind) => `${resource}.${version}.${group}`;
  const others = new Map((await servedKinds(own)).map((kind) => [name(kind), kind]));
  return (await servedKinds(reference)).filter(
    (kind) => canBeDrawn(kind) && others.has(name(kind)) && (options.only ?? kind.kind) === kind.kind,
  );
}

/** False where the reference answers differently when the request is repeated, as with generated names and addresses. */
async function differs(testCase: ConformanceCase, own: Target, reference: Target): Promise<boolean> {
  const { outcome } = await compareOn(testCase, own, reference);
  return !outcome.equal && (await compareOn(testCase, reference, reference)).outcome.equal;
}

async function main(): Promise<number> {
  await using server = await startEgret("builtin");
  await using second = options.against === undefined ? await startEgret("builtin") : undefined;
  const own = new Target(server.url, server.token);
  const reference = new Target(options.against ?? second?.url ?? "", options.token ?? second?.token);
  const kinds = await kindsOfBoth(own, reference);
  const [count, first] = [Number(options.cases), Number(options.seed)];
  const found: ConformanceCase[] = [];
  for (let index = 0; index < count; index++) {
    const kind = kinds[index % kinds.length];
    if (kind === undefined) throw new Error("there is no kind that both servers serve");
    const testCase = drawnCase(kind, first + index);
    if (!(await differs(testCase, own, reference))) continue;
    const smallest = await shrink(testCase, (smaller) => differs(smaller, own, reference));
    const { recorded, outcome } = await compareOn(smallest, own, reference);
    found.push(recorded);
    console.log(failureText(outcome));
  }
  own.close();
  reference.close();
  if (found.length > 0) writeFileSync(options.out, `${JSON.stringify(found, undefined, 2)}\n`);
  console.log(`seed ${first}: ${count - found.length} equal, ${found.length} differ`);
  return found.length > 0 ? 1 : 0;
}

process.exitCode = await main();
