// Compiles an OpenAPI schema once to the nodes that all walkers use. Named types of built-in kinds are compiled once per
// resolver and shared, so recursive types become cycles. The root of a custom resource and every embedded resource get
// apiVersion, kind and metadata, which a CRD need not declare.
import { isObject } from "../json/json.ts";
import { goStruct, withoutFacts } from "./go/go-struct.ts";
import { schemaLibrary } from "./go/schema-library.ts";
import { type JsonSchema, keywordsOf, membersOf, type SchemaNode } from "./schema-node.ts";

const OBJECT_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

type ResolveRef = (ref: string) => JsonSchema;
type Draft = { -readonly [Key in keyof SchemaNode]: SchemaNode[Key] };

interface Compilation {
  readonly resolveRef: ResolveRef;
  readonly named: Map<string, Draft>;
  /** Copies of named nodes that can be made only when the named ones are complete. */
  readonly pending: (() => void)[];
}

const compilations = new WeakMap<ResolveRef, Compilation>();

/** Without resolveRef the schema is that of a custom resource; with it, of a built-in kind ({ $ref }). */
export function compileSchema(raw: JsonSchema, resolveRef?: ResolveRef): SchemaNode {
  if (resolveRef === undefined) {
    const root = compileStructure(raw);
    addTypeMeta(root as Draft); // just made, and not shared yet
    return root;
  }
  let compilation = compilations.get(resolveRef);
  if (compilation === undefined) {
    compilation = { resolveRef, named: new Map(), pending: [] };
    compilations.set(resolveRef, compilation);
  }
  return finish(compileNode(raw, compilation), compilation);
}

/** Compiles a part of a custom resource's schema, without the implicit members of its root. */
export function compileStructure(raw: JsonSchema): SchemaNode {
  const compilation: Compilation = { resolveRef: unknownRef, named: new Map(), pending: [] };
  return finish(compileNode(raw, compilation), compilation);
}

const unknownRef: ResolveRef = (ref) => {
  throw new Error(`no type is known as ${ref}`);
};

function finish(node: Draft, compilation: Compilation): SchemaNode {
  for (const complete of compilation.pending.splice(0)) complete();
  return node;
}

function compileNode(raw: JsonSchema, compilation: Compilation): Draft {
  const ref = refOf(raw);
  if (ref === undefined) return fill(draft(raw), raw, compilation);
  const named = compileNamed(ref, compilation);
  const { $ref: _ref, allOf: _allOf, description: _description, ...own } = withoutFacts(raw);
  if (Object.keys(own).length === 0) return named;
  const node = draft(raw);
  compilation.pending.push(() => {
    const { type, intOrString, preserveUnknownFields } = named; // set by the type itself, see SPECIAL_TYPES
    const merged = { ...named.raw, ...own };
    Object.assign(node, named, keywordsOf(merged), { type, intOrString, preserveUnknownFields, raw: merged });
  });
  return node;
}

/** Type that a schema refers to: { $ref }, or { allOf: [{ $ref }] } where the schema has further keywords. */
function refOf(raw: JsonSchema): string | undefined {
  const { $ref, allOf } = raw;
  if (typeof $ref === "string") return $ref;
  const [only] = Array.isArray(allOf) && allOf.length === 1 ? allOf : [];
  return isObject(only) && typeof only["$ref"] === "string" ? only["$ref"] : undefined;
}

function compileNamed(ref: string, compilation: Compilation): Draft {
  const typeName = ref.slice(ref.lastIndexOf("/") + 1);
  const known = compilation.named.get(typeName);
  if (known !== undefined) return known;
  const raw = compilation.resolveRef(ref);
  const node = draft(raw);
  node.typeName = typeName;
  node.goType = typeName.slice(typeName.lastIndexOf(".") + 1);
  if (isObject(raw["properties"])) node.go = goStruct(raw);
  compilation.named.set(typeName, node);
  fill(node, raw, compilation);
  SPECIAL_TYPES[node.goType]?.(node, typeName, compilation);
  return node;
}

/** Types with JSON methods of their own, whose published schema is incomplete. */
const SPECIAL_TYPES: Readonly<
  Record<string, (node: Draft, typeName: string, compilation: Compilation) => void>
> = {
  IntOrString: (node) => {
    node.intOrString = true;
    node.type = undefined;
  },
  RawExtension: keepAnything,
  FieldsV1: keepAnything,
  JSON: keepAnything,
  JSONSchemaPropsOrArray: (node, typeName, compilation) => {
    node.items = propsOf(node, typeName, compilation);
  },
  JSONSchemaPropsOrBool: (node, typeName, compilation) => {
    propsOf(node, typeName, compilation);
  },
  JSONSchemaPropsOrStringArray: (node, typeName, compilation) => {
    propsOf(node, typeName, compilation);
    node.items = draft({ type: "string" });
  },
};

function keepAnything(node: Draft): void {
  node.type = undefined;
  node.preserveUnknownFields = true;
}

/** JSONSchemaPropsOr…: the value may also be a schema, with all members of one. */
function propsOf(node: Draft, typeName: string, compilation: Compilation): Draft {
  const props = compileNamed(typeName.replace(/Or[A-Za-z]+$/, ""), compilation);
  const { properties, typeName: propsName, goType, go } = props;
  Object.assign(node, { properties, typeName: propsName, goType, go });
  return props;
}

function draft(raw: JsonSchema): Draft {
  return {
    properties: new Map(),
    additionalProperties: undefined,
    items: undefined,
    goType: undefined,
    raw,
    ...keywordsOf(raw),
  };
}

function fill(node: Draft, raw: JsonSchema, compilation: Compilation): Draft {
  // The map is filled in place: nodes inside of it may already refer to this unfinished node.
  const properties = node.properties as Map<string, SchemaNode>; // made by draft
  for (const [key, property] of membersOf(raw)) properties.set(key, compileNode(property, compilation));
  const { items, additionalProperties } = raw;
  if (isObject(items)) node.items = compileNode(items, compilation);
  if (isObject(additionalProperties)) {
    node.additionalProperties = compileNode(additionalProperties, compilation);
  } else if (typeof additionalProperties === "boolean") {
    // Upstream keeps the keys in both cases; false is left to value validation.
    node.additionalProperties = true;
  }
  if (node.embeddedResource) addTypeMeta(node);
  return node;
}

function addTypeMeta(node: Draft): void {
  const properties = node.properties as Map<string, SchemaNode>; // made by draft, not shared
  for (const key of ["apiVersion", "kind"]) {
    if (!properties.has(key)) properties.set(key, draft({ type: "string" }));
  }
  properties.set("metadata", metadataNode(properties.get("metadata")));
}

/** ObjectMeta with the schema's own constraints on members, such as a pattern for the name. */
function metadataNode(declared: SchemaNode | undefined): SchemaNode {
  if (declared === undefined) return objectMetaNode();
  const base = objectMetaNode();
  const properties = new Map(base.properties);
  for (const [key, property] of declared.properties) properties.set(key, property);
  return { ...base, properties, default: declared.default, raw: declared.raw };
}

let compiledObjectMeta: SchemaNode | undefined;

/** Node of metav1.ObjectMeta, as custom resources have it. */
export function objectMetaNode(): SchemaNode {
  compiledObjectMeta ??= compileSchema({ $ref: OBJECT_META }, schemaLibrary().resolve);
  return compiledObjectMeta;
}
