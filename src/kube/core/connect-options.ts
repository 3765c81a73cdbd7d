// Options of a connection (PodExecOptions and the like) as a kind. The client sends them in the query, admission sees
// them as the object and may change them, and the connection uses the result.
import { goQuote } from "../../apimachinery/go/strconv.ts";
import { type JsonObject, lookupTable } from "../../apimachinery/json/json.ts";
import type { Query } from "../../apimachinery/meta/query.ts";
import { badRequest } from "../../apimachinery/meta/status.ts";
import { compileSchema } from "../../apimachinery/schema/compile-schema.ts";
import type {
  Connect,
  ResourceVersionDefinition,
  ResourceView,
  SubresourceDefinition,
} from "../../apiserver/registry/definition/resource-definition.ts";

const BOOLEAN = { type: "boolean" };
const STRING = { type: "string" };
const STREAMS = { stdin: BOOLEAN, stdout: BOOLEAN, stderr: BOOLEAN, tty: BOOLEAN, container: STRING };
const PATH = { path: STRING };

const OPTIONS = {
  PodAttachOptions: STREAMS,
  PodExecOptions: { ...STREAMS, command: { type: "array", items: STRING } },
  PodPortForwardOptions: { ports: { type: "array", items: { type: "integer", format: "int32" } } },
  PodProxyOptions: PATH,
  ServiceProxyOptions: PATH,
  NodeProxyOptions: PATH,
} satisfies Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;

type OptionsKind = keyof typeof OPTIONS;

/** A connect subresource with options of that kind. */
export function connectSubresource(
  name: string,
  kind: OptionsKind,
  verbs: readonly string[],
  connect: Connect,
): SubresourceDefinition {
  const readOptions = (query: Query, path: string) => optionsOf(kind, query, path);
  return { name, verbs, kind, connect, options: { view: viewOf(kind), read: readOptions } };
}

/** The proxy subresource: all methods, with a path after it. */
export const proxySubresource = (kind: OptionsKind, connect: Connect): SubresourceDefinition =>
  connectSubresource("proxy", kind, ["create", "delete", "get", "patch", "update"], connect);

function viewOf(kind: OptionsKind): ResourceView {
  const schema = {
    type: "object",
    properties: { kind: STRING, apiVersion: STRING, ...OPTIONS[kind] },
  };
  const version: ResourceVersionDefinition = {
    name: "v1",
    served: true,
    storage: true,
    schema,
    get node() {
      return compileSchema(schema);
    },
    columns: [],
    selectableFields: [],
  };
  return {
    version,
    definition: {
      group: "",
      resource: "",
      singular: "",
      kind,
      listKind: "",
      shortNames: [],
      categories: [],
      namespaceScoped: false,
      custom: false,
      verbs: [],
      strategy: {},
      withoutMetadata: true,
      versions: [version],
    },
  };
}

/** Decodes the options of a query. Zero values are left out. Throws 400. */
function optionsOf(kind: OptionsKind, query: Query, path: string): JsonObject {
  const members = Object.entries(OPTIONS[kind]).flatMap(([name, { type }]) => {
    const value = name === "path" ? path : READERS[type]?.(query, name);
    return value ? [[name, value] as const] : [];
  });
  return { kind, apiVersion: "v1", ...Object.fromEntries(members) };
}

const READERS: Readonly<Record<string, (query: Query, name: string) => unknown>> = lookupTable({
  boolean: (query, name) => query.flag(name),
  string: (query, name) => query.get(name),
  array: (query, name) => {
    if (!query.has(name)) return undefined;
    const values = query.all(name);
    return name === "ports" ? values.flatMap((value) => value.split(",").map(readPort)) : [...values];
  },
});

const PORT_MAX = 65_535;
const PORT_DIGITS_MAX = 20;

function readPort(text: string): number {
  const fault = !/^\d+$/.test(text)
    ? "invalid syntax"
    : text.length > PORT_DIGITS_MAX || Number(text) > PORT_MAX
      ? "value out of range"
      : undefined;
  if (fault === undefined) return Number(text);
  throw badRequest(`cannot convert to []int32: strconv.ParseUint: parsing ${goQuote(text)}: ${fault}`);
}
