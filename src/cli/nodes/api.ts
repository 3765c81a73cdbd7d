// Kubernetes API requests of the node commands. They work with any API server.

import { objectsAt, parsedObject } from "../../apimachinery/json/json.ts";
import { systemClock } from "../../apimachinery/meta/clock.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import type { ClockState } from "../../features/control-surface/clock.ts";
import { StartError } from "../../server/errors.ts";
import { type Asked, refusalOf } from "../ask-server.ts";

const NODES = "/api/v1/nodes";
const PLAIN = "";

const nodePath = (name: string): string => `${NODES}/${encodeURIComponent(name)}`;

/** Throws StartError. */
async function read(asked: Asked, path: string): Promise<string> {
  const { status, text } = await asked.askAnyway(path, PLAIN);
  if (status >= 400) throw new StartError(refusalOf(status, text));
  return text;
}

const itemsOf = (text: string): KubeObject[] => objectsAt(parsedObject(text), "items") as KubeObject[]; // a list response

export const listNodes = async (asked: Asked): Promise<KubeObject[]> => itemsOf(await read(asked, NODES));

/** Throws StartError for an unknown node. */
export const readNode = async (asked: Asked, name: string): Promise<KubeObject> =>
  parsedObject(await read(asked, nodePath(name))) as KubeObject; // a node response

export const podsOn = async (asked: Asked, node: string): Promise<KubeObject[]> =>
  itemsOf(await read(asked, `/api/v1/pods?fieldSelector=spec.nodeName%3D${encodeURIComponent(node)}`));

export async function createNode(asked: Asked, node: KubeObject): Promise<void> {
  await asked.ask({ method: "POST", path: `${NODES}?fieldManager=egret-nodes`, body: node }, PLAIN);
}

export async function patchNode(asked: Asked, name: string, body: object): Promise<void> {
  const contentType = "application/merge-patch+json";
  const path = `${nodePath(name)}?fieldManager=egret-nodes`;
  await asked.ask({ method: "PATCH", path, body, contentType }, PLAIN);
}

/** Returns false if a PodDisruptionBudget forbids the eviction now. A missing pod counts as evicted. */
export async function evict(
  asked: Asked,
  { metadata: { namespace = "", name = "" } }: KubeObject,
): Promise<boolean> {
  const path = `/api/v1/namespaces/${namespace}/pods/${name}/eviction`;
  const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: { namespace, name } };
  const { status, text } = await asked.askAnyway({ method: "POST", path, body }, PLAIN);
  if (status === 429) return false;
  if (status >= 400 && status !== 404) throw new StartError(refusalOf(status, text));
  return true;
}

/** The clock of an Egret server; undefined: the server has no controllable clock. */
const clockOf = (asked: Asked): Promise<ClockState | undefined> =>
  asked.askEgret<ClockState>({ method: "GET", path: "/clock" });

/** The time by the server's clock, in milliseconds since the epoch. */
export async function serverNow(asked: Asked): Promise<number> {
  const clock = await clockOf(asked);
  return clock === undefined ? systemClock.now() : Date.parse(clock.now);
}

/** Reports whether the server's clock is frozen. */
export const standsStill = async (asked: Asked): Promise<boolean> =>
  (await clockOf(asked))?.mode === "frozen";
