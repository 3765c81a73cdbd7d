// The query and path parameters of the API, with our descriptions, and which of them each operation takes.

export interface Parameter {
  readonly name: string;
  readonly in: "query" | "path";
  readonly type: string;
  readonly description: string;
  /** Swagger 2.0 keeps parameters that many operations have in one place, under these fixed names. */
  readonly sharedName?: string;
}

/** Descriptions by name, type, and what stands behind the name where Swagger 2.0 keeps the parameter in one place. */
const QUERY = {
  "pretty string tJGM1-ng":
    "true indents the answer. Without it only browsers, curl and wget get an indented answer.",
  "allowWatchBookmarks boolean HC2hJt-J":
    "Asks a watch for BOOKMARK events, which carry nothing but a newer resourceVersion.",
  "continue string QfD61s0i":
    "Token from the metadata of the page before. The other parameters must stay the same; when the token has expired (410), the list starts anew.",
  "fieldSelector string xIcQKXFG":
    "Takes only objects whose fields have the given values, for example metadata.name=a.",
  "labelSelector string 5Zw57w4C": "Takes only objects whose labels match, for example app=web,tier!=test.",
  "limit integer 1NfNmdNH":
    "Highest number of objects in one answer. When there are more, the metadata of the list has a continue token.",
  "resourceVersion string 5WAnf1kx":
    "Which state of the server is asked for: unset the newest, 0 any, another value one that is not older.",
  "resourceVersionMatch string t8XhRHeC": "How resourceVersion is meant in a list: Exact or NotOlderThan.",
  "sendInitialEvents boolean rLXlEK_k":
    "Lets a watch begin with the present objects, closed by a bookmark. Needs resourceVersionMatch=NotOlderThan.",
  "shardSelector string Kgyki_3_": "Takes only the objects of one part of a split collection.",
  "timeoutSeconds integer yvYezaOC":
    "Ends a list or a watch after this many seconds, whether or not there was anything to send.",
  "watch boolean XNNPZGbK":
    "Answers with a stream of changes instead of a list, starting after resourceVersion.",
  "dryRun string": "All runs every step of the request but stores nothing.",
  "gracePeriodSeconds integer -K5HaBOS":
    "Seconds that the object gets before it goes. Unset takes the default of the kind, 0 means at once.",
  "ignoreStoreReadErrorWithClusterBreakingPotential boolean QbNkfIqj":
    "Deletes an object even though it cannot be read from the store. Finalizers are not waited for.",
  "orphanDependents boolean uRB25kX5":
    "Old form of propagationPolicy: true leaves dependents alone. Only one of the two may be set.",
  "propagationPolicy string 6jk3prlO": "What becomes of dependents: Orphan, Background or Foreground.",
  "fieldValidation string":
    "What happens to unknown and duplicate fields: Ignore drops them, Warn (default) warns, Strict refuses the request.",
  "fieldManager string Qy4HdaTW":
    "Name of the writer, as managedFields keeps it: at most 128 printable characters.",
  "force boolean tOGGb0Yi":
    "Lets an apply patch take fields over that other managers own. Only for apply patches.",
};

const byName = new Map(
  Object.entries(QUERY).map(([head, description]) => {
    const parameter = query(head, description);
    return [parameter.name, parameter];
  }),
);

function query(head: string, description: string): Parameter {
  const [name = "", type = "", suffix] = head.split(" ");
  const shared = suffix === undefined ? {} : { sharedName: `${name}-${suffix}` };
  return { name, in: "query", type, description, ...shared };
}

const named = (names: string): readonly Parameter[] =>
  names.split(" ").flatMap((name) => byName.get(name) ?? []);

export const PRETTY = named("pretty");
export const NAMESPACE: Parameter = {
  name: "namespace",
  in: "path",
  type: "string",
  description: "Namespace of the objects.",
  sharedName: "namespace-vgWSWtn3",
};

export function nameParameter(kind: string): Parameter {
  return { name: "name", in: "path", type: "string", description: `Name of the ${kind}.` };
}

const SELECTING =
  "continue fieldSelector labelSelector limit resourceVersion resourceVersionMatch sendInitialEvents shardSelector timeoutSeconds";
const DELETING =
  "dryRun gracePeriodSeconds ignoreStoreReadErrorWithClusterBreakingPotential orphanDependents propagationPolicy";

export const LIST_PARAMETERS = named(`allowWatchBookmarks watch ${SELECTING}`);
export const DELETE_PARAMETERS = named(DELETING);
/** Built-in kinds; custom resources name the parameters of a list instead. */
export const DELETE_COLLECTION_PARAMETERS = named(`${DELETING} ${SELECTING}`);
export const WRITE_PARAMETERS = named("dryRun fieldManager fieldValidation");
export const PATCH_PARAMETERS = [
  ...named("dryRun fieldValidation force"),
  query(
    "fieldManager string 7c6nTn1T",
    "Name of the writer, as managedFields keeps it. An apply patch must have it; other patches may.",
  ),
];
/** Custom resources name it for a read too. */
export const CUSTOM_READ_PARAMETERS = named("resourceVersion");
