// Objects of a cluster, by lists of its API in pages, and by nothing else.
import { isObject, objectAt, objectsAt, parsedObject, textAt } from "../meta/json.ts";
import { append } from "../meta/lists.ts";
import type { KubeObject } from "../meta/object-meta.ts";
import { SourceError, type SourceItem, skipped } from "./source.ts";

export interface ListedKind {
  /** "" for the core group. */
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  /** One object alone is wanted: whoever may list that, need not be allowed more. */
  readonly only?: { readonly namespace: string; readonly name: string };
}

/** Reads a path of the API, whatever the answer. */
export type ReadPath = (path: string) => Promise<{ readonly status: number; readonly text: string }>;

const PAGE = 500;
/** So often a list begins anew whose later pages the server cannot give any more; then it is asked for as a whole. */
const RESTARTS = 2;

/**
 * All objects of these kinds. A kind that is not served has none; one that may not be listed is skipped. Throws SourceError
 * when the server refuses in another way. Of each object, as soon as its page is there, only what `keep` returns is held.
 */
export async function* listKinds<K extends ListedKind>(
  read: ReadPath,
  kinds: readonly K[],
  keep: Keep = (object) => object,
): AsyncGenerator<SourceItem & { readonly kind: K }, void, undefined> {
  for (const kind of kinds) {
    const origin = pathOf(kind);
    const found = await listKind(read, kind, keep);
    if (found === "forbidden") yield { ...skipped(origin, "may not be listed"), kind };
    else for (const object of found) yield { type: "object", object, origin, kind };
  }
}

type Keep = (object: KubeObject) => KubeObject;

export function pathOf({ group, version, resource, only }: ListedKind): string {
  const base = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  return only === undefined ? `${base}/${resource}` : `${base}/namespaces/${only.namespace}/${resource}`;
}

async function listKind(
  read: ReadPath,
  kind: ListedKind,
  keep: Keep,
): Promise<readonly KubeObject[] | "forbidden"> {
  for (let restarts = 0; ; restarts++) {
    const found = await listPages(read, kind, keep, restarts < RESTARTS ? PAGE : undefined);
    if (found !== "expired") return found;
    if (restarts > RESTARTS) throw new SourceError(`${pathOf(kind)} expires whenever it is listed`);
  }
}

/** "expired": a later page is of a state that the server has forgotten. */
async function listPages(
  read: ReadPath,
  kind: ListedKind,
  keep: Keep,
  limit: number | undefined,
): Promise<readonly KubeObject[] | "forbidden" | "expired"> {
  const own = {
    apiVersion: kind.group === "" ? kind.version : `${kind.group}/${kind.version}`,
    kind: kind.kind,
  };
  const objects: KubeObject[] = [];
  let token = "";
  do {
    const { status, text } = await read(`${pathOf(kind)}?${queryOf(kind, limit, token)}`);
    if (status === 404) return [];
    if (status === 403) return "forbidden";
    if (status === 410) return "expired";
    if (status >= 400) throw new SourceError(refusalIn(status, text));
    const list = parsedObject(text);
    if (list === undefined) throw new SourceError(`${pathOf(kind)}: the answer is no JSON`);
    append(
      objects,
      objectsAt(list, "items")
        .filter(isNamed)
        .map((item) => keep(withKind(item, own))),
    );
    token = textAt(objectAt(list, "metadata"), "continue");
  } while (token !== "");
  return objects;
}

function queryOf({ only }: ListedKind, limit: number | undefined, token: string): URLSearchParams {
  return new URLSearchParams({
    ...(only === undefined ? {} : { fieldSelector: `metadata.name=${only.name}` }),
    ...(limit === undefined ? {} : { limit: String(limit) }),
    ...(token === "" ? {} : { continue: token }),
  });
}

const isNamed = (value: unknown): value is KubeObject => isObject(value) && isObject(value["metadata"]);

/** Items of lists of built-in kinds do without. */
const withKind = (item: KubeObject, own: { apiVersion: string; kind: string }): KubeObject =>
  item.kind === undefined ? { ...own, ...item } : item;

function refusalIn(status: number, text: string): string {
  const message = textAt(parsedObject(text), "message");
  return message === "" ? `a list was answered with ${status}` : message;
}
