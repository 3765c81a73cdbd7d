// The actions of a case's steps: changes of objects, advancing the clock, and controller restarts.

import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { StatusError } from "../../apimachinery/meta/status.ts";
import { changeInWords, makeChange, type PlannedChange } from "../../features/analysis/planned-change.ts";
import { readDuration } from "../../features/control-surface/clock.ts";
import type { Server } from "../../server/server.ts";
import type { Action, Queries } from "./format.ts";
import { namedQueries } from "./read-case.ts";

/** A rejected change. */
export interface Refusal {
  readonly action: string;
  readonly message: string;
}

/** Polling interval while the clock advances until a condition holds. */
const LOOK_MS = 1_000;
const WITHIN = "1m";
/** Real-time limit of a wait; its actual limit is a duration of the frozen clock. */
const NEVER_MS = 600_000;

/** Performs one action and returns the rejected changes. */
export async function carryOut(server: Server, action: Action): Promise<Refusal[]> {
  if ("advance" in action) await server.control.clock.advance(readDuration(action.advance));
  else if ("until" in action) return await waitUntil(server, action);
  else if ("restart" in action) {
    const refusals = await server.controllers.renew(() => changeAll(server, action.meanwhile ?? []));
    await server.controllers.idle();
    return refusals;
  } else return await changeAll(server, [action]);
  return [];
}

/** Applies the changes in order; waits until a kind is served whose CRD has just been applied. */
export async function changeAll(server: Server, changes: readonly PlannedChange[]): Promise<Refusal[]> {
  const client = server.clientFor("case");
  const refusals: Refusal[] = [];
  for (const change of changes) {
    try {
      if ("apply" in change && !isServed(server, change.apply)) await server.settled();
      await makeChange(change, client, server.registry, { withStatus: true });
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      refusals.push({ action: changeInWords(change), message: error.message });
    }
  }
  return refusals;
}

const isServed = ({ registry }: Server, { apiVersion = "", kind = "" }: Readonly<KubeObject>): boolean =>
  registry.findByKind(apiVersion, kind) !== undefined;

/** Evaluates every revision, so a condition that holds only briefly is found, too. */
async function waitUntil(
  { control: { waits, clock } }: Server,
  { until, within = WITHIN, ...queries }: Queries & { readonly until: string; readonly within?: string },
): Promise<Refusal[]> {
  const ending = new AbortController();
  let isSo = false;
  const asked = { queries: namedQueries(queries), condition: until };
  const waiting = waits.until({ ...asked, timeoutMs: NEVER_MS, signal: ending.signal }).then(
    () => {
      isSo = true;
    },
    (error: unknown) => {
      if (!ending.signal.aborted) throw error;
    },
  );
  const withinMs = readDuration(within);
  await Promise.race([waiting, clock.settle()]);
  for (let passedMs = 0; !isSo && passedMs < withinMs; passedMs += LOOK_MS) {
    await Promise.race([waiting, clock.advance(Math.min(LOOK_MS, withinMs - passedMs))]);
  }
  ending.abort();
  await waiting;
  return isSo ? [] : [{ action: `until ${until}`, message: `it was not so within ${within}` }];
}

/** "label node/n1", "advance 30s" */
export function actionInWords(action: Action): string {
  if ("advance" in action) return `advance ${action.advance}`;
  if ("until" in action) return `until ${action.until}`;
  if ("restart" in action) return `restart ${action.restart}`;
  return changeInWords(action);
}
