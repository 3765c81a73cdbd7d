// The served kinds, from aggregated discovery; requested once, on first use.
import { ask } from "./ask.ts";
import { formatRoute } from "./route.ts";

export interface KindInfo {
  readonly kind: string;
  /** "" is the core group. */
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly isNamespaced: boolean;
  readonly verbs: readonly string[];
  readonly hasStatus: boolean;
}

/** The object or collection that a URL of the web UI names. */
export interface ObjectRef extends Pick<KindInfo, "group" | "version" | "resource"> {
  /** "" for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
}

interface Discovery {
  readonly items: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions: readonly {
      readonly version: string;
      readonly resources?: readonly {
        readonly resource: string;
        readonly responseKind: { readonly kind: string };
        readonly scope: "Namespaced" | "Cluster";
        readonly verbs: readonly string[];
        readonly subresources?: readonly { readonly subresource: string }[];
      }[];
    }[];
  }[];
}

const FORM = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** One entry for each kind, in the preferred version of its group. */
export function kindsOf({ items }: Discovery): KindInfo[] {
  const found = new Map<string, KindInfo>();
  for (const { metadata: { name: group = "" } = {}, versions } of items) {
    for (const { version, resources = [] } of versions) {
      for (const { resource, responseKind, scope, verbs, subresources = [] } of resources) {
        const key = `${resource}.${group}`;
        if (found.has(key)) continue;
        const isNamespaced = scope === "Namespaced";
        const hasStatus = subresources.some(({ subresource }) => subresource === "status");
        found.set(key, { kind: responseKind.kind, group, version, resource, isNamespaced, verbs, hasStatus });
      }
    }
  }
  return [...found.values()];
}

let asked: Promise<readonly KindInfo[]> | undefined;

/** Rejects with Refused; the next call then retries. */
export function kinds(): Promise<readonly KindInfo[]> {
  asked ??= Promise.all(["/api", "/apis"].map((path) => ask<Discovery>(path, { accept: FORM }))).then(
    (answers) => answers.flatMap(kindsOf),
    (error: unknown) => {
      asked = undefined;
      throw error;
    },
  );
  return asked;
}

/** Path of the object or collection in the API. */
export function pathOf({ group, version, resource, namespace, name }: ObjectRef): string {
  const base = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const within = namespace === "" ? "" : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${base}${within}/${resource}${name === "" ? "" : `/${encodeURIComponent(name)}`}`;
}

/** URL in the web UI: o/GROUP/VERSION/RESOURCE/NAMESPACE/NAME, with "core" and "-" for empty parts. */
export function linkTo({ group, version, resource, namespace, name }: ObjectRef): string {
  const path = [group || "core", version, resource, ...(name === "" ? [] : [namespace || "-", name])];
  return formatRoute({ view: "o", path, query: new URLSearchParams() });
}

/** Inverse of linkTo; undefined if the path names no kind. */
export function refOf([group, version, resource, namespace = "-", name = ""]: readonly string[]):
  | ObjectRef
  | undefined {
  if (group === undefined || version === undefined || resource === undefined) return undefined;
  const of = { group: group === "core" ? "" : group, version, resource };
  return { ...of, namespace: namespace === "-" ? "" : namespace, name };
}
