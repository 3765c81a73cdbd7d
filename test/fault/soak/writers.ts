// Clients that create, change and delete the same few hundred objects again and again, at a limited rate.
import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../../support/random.ts";
import { SOAKED } from "./watchers.ts";

const NAMES = 300;
const VALUE_BYTES = 400;
/** All at once at the beginning: more than the server's in-flight limit. */
const BURST = 60;
const TOO_MANY = 429;
const RETRY_MS = 20;
/** Statuses that concurrent writers may cause. */
const EXPECTED = new Set([200, 201, 404, 409]);

export interface WriteFacts {
  answered: number;
  /** Requests rejected because of the in-flight limit. */
  refused: number;
  readonly complaints: string[];
}

export interface WriteOptions {
  readonly url: string;
  readonly random: Random;
  readonly writers: number;
  readonly perSecond: number;
  readonly until: AbortSignal;
}

export async function churn(options: WriteOptions, facts: WriteFacts): Promise<void> {
  await Promise.all(Array.from({ length: BURST }, () => writeOnce(options, facts)));
  await Promise.all(Array.from({ length: options.writers }, () => write(options, facts)));
}

async function write(options: WriteOptions, facts: WriteFacts): Promise<void> {
  const eachMs = (1000 * options.writers) / options.perSecond;
  for (let next = performance.now(); !options.until.aborted; next += eachMs) {
    if (!(await writeOnce(options, facts))) await sleep(RETRY_MS);
    await sleep(Math.max(0, next + eachMs - performance.now()));
  }
}

/** Returns false when the server rejected it with 429. */
async function writeOnce({ url, random }: WriteOptions, facts: WriteFacts): Promise<boolean> {
  const { method, path, type, body } = requestFor(random);
  const headers = { "content-type": type };
  const answer = await fetch(`${url}${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
  const text = await answer.text();
  if (answer.status === TOO_MANY) {
    facts.refused++;
    if (answer.headers.get("retry-after") === null) facts.complaints.push("a 429 without Retry-After");
    return false;
  }
  if (EXPECTED.has(answer.status)) facts.answered++;
  else facts.complaints.push(`${method} ${path}: ${answer.status} ${text.slice(0, 300)}`);
  return true;
}

function requestFor(random: Random) {
  const name = `soak-${random.below(NAMES)}`;
  const data = { value: "x".repeat(VALUE_BYTES - 10) + random.below(1e9) };
  const what = random.below(4);
  if (what === 0)
    return { method: "DELETE", path: `${SOAKED}/${name}`, type: "application/json", body: undefined };
  if (what === 1) {
    const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });
    return { method: "POST", path: SOAKED, type: "application/json", body };
  }
  const body = JSON.stringify({ data });
  return { method: "PATCH", path: `${SOAKED}/${name}`, type: "application/merge-patch+json", body };
}
