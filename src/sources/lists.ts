// Objects of a cluster, by lists of its API in pages, and by nothing else.
import { isObject, objectAt, objectsAt, parsedObject, textAt } from "../meta/json.ts";
import { append } from "../meta/lists.ts";
import { joinApiVersion, type KubeObject } from "../meta/object-meta.ts";
import { type FoundObject, type SkippedPart, SourceError, skipped } from "./source.ts";

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
  moment?: Moment,
): AsyncGenerator<(FoundObject | SkippedPart) & { readonly kind: K }, void, undefined> {
  for (const kind of kinds) {
    const origin = pathOf(kind);
    const found = await listKind({ read, kind, keep, moment });
    if (found === "forbidden") yield { ...skipped(origin, "may not be listed"), kind };
    else for (const object of found) yield { type: "object", object, origin, kind };
  }
}

/** Lists are read at the revision of the first of them, as far as the server can still give it. */
export interface Moment {
  revision?: string | undefined;
}

interface Listing {
  readonly read: ReadPath;
  readonly kind: ListedKind;
  readonly keep: Keep;
  readonly moment: Moment | undefined;
}

type Keep = (object: KubeObject) => KubeObject;

export function pathOf({ group, version, resource, only }: ListedKind): string {
  const base = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  return only === undefined ? `${base}/${resource}` : `${base}/namespaces/${only.namespace}/${resource}`;
}

async function listKind(listing: Listing): Promise<readonly KubeObject[] | "forbidden"> {
  const { kind, moment } = listing;
  const revision = moment?.revision;
  if (revision !== undefined) {
    const found = await listPages(listing, { limit: PAGE, revision });
    if (found !== "expired") return found;
  }
  for (let restarts = 0; ; restarts++) {
    const found = await listPages(listing, { limit: restarts < RESTARTS ? PAGE : undefined });
    if (found !== "expired") return found;
    if (restarts > RESTARTS) throw new SourceError(`${pathOf(kind)} expires whenever it is listed`);
  }
}

interface PageQuery {
  readonly limit: number | undefined;
  /** Exactly at that one. */
  readonly revision?: string;
}

/** "expired": the state that is asked for, or that a later page is of, is not known to the server. */
async function listPages(
  { read, kind, keep, moment }: Listing,
  query: PageQuery,
): Promise<readonly KubeObject[] | "forbidden" | "expired"> {
  const own = { apiVersion: joinApiVersion(kind.group, kind.version), kind: kind.kind };
  const objects: KubeObject[] = [];
  let token = "";
  do {
    const { status, text } = await read(`${pathOf(kind)}?${queryOf(kind, query, token)}`);
    if (status === 404 || status === 405) return [];
    if (status === 403) return "forbidden";
    // Of a revision that it does not have yet a server says that it has waited for it in vain.
    if (status === 410 || (query.revision !== undefined && status >= 400)) return "expired";
    if (status >= 400) throw new SourceError(refusalIn(status, text));
    const list = parsedObject(text);
    if (list === undefined) throw new SourceError(`${pathOf(kind)}: the answer is no JSON`);
    append(
      objects,
      objectsAt(list, "items")
        .filter(isNamed)
        .map((item) => keep(withKind(item, own))),
    );
    const metadata = objectAt(list, "metadata");
    if (moment !== undefined) moment.revision ??= textAt(metadata, "resourceVersion") || undefined;
    token = textAt(metadata, "continue");
  } while (token !== "");
  return objects;
}

function queryOf({ only }: ListedKind, { limit, revision }: PageQuery, token: string): URLSearchParams {
  return new URLSearchParams({
    ...(only === undefined ? {} : { fieldSelector: `metadata.name=${only.name}` }),
    ...(limit === undefined ? {} : { limit: String(limit) }),
    ...(token === "" ? {} : { continue: token }),
    // The first page's revision is that of all others, and must not be said again.
    ...(revision === undefined || token !== ""
      ? {}
      : { resourceVersion: revision, resourceVersionMatch: "Exact" }),
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
