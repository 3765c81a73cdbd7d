// Builds the definition of a built-in kind from its particulars.

import { type JsonObject, objectAt } from "../../../apimachinery/json/json.ts";
import type { FieldError } from "../../../apimachinery/meta/field-error.ts";
import { pluralOf } from "../../../apimachinery/meta/names.ts";
import { compileSchema } from "../../../apimachinery/schema/compile-schema.ts";
import { schemaLibrary, schemaRef } from "../../../apimachinery/schema/go/schema-library.ts";
import type { SchemaNode } from "../../../apimachinery/schema/schema-node.ts";
import type {
  ResourceDefinition,
  ResourceVersionDefinition,
  Strategy,
  Verb,
} from "../definition/resource-definition.ts";
import { type PrintedColumn, rowPrinter } from "./columns.ts";
import { applySchemaDefaults } from "./schema-defaults.ts";
import { type CodeRules, schemaErrors } from "./schema-rules.ts";
import { dropSwitchedOff } from "./switched-off.ts";

/** Properties that may differ between the versions of a kind. */
interface BuiltInVersion
  extends Pick<ResourceVersionDefinition, "status" | "storedForm" | "deprecationWarning"> {
  /** OpenAPI name of the type. Left out: io.k8s.api, then the first label of the group, version and kind. */
  readonly type?: string;
  /**
   * Left out: only the generic steps. The schema's rules are validated in addition. Its defaults are set after those of
   * the schema.
   */
  readonly strategy?: Strategy;
  /** Code rules that the schema's rules refer to by name, also those of the status. */
  readonly rules?: CodeRules;
}

/**
 * Defaults: the resource is the plural of the kind in lower case, namespaced, with all verbs and no optional features.
 * Columns are printed by their cell functions.
 */
export interface BuiltInKind
  extends BuiltInVersion,
    Partial<Omit<ResourceDefinition, "group" | "kind" | "custom" | "strategy" | "versions">>,
    Pick<ResourceVersionDefinition, "scale"> {
  readonly columns?: readonly PrintedColumn[];
  readonly selectableFields?: readonly string[];
  /** Less preferred versions of the kind, best first; none of them is the storage version. */
  readonly olderVersions?: Readonly<Record<string, BuiltInVersion>>;
}

const ALL_VERBS: readonly Verb[] = [
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "update",
  "watch",
];

/** Upstream validates the metadata of these groups, and of events, by the library for custom resources. */
const LENIENT_GROUPS = /^(admissionregistration|apiextensions|apiregistration|coordination)\.k8s\.io$/;

/** Definition of a kind by apiVersion ("apps/v1", "v1") and name. */
export function builtIn(apiVersion: string, kind: string, facts: BuiltInKind): ResourceDefinition {
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  const {
    olderVersions = {},
    type: _type,
    status: _status,
    storedForm: _form,
    deprecationWarning: _warning,
    rules: _rules,
    columns,
    selectableFields = [],
    scale,
    ...own
  } = facts;
  const types = `io.k8s.api.${group.split(".")[0] || "core"}`;
  const versions = Object.entries({ [version]: facts, ...olderVersions }).map(([name, item]) =>
    versionOf(item, item.type ?? `${types}.${name}.${kind}`, {
      name,
      storage: item === facts,
      columns: columns ?? [],
      selectableFields,
      ...(scale ? { scale } : {}),
    }),
  );
  return {
    group,
    resource: pluralOf(kind),
    singular: kind.toLowerCase(),
    kind,
    listKind: `${kind}List`,
    shortNames: [],
    categories: [],
    namespaceScoped: true,
    custom: false,
    ownedFinalizers: !LENIENT_GROUPS.test(group) && kind !== "Event",
    verbs: ALL_VERBS,
    ...(columns ? { printRow: rowPrinter(columns) } : {}),
    ...own,
    strategy: versions[0]?.strategy ?? {},
    versions,
  };
}

/** Strategy with the schema's rules, for the object or for one member. */
function checkedBy(type: string, code: CodeRules, field = ""): Strategy {
  type Source = Readonly<JsonObject>;
  const part = (object: Source): Source => (field === "" ? object : (objectAt(object, field) ?? {}));
  const check = (object: Source, old?: Source): FieldError[] =>
    schemaErrors(type, part(object), { field, code, old: old && part(old) });
  return { validate: (object) => check(object), validateUpdate: (object, old) => check(object, old) };
}

function statusOf(type: string, rules: CodeRules, status: Strategy): Strategy {
  return {
    ...checkedBy(`${type}Status`, rules, "status"),
    ...status,
    prepareForUpdate(object, old, context) {
      dropSwitchedOff(type, object, old);
      status.prepareForUpdate?.(object, old, context);
    },
  };
}

/** The schema is compiled on first use, so that a start does not compile all kinds. */
function versionOf(
  { strategy = {}, status, rules = {}, storedForm, deprecationWarning }: BuiltInVersion,
  type: string,
  shared: Pick<ResourceVersionDefinition, "name" | "storage" | "columns" | "selectableFields" | "scale">,
): ResourceVersionDefinition {
  const schema = schemaRef(type);
  let node: SchemaNode | undefined;
  return {
    ...shared,
    served: true,
    schema,
    strategy: {
      ...checkedBy(type, rules),
      ...strategy,
      applyDefaults(object) {
        applySchemaDefaults(type, object);
        strategy.applyDefaults?.(object);
      },
      prepareForCreate(object, context) {
        dropSwitchedOff(type, object);
        strategy.prepareForCreate?.(object, context);
      },
      prepareForUpdate(object, old, context) {
        dropSwitchedOff(type, object, old);
        strategy.prepareForUpdate?.(object, old, context);
      },
    },
    get node() {
      node ??= compileSchema(schema, schemaLibrary().resolve);
      return node;
    },
    ...(status ? { status: statusOf(type, rules, status) } : {}),
    ...(storedForm ? { storedForm } : {}),
    ...(deprecationWarning === undefined ? {} : { deprecated: true, deprecationWarning }),
  };
}
