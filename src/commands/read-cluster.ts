// A cluster as verdicts read it from elsewhere: by lists of a Kubernetes API, or from files. Nothing is ever written.
import { isObject, objectAt, objectsAt, parsedObject, textAt } from "../meta/json.ts";
import { append } from "../meta/lists.ts";
import type { KubeObject } from "../meta/object-meta.ts";
import { StartError } from "../server/errors.ts";
import {
  fullName,
  NEEDED_KINDS,
  type NeededKind,
  neededResourceOf,
  type Snapshot,
  snapshotOf,
} from "../verdict/snapshot.ts";
import { objectsOf } from "./apply.ts";
import { type Asked, queryOf, refusalOf } from "./ask-server.ts";

const PAGE = 500;

/** All that is needed, in pages; a kind that the cluster does not serve has no objects. Throws StartError. */
export async function listedSnapshot(asked: Asked): Promise<Snapshot> {
  const resources = new Map<KubeObject, string>();
  for (const kind of NEEDED_KINDS) {
    for (const object of await listAll(asked, kind)) resources.set(object, fullName(kind));
  }
  return snapshotOf(resources.keys(), (object) => resources.get(object));
}

async function listAll(asked: Asked, { group, version, resource }: NeededKind): Promise<KubeObject[]> {
  const path = group === "" ? `/api/${version}/${resource}` : `/apis/${group}/${version}/${resource}`;
  const objects: KubeObject[] = [];
  let token: string | undefined;
  do {
    const query = queryOf({ limit: String(PAGE), continue: token });
    const { status, text } = await asked.kubernetes(`${path}?${query}`);
    if (status === 404) return [];
    if (status >= 400) throw new StartError(refusalOf(status, text));
    const list = parsedObject(text);
    append(objects, objectsAt(list, "items").filter(isKubeObject));
    token = textAt(objectAt(list, "metadata"), "continue") || undefined;
  } while (token !== undefined);
  return objects;
}

const isKubeObject = (value: unknown): value is KubeObject => isObject(value) && isObject(value["metadata"]);

/** Of files and folders of manifests, or of a dump of `kubectl get -o yaml|json`. Throws StartError. */
export async function filedSnapshot(paths: readonly string[]): Promise<Snapshot> {
  const objects: KubeObject[] = [];
  for (const path of paths) append(objects, await objectsOf(path));
  return snapshotOf(objects, neededResourceOf);
}

/** The least that somebody needs to ask for verdicts about a cluster: a ClusterRole that lists, and nothing else. */
export function minimalRole(): KubeObject {
  const byGroup = new Map<string, string[]>();
  for (const { group, resource } of NEEDED_KINDS)
    byGroup.set(group, [...(byGroup.get(group) ?? []), resource]);
  return {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "egret-reader" },
    rules: [...byGroup].map(([group, resources]) => ({ apiGroups: [group], resources, verbs: ["list"] })),
  };
}
