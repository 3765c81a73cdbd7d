// Properties of every answer that are checked without a reference server.
import { parse } from "yaml";
import { isObject, type JsonObject } from "../../src/apimachinery/json/json.ts";
import type { Call } from "../conformance/runner/case-file.ts";
import { differencesBetween } from "../conformance/runner/compare.ts";
import type { Reply, Target } from "../conformance/runner/target.ts";
import { isOwnMistake } from "../support/own-mistake.ts";

/** A violation, as lines for a reader. */
export type Breach = string;

export interface Written {
  readonly target: Target;
  readonly call: Call;
  readonly reply: Reply;
  /** The path of the object. */
  readonly path: string;
  /** The answer to a GET before the request. */
  readonly before: Reply;
}

const isRefused = ({ status }: Reply): boolean => status >= 400;

/** The options of a delete are in its body if it has one, and then nowhere else. */
const hasOptions = ({ method, body }: Call): boolean => method === "DELETE" && isObject(body);
const isDry = (call: Call): boolean =>
  hasOptions(call) ? isObject(call.body) && "dryRun" in call.body : call.path.includes("dryRun=All");

/** The same request as a dry run; undefined if it is a dry run itself. */
export function triedOnly(call: Call): Call | undefined {
  if (isDry(call)) return undefined;
  if (hasOptions(call)) return { ...call, body: { ...(call.body as JsonObject), dryRun: ["All"] } };
  return { ...call, path: `${call.path}${call.path.includes("?") ? "&" : "?"}dryRun=All` };
}

const isObjectReply = ({ body }: Reply, path: string): boolean =>
  isObject(body) && isObject(body["metadata"]) && path.endsWith(`/${String(body["metadata"]["name"])}`);

/** A 5xx has a reason that a kube-apiserver returns. */
export function isNoOwnMistake({ call, reply }: Written): Breach[] {
  const { status, raw } = reply;
  return isOwnMistake(status, raw)
    ? [`${call.method} ${call.path} gave ${status}: ${raw.slice(0, 300)}`]
    : [];
}

/** A rejected request or a dry run has changed nothing. */
export async function changesNothing({ target, call, reply, path, before }: Written): Promise<Breach[]> {
  if (!isRefused(reply) && !isDry(call)) return [];
  const after = await target.send({ path });
  return differences("was changed by what was refused or tried", before.body, after.body);
}

function wasBeingDeleted({ body }: Reply): boolean {
  return isObject(body) && isObject(body["metadata"]) && body["metadata"]["deletionTimestamp"] !== undefined;
}

/** GET returns the object in the answer to the write. */
export async function isReadAsWritten({ target, call, reply, path }: Written): Promise<Breach[]> {
  if (isRefused(reply) || isDry(call) || call.method === "DELETE" || !isObjectReply(reply, path)) return [];
  const after = await target.send({ path });
  if (after.status === 404 && wasBeingDeleted(reply)) return []; // the write removed its last finalizer
  return differences("is read differently", reply.body, after.body);
}

const SAID_BY_THE_STORE = "resourceVersion should not be set on objects to be created";

/** Compares the answers of a dry run and of the same request, except for random values and times. */
export function answersAsTried(dry: Reply, real: Reply): Breach[] {
  if (real.raw.includes(SAID_BY_THE_STORE)) return []; // a dry run does not reach the store
  if (dry.status !== real.status)
    return [`a dry run was answered with ${dry.status}, the same request with ${real.status}`];
  return differences("differs from its dry run", withoutChance(dry.body), withoutChance(real.body));
}

const BY_CHANCE = new Set([
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "deletionTimestamp",
  "time",
  "selfLink",
]);

const UID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;
const NOW_MS = 60_000;

/**
 * A time that the server has set just now, which may differ by a second between two requests. Drawn times are years away.
 */
const isNow = (text: string): boolean => TIME.test(text) && Math.abs(Date.parse(text) - Date.now()) < NOW_MS;

function withoutChance(value: unknown): unknown {
  if (typeof value === "string") return isNow(value) ? "<now>" : value.replace(UID, "<uid>");
  if (Array.isArray(value)) return value.map(withoutChance);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([name]) => !BY_CHANCE.has(name));
  return Object.fromEntries(kept.map(([name, item]) => [name, withoutChance(item)]));
}

/** For an existing object: applying the same configuration twice changes nothing. */
export async function isAppliedOnce(target: Target, path: string): Promise<Breach[]> {
  const found = await target.send({ path });
  if (!isObject(found.body)) return [];
  const apply = {
    method: "PATCH",
    path: `${path}?fieldManager=law&force=true`,
    headers: { "content-type": "application/apply-patch+yaml" },
    body: bare(found.body),
  };
  const first = await target.send(apply);
  if (isRefused(first)) return []; // a newer rule rejects the stored object
  return differences("is changed by a second apply", first.body, (await target.send(apply)).body);
}

const YAML = "application/yaml";
const PROTOBUF = "application/vnd.kubernetes.protobuf";

/** JSON, YAML and, where the kind has a message, protobuf represent the same object: writing it back changes nothing. */
export async function isOneInAllForms(target: Target, path: string): Promise<Breach[]> {
  const json = await target.send({ path });
  if (json.status !== 200 || !isObject(json.body)) return [];
  const breaches: Breach[] = [];
  for (const form of [YAML, PROTOBUF]) {
    const read = await target.send({ path, headers: { accept: form } });
    if (read.status === 406) continue; // custom kinds have no messages
    if (form === YAML) breaches.push(...differences("is another in YAML", json.body, parse(read.raw)));
    const written = await target.send({
      method: "PUT",
      path: `${path}?fieldManager=conformance`,
      headers: { "content-type": form },
      bytes: read.bytes,
    });
    if (isRefused(written)) continue; // a newer rule rejects the stored object
    breaches.push(...differences(`is changed when it is written back as ${form}`, json.body, written.body));
  }
  return breaches;
}

/** For a deleted object: what was exported can be created again, and is equal. */
export async function isMadeAnew(
  target: Target,
  collection: string,
  exported: JsonObject,
): Promise<Breach[]> {
  const made = await target.send({ method: "POST", path: collection, body: bare(exported) });
  if (made.status !== 201) return [`what was exported is refused: ${made.raw.slice(0, 300)}`];
  return differences("is another when it is made anew", settled(exported), settled(made.body));
}

/** Without the fields that only the server writes. */
function bare({ status: _status, ...object }: JsonObject): JsonObject {
  const { metadata } = object;
  if (!isObject(metadata)) return object;
  const { name, namespace, labels, annotations, finalizers } = metadata;
  return { ...object, metadata: { name, namespace, labels, annotations, finalizers } };
}

function settled(body: unknown): unknown {
  return isObject(body) ? withoutChance(bare(body)) : body;
}

const differences = (what: string, expected: unknown, actual: unknown): Breach[] =>
  differencesBetween(expected, actual).map((line) => `${what}: ${line}`);
