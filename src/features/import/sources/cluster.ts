// A whole cluster by its API: the kinds of discovery, each once, by lists in pages, at one revision as far as the
// server still has it.

import { objectsAt, parsedObject, textAt, textsAt } from "../../../apimachinery/json/json.ts";
import { compareVersions } from "../../../apiserver/endpoints/discovery/group-index.ts";
import { kindsInDiscovery } from "./discovery.ts";
import { listKinds, type Moment, type ReadPath } from "./lists.ts";
import { type KindFacts, SourceError, type SourceItem, skipped } from "./source.ts";

/** Groups whose objects are computed on request, or are stored under another group. */
const NOT_LISTED = /^(events\.k8s\.io|(custom\.|external\.)?metrics\.k8s\.io)$/;

/**
 * All objects of the wanted kinds that the caller is authorized to list. Throws SourceError when the server is not a
 * Kubernetes API.
 */
export async function* readCluster(
  read: ReadPath,
  wants: (kind: KindFacts) => boolean = () => true,
): AsyncGenerator<SourceItem, void, undefined> {
  const origin = "/apis";
  const kinds: KindFacts[] = [];
  for (const path of await discoveryPaths(read)) {
    const found = await discovered(read, path);
    // The backend of an aggregated group may be unavailable.
    if (found === undefined) yield skipped(path, "cannot be discovered");
    else for (const kind of found) kinds.push(kind);
  }
  yield { type: "kinds", kinds, origin };
  const version = textAt(await answer(read, "/version"), "gitVersion");
  if (version !== "") yield { type: "notes", notes: { kubernetesVersion: version }, origin: "/version" };
  const listed = inOneVersion(kinds).filter((kind) => isListed(kind) && wants(kind));
  const moment: Moment = {};
  for await (const { kind, ...item } of listKinds(read, listed, undefined, moment)) {
    const { group, resource, namespaced } = kind;
    yield item.type === "object" ? { ...item, place: { group, resource, namespaced } } : item;
  }
}

/** The best version of each kind. */
function inOneVersion(kinds: readonly KindFacts[]): KindFacts[] {
  const best = new Map<string, KindFacts>();
  for (const kind of kinds) {
    const key = `${kind.group}/${kind.resource}`;
    const known = best.get(key);
    if (known === undefined || compareVersions(kind.version, known.version) < 0) best.set(key, kind);
  }
  return [...best.values()];
}

const isListed = ({ group, resource, verbs = [] }: KindFacts): boolean =>
  verbs.includes("list") && !NOT_LISTED.test(group) && !(group === "" && resource === "componentstatuses");

async function answer(read: ReadPath, path: string) {
  const { status, text } = await read(path);
  return status < 400 ? parsedObject(text) : undefined;
}

async function discoveryPaths(read: ReadPath): Promise<string[]> {
  const [core, groups] = [await answer(read, "/api"), await answer(read, "/apis")];
  if (core === undefined || groups === undefined) throw new SourceError("the server names no kinds");
  return [
    ...textsAt(core, "versions").map((version) => `/api/${version}`),
    ...objectsAt(groups, "groups").flatMap((group) =>
      objectsAt(group, "versions").map((version) => `/apis/${textAt(version, "groupVersion")}`),
    ),
  ];
}

async function discovered(read: ReadPath, path: string): Promise<KindFacts[] | undefined> {
  const list = await answer(read, path);
  return list === undefined ? undefined : kindsInDiscovery(list);
}
