// Lists objects of a cluster by paged list requests of its API.
import { isObject, objectAt, objectsAt, parsedObject, textAt } from "../../../apimachinery/json/json.ts";
import { append } from "../../../apimachinery/meta/lists.ts";
import { joinApiVersion, type KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import { type FoundObject, type SkippedPart, SourceError, skipped } from "./source.ts";

export interface ListedKind {
  /** "" for the core group. */
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  /** Reads a single object only: a user may be authorized for that object alone. */
  readonly only?: { readonly namespace: string; readonly name: string };
}

/** Reads a path of the API; resolves for any status code. */
export type ReadPath = (path: string) => Promise<{ readonly status: number; readonly text: string }>;

const PAGE = 500;
/** Retries of a list whose later pages have expired; then it is requested without pages. */
const RESTARTS = 2;

/**
 * All objects of these kinds. A kind that is not served has none; a forbidden one is skipped. Throws SourceError for
 * other errors of the server. Of each object only the result of `keep` is held, page by page.
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

/** The lists are read at the revision of the first of them, as far as the server still has it. */
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
  /** Requests exactly this revision. */
  readonly revision?: string;
}

/** "expired": the server does not have the revision of the request or of its continue token. */
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
    // For a future revision a server waits and then returns a timeout error.
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
    // All pages have the revision of the first one, and a request with a continue token must not contain it.
    ...(revision === undefined || token !== ""
      ? {}
      : { resourceVersion: revision, resourceVersionMatch: "Exact" }),
  });
}

const isNamed = (value: unknown): value is KubeObject => isObject(value) && isObject(value["metadata"]);

/** Items of lists of built-in kinds have no kind and apiVersion. */
const withKind = (item: KubeObject, own: { apiVersion: string; kind: string }): KubeObject =>
  item.kind === undefined ? { ...own, ...item } : item;

function refusalIn(status: number, text: string): string {
  const message = textAt(parsedObject(text), "message");
  return message === "" ? `a list was answered with ${status}` : message;
}
