// The query and path parameters of the API, with our descriptions, and which of them each operation takes.

export interface Parameter {
  readonly name: string;
  readonly in: "query" | "path";
  readonly type: "string" | "integer" | "boolean";
  readonly description: string;
  /** Swagger 2.0 keeps parameters that many operations have in one place, under these fixed names. */
  readonly sharedName?: string;
}

function query(name: string, type: Parameter["type"], description: string, sharedSuffix?: string): Parameter {
  const shared = sharedSuffix === undefined ? {} : { sharedName: `${name}-${sharedSuffix}` };
  return { name, in: "query", type, description, ...shared };
}

export const PRETTY = query(
  "pretty",
  "string",
  "true indents the answer. Without it only browsers, curl and wget get an indented answer.",
  "tJGM1-ng",
);

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

const CONTINUE = query(
  "continue",
  "string",
  "Token from the metadata of the page before. The other parameters must stay the same; when the token has expired (410), the list starts anew.",
  "QfD61s0i",
);
const FIELD_SELECTOR = query(
  "fieldSelector",
  "string",
  "Takes only objects whose fields have the given values, for example metadata.name=a.",
  "xIcQKXFG",
);
const LABEL_SELECTOR = query(
  "labelSelector",
  "string",
  "Takes only objects whose labels match, for example app=web,tier!=test.",
  "5Zw57w4C",
);
const LIMIT = query(
  "limit",
  "integer",
  "Highest number of objects in one answer. When there are more, the metadata of the list has a continue token.",
  "1NfNmdNH",
);
const RESOURCE_VERSION = query(
  "resourceVersion",
  "string",
  "Which state of the server is asked for: unset the newest, 0 any, another value one that is not older.",
  "5WAnf1kx",
);
const RESOURCE_VERSION_MATCH = query(
  "resourceVersionMatch",
  "string",
  "How resourceVersion is meant in a list: Exact or NotOlderThan.",
  "t8XhRHeC",
);
const SEND_INITIAL_EVENTS = query(
  "sendInitialEvents",
  "boolean",
  "Lets a watch begin with the present objects, closed by a bookmark. Needs resourceVersionMatch=NotOlderThan.",
  "rLXlEK_k",
);
const SHARD_SELECTOR = query(
  "shardSelector",
  "string",
  "Takes only the objects of one part of a split collection.",
  "Kgyki_3_",
);
const TIMEOUT_SECONDS = query(
  "timeoutSeconds",
  "integer",
  "Ends a list or a watch after this many seconds, whether or not there was anything to send.",
  "yvYezaOC",
);
const DRY_RUN = query("dryRun", "string", "All runs every step of the request but stores nothing.");
const GRACE_PERIOD_SECONDS = query(
  "gracePeriodSeconds",
  "integer",
  "Seconds that the object gets before it goes. Unset takes the default of the kind, 0 means at once.",
  "-K5HaBOS",
);
const IGNORE_STORE_READ_ERROR = query(
  "ignoreStoreReadErrorWithClusterBreakingPotential",
  "boolean",
  "Deletes an object even though it cannot be read from the store. Finalizers are not waited for.",
  "QbNkfIqj",
);
const ORPHAN_DEPENDENTS = query(
  "orphanDependents",
  "boolean",
  "Old form of propagationPolicy: true leaves dependents alone. Only one of the two may be set.",
  "uRB25kX5",
);
const PROPAGATION_POLICY = query(
  "propagationPolicy",
  "string",
  "What becomes of dependents: Orphan, Background or Foreground.",
  "6jk3prlO",
);
const FIELD_VALIDATION = query(
  "fieldValidation",
  "string",
  "What happens to unknown and duplicate fields: Ignore drops them, Warn (default) warns, Strict refuses the request.",
);

export const LIST_PARAMETERS: readonly Parameter[] = [
  query(
    "allowWatchBookmarks",
    "boolean",
    "Asks a watch for BOOKMARK events, which carry nothing but a newer resourceVersion.",
    "HC2hJt-J",
  ),
  CONTINUE,
  FIELD_SELECTOR,
  LABEL_SELECTOR,
  LIMIT,
  RESOURCE_VERSION,
  RESOURCE_VERSION_MATCH,
  SEND_INITIAL_EVENTS,
  SHARD_SELECTOR,
  TIMEOUT_SECONDS,
  query(
    "watch",
    "boolean",
    "Answers with a stream of changes instead of a list, starting after resourceVersion.",
    "XNNPZGbK",
  ),
];

export const DELETE_PARAMETERS: readonly Parameter[] = [
  DRY_RUN,
  GRACE_PERIOD_SECONDS,
  IGNORE_STORE_READ_ERROR,
  ORPHAN_DEPENDENTS,
  PROPAGATION_POLICY,
];

/** Built-in kinds; custom resources name the parameters of a list instead. */
export const DELETE_COLLECTION_PARAMETERS: readonly Parameter[] = [
  CONTINUE,
  ...DELETE_PARAMETERS,
  FIELD_SELECTOR,
  LABEL_SELECTOR,
  LIMIT,
  RESOURCE_VERSION,
  RESOURCE_VERSION_MATCH,
  SEND_INITIAL_EVENTS,
  SHARD_SELECTOR,
  TIMEOUT_SECONDS,
];

export const WRITE_PARAMETERS: readonly Parameter[] = [
  DRY_RUN,
  query(
    "fieldManager",
    "string",
    "Name of the writer, as managedFields keeps it: at most 128 printable characters.",
    "Qy4HdaTW",
  ),
  FIELD_VALIDATION,
];

export const PATCH_PARAMETERS: readonly Parameter[] = [
  DRY_RUN,
  query(
    "fieldManager",
    "string",
    "Name of the writer, as managedFields keeps it. An apply patch must have it; other patches may.",
    "7c6nTn1T",
  ),
  FIELD_VALIDATION,
  query(
    "force",
    "boolean",
    "Lets an apply patch take fields over that other managers own. Only for apply patches.",
    "tOGGb0Yi",
  ),
];

/** Custom resources name it for a read too. */
export const CUSTOM_READ_PARAMETERS: readonly Parameter[] = [RESOURCE_VERSION];
