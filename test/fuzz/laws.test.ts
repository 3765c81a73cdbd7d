// Requests drawn from what the server publishes, checked against properties that need no reference server.
//
// FUZZ_CASES=10000 draws that many, FUZZ_ONLY=Pod,Node of these kinds alone; FC_SEED repeats a run.
import { afterAll, beforeAll, expect, test } from "vitest";
import { isObject, type JsonObject } from "../../src/apimachinery/json/json.ts";
import { createServer, type Server } from "../../src/server/server.ts";
import type { Call } from "../conformance/runner/case-file.ts";
import { type Reply, Target } from "../conformance/runner/target.ts";
import { fillHoles } from "../conformance/runner/template.ts";
import { MEMORY_SERVER } from "../support/memory-server.ts";
import { canBeDrawn, drawnCase } from "./draw-case.ts";
import {
  answersAsTried,
  type Breach,
  changesNothing,
  isAppliedOnce,
  isMadeAnew,
  isNoOwnMistake,
  isOneInAllForms,
  isReadAsWritten,
  triedOnly,
} from "./laws.ts";
import { collectionPath, type ServedKind, servedKinds } from "./served-api.ts";

const CASES = Number(process.env["FUZZ_CASES"] ?? 400);
const SEED = Number(process.env["FC_SEED"] ?? Date.now() % 2 ** 31);
/** One cause produces many lines. */
const BREACHES_PER_CASE = 3;
const NAMESPACE = "drawn";
/** Kinds, separated by commas; empty: all. */
const ONLY = (process.env["FUZZ_ONLY"] ?? "").split(",").filter(Boolean);

/** False for virtual resources, whose objects are not stored. */
const isKept = ({ verbs }: ServedKind): boolean => verbs.has("get") && verbs.has("delete");
const isMeant = ({ kind }: ServedKind): boolean => ONLY.length === 0 || ONLY.includes(kind);

type LawOfKind = "madeAnew" | "readAsWritten" | "asTried" | "unchanged";
/** Properties that cannot hold for a kind, with the reason. */
const EXCEPTIONS: Readonly<Record<string, readonly LawOfKind[]>> = {
  namespaces: ["madeAnew"], // deletion ends later
  customresourcedefinitions: ["madeAnew", "readAsWritten"], // deletion ends later; the server writes their status at once
  nodes: ["madeAnew"], // a new one gets a taint
  jobs: ["madeAnew"], // their pods are labelled with their uid
  persistentvolumes: ["madeAnew"], // a new one gets a finalizer
  volumeattributesclasses: ["madeAnew"], // the same
  persistentvolumeclaims: ["madeAnew", "unchanged"], // the same; an update without a change is still written, as recorded
  services: ["madeAnew", "asTried"], // addresses and ports are allocated at random
};

const holdsFor = (law: LawOfKind, { resource }: ServedKind): boolean =>
  !(EXCEPTIONS[resource] ?? []).includes(law);

let server: Server;
let target: Target;
beforeAll(async () => {
  // The flow-control controller, which runs by default, would write statuses in between.
  server = await createServer({ ...MEMORY_SERVER, controllers: "-flow-control" });
  target = new Target(server.url);
  const body = { apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } };
  await target.send({ method: "POST", path: "/api/v1/namespaces", body });
});
afterAll(async () => {
  target.close();
  await server.close();
});

test(`${CASES} drawn cases keep the laws`, { timeout: 60_000 + CASES * 100 }, async () => {
  const kinds = (await servedKinds(target)).filter(
    (kind) => canBeDrawn(kind) && isKept(kind) && isMeant(kind),
  );
  const breaches: string[] = [];
  for (let index = 0; index < CASES && breaches.length < 10; index++) {
    const kind = kinds[index % kinds.length];
    if (kind === undefined) throw new Error("nothing is served");
    for (const breach of (await breachesOf(kind, SEED + index)).slice(0, BREACHES_PER_CASE))
      breaches.push(`FC_SEED=${SEED + index} ${kind.kind}: ${breach}`);
  }
  expect(breaches).toEqual([]);
});

async function breachesOf(kind: ServedKind, seed: number): Promise<Breach[]> {
  const known = { id: `s${seed}`, ns: NAMESPACE };
  const calls = drawnCase(kind, seed).steps.map(({ do: call }) => fillHoles(call as Call, known));
  const path = pathOfObject(kind, calls);
  const breaches: Breach[] = [];
  for (const call of calls) breaches.push(...(await breachesOfCall(kind, call, path)));
  if (holdsFor("unchanged", kind))
    breaches.push(...(await isAppliedOnce(target, path)), ...(await isOneInAllForms(target, path)));
  const { body } = await target.send({ path });
  const isGone = await remove(path);
  if (isGone && isObject(body) && body["kind"] === kind.kind && holdsFor("madeAnew", kind)) {
    breaches.push(...(await isMadeAnew(target, collectionPath(kind, NAMESPACE), body)));
    await remove(path);
  }
  return breaches;
}

async function breachesOfCall(kind: ServedKind, call: Call, path: string): Promise<Breach[]> {
  if (call.method === "GET") return [];
  const before = await target.send({ path });
  const dry = triedOnly(call);
  const tried = dry && (await target.send(dry));
  const written = { target, call, path, before };
  const reply = await target.send(call);
  const breaches = [
    ...isNoOwnMistake({ ...written, reply }),
    ...(tried !== undefined && holdsFor("asTried", kind) ? answersAsTried(tried, reply) : []),
    ...(await changesNothing({ ...written, reply })),
    ...(holdsFor("readAsWritten", kind) ? await isReadAsWritten({ ...written, reply }) : []),
  ];
  return breaches.map((breach) => `${call.method} ${call.path} ${JSON.stringify(call.body)}: ${breach}`);
}

const pathOfObject = (kind: ServedKind, [create]: readonly Call[]): string => {
  const body = create?.body as JsonObject | undefined;
  const metadata = isObject(body?.["metadata"]) ? body["metadata"] : {};
  return `${collectionPath(kind, NAMESPACE)}/${String(metadata["name"])}`;
};

/** Returns whether the object is deleted. */
async function remove(path: string): Promise<boolean> {
  const headers = { "content-type": "application/merge-patch+json" };
  await target.send({ method: "PATCH", path, headers, body: { metadata: { finalizers: null } } });
  await target.send({ method: "DELETE", path: `${path}?gracePeriodSeconds=0&propagationPolicy=Background` });
  const { status }: Reply = await target.send({ path });
  return status === 404;
}
