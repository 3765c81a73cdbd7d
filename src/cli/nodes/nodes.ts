// `egret nodes`: adds nodes to a cluster, lets them fail and recover, and drains them. All effects come from fields of
// the Node objects, so kubectl can do the same:
//   egret nodes fail n1      kubectl annotate node n1 egret.dev/failed=true
//   egret nodes recover n1   kubectl annotate node n1 egret.dev/failed-

import { durationMs } from "../../apimachinery/go/duration.ts";
import { pauseAwake, systemClock } from "../../apimachinery/meta/clock.ts";
import { Chance } from "../../apimachinery/meta/ids.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { FAILED, hasFailed } from "../../cluster/node-annotations.ts";
import { byName } from "../../controller/api.ts";
import { StartError, UsageError } from "../../server/errors.ts";
import type { Asked } from "../ask-server.ts";
import { usageError } from "../commands.ts";
import { print } from "../output.ts";
import { addNodes } from "./add.ts";
import { evict, listNodes, patchNode, podsOn, readNode, serverNow, standsStill } from "./api.ts";

/** Throws UsageError and StartError. */
export async function nodes(asked: Asked): Promise<void> {
  const [word = "", ...rest] = asked.words;
  if (word === "add") return await addNodes(asked, rest);
  if (word === "churn" && rest.length === 0) return await churn(asked);
  if (!["fail", "recover", "drain"].includes(word) || rest.length === 0)
    throw usageError("say what to do", "nodes");
  const timeoutMs = durationOf(asked, "timeout");
  for (const name of rest) {
    if (word === "drain") await drain(asked, name, timeoutMs);
    else await setFailed(asked, name, word === "fail");
  }
}

async function setFailed(asked: Asked, name: string, failed: boolean): Promise<void> {
  await patchNode(asked, name, { metadata: { annotations: { [FAILED]: failed ? "true" : null } } });
  print(`node/${name} ${failed ? "failed" : "recovered"}\n`);
}

const RETRY_MS = 1_000;

/** Cordons the node and evicts its pods, except those that would be recreated on it. */
async function drain(asked: Asked, name: string, timeoutMs = Number.POSITIVE_INFINITY): Promise<void> {
  await readNode(asked, name);
  await patchNode(asked, name, { spec: { unschedulable: true } });
  print(`node/${name} cordoned\n`);
  const beganMs = systemClock.now();
  const left = async (): Promise<KubeObject[]> => (await podsOn(asked, name)).filter(isEvictable);
  for (let pods = await left(); pods.length > 0; pods = await left()) {
    for (const pod of pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined))
      if (await evict(asked, pod)) print(`pod/${pod.metadata.name} evicted (${pod.metadata.namespace})\n`);
    // Pods terminate only as time passes, so the command does not wait while the clock is frozen.
    if (await standsStill(asked)) break;
    if (systemClock.now() - beganMs > timeoutMs)
      throw new StartError(`${pods.length} pods are still on ${name}`);
    await pauseAwake(RETRY_MS);
  }
  print(`node/${name} drained\n`);
}

/** Pods of DaemonSets and static pods of the kubelet are not evicted. */
const isEvictable = ({ metadata }: KubeObject): boolean =>
  !(metadata.ownerReferences ?? []).some(
    ({ kind, controller }) => controller === true && kind === "DaemonSet",
  ) && metadata.annotations?.["kubernetes.io/config.mirror"] === undefined;

function durationOf(asked: Asked, flag: string): number | undefined {
  const text = asked.text(flag);
  const ms = text === undefined ? undefined : durationMs(text);
  if (text !== undefined && ms === undefined)
    throw new UsageError(`--${flag} ${text} is no duration, such as 10m`);
  return ms;
}

const UNITS_MS: ReadonlyMap<string, number> = new Map([
  ["s", 1_000],
  ["min", 60_000],
  ["m", 60_000],
  ["h", 3_600_000],
]);

/** Parses "2/min" to the interval between two events. */
function intervalOf(text: string): number {
  const [, count = "", unit = ""] = /^(\d{1,4})\/(s|m|min|h)$/.exec(text) ?? [];
  const ms = (UNITS_MS.get(unit) ?? Number.NaN) / Number(count);
  if (!(ms > 0 && Number.isFinite(ms))) throw new UsageError(`--rate ${text} is no rate, such as 1/min`);
  return ms;
}

/** Interval for polling the server's clock. */
const LOOK_MS = 250;
/** Maximum fraction of nodes that fail at the same time. */
const FAILED_MOST = 1 / 3;

/** Lets nodes fail and recover, by the server's clock, until the process ends. */
async function churn(asked: Asked): Promise<void> {
  const intervalMs = intervalOf(asked.text("rate") ?? "1/min");
  const chance = new Chance(asked.text("seed"));
  let dueMs = (await serverNow(asked)) + intervalMs;
  const endMs = dueMs - intervalMs + (durationOf(asked, "for") ?? Number.POSITIVE_INFINITY);
  for (;;) {
    const nowMs = await serverNow(asked);
    for (; dueMs <= nowMs && dueMs <= endMs; dueMs += intervalMs) await churnOnce(asked, chance);
    if (nowMs >= endMs) return;
    const isStanding = await standsStill(asked);
    await pauseAwake(isStanding ? LOOK_MS : Math.min(Math.max(Math.min(dueMs, endMs) - nowMs, 1), 60_000));
  }
}

/** Picks a random node: a failed one recovers, another one fails unless too many have failed. */
async function churnOnce(asked: Asked, chance: Chance): Promise<void> {
  const all = (await listNodes(asked)).sort(byName);
  const failed = all.filter(hasFailed);
  const most = Math.max(1, Math.floor(all.length * FAILED_MOST));
  const choices = failed.length >= most ? failed : all;
  const drawn = choices[Math.floor(chance.fraction() * choices.length)];
  if (drawn) await setFailed(asked, drawn.metadata.name ?? "", !hasFailed(drawn));
}
