// YAML bodies as sigs.k8s.io/yaml reads them: the first document, with YAML 1.1's scalars, keys as text, aliases copied
// out, and findings about keys that are given twice. Clients mostly send JSON where YAML is asked for, which is read as such.
import { isAlias, isMap, isScalar, isSeq, type Pair, type Scalar, type YAMLMap } from "yaml";
import { isObject, type JsonObject, setOwn } from "../../meta/json.ts";
import { decodeJson, JsonSyntaxError } from "../../meta/json-decode.ts";
import { NoJsonNumber, resolvePlain } from "./yaml-scalar.ts";
import { readYamlTree, YamlSyntaxError, type YamlTree, yamlError } from "./yaml-tree.ts";

export { YamlSyntaxError };

export interface DecodedYaml {
  readonly value: unknown;
  /** As go-yaml words them: `line 6: key "a" already set in map`. */
  readonly duplicates: readonly string[];
}

/** Throws YamlSyntaxError, worded as the conversion to JSON that it is part of. */
export function decodeYaml(text: string): DecodedYaml {
  return decodeJsonInYaml(text) ?? new Conversion(readYamlTree(text)).run();
}

/** Numbers that the two notations might read differently are left to YAML, and so are keys that are given twice. */
const DOUBTFUL_NUMBER = /[:[,]\s*(?:-?0\d|-0|-?\d+[.eE]|-?\d{16})/;

/** undefined: it is no JSON, or YAML has more to say of it. */
export function decodeJsonInYaml(text: string): DecodedYaml | undefined {
  if (!/^\s*\{/.test(text) || DOUBTFUL_NUMBER.test(text)) return undefined;
  try {
    const { value, duplicates } = decodeJson(Buffer.from(text));
    return duplicates.length === 0 ? { value, duplicates } : undefined;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

/** So many keys that are given twice are told; a body of 3 MB can have a million of them. */
const DUPLICATES_MAX = 1000;

const TAG = "tag:yaml.org,2002:";
const MERGE = "<<";
/** How much of a document may be copies, by its size, as in go-yaml. */
const ALIASES_MIN = 100;
const NODES_MIN = 1000;
const RATIO_FALLS = { from: 400_000, to: 4_000_000, high: 0.99, low: 0.1 };

class Conversion {
  readonly #tree: YamlTree;
  readonly #anchors = new Map<string, unknown>();
  readonly #underway = new Set<unknown>();
  readonly #duplicates: string[] = [];
  #nodes = 0;
  #copied = 0;
  #copying = 0;

  constructor(tree: YamlTree) {
    this.#tree = tree;
  }

  run(): DecodedYaml {
    return { value: this.#value(this.#tree.root), duplicates: this.#duplicates };
  }

  #value(node: unknown): unknown {
    this.#count();
    if (isAlias(node)) return this.#copy(node.source, (target) => this.#value(target));
    if (!isScalar(node) && !isMap(node) && !isSeq(node)) return null;
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    if (isScalar(node)) return scalarValue(node);
    this.#underway.add(node);
    const value = isMap(node) ? this.#map(node) : node.items.map((item) => this.#value(item));
    this.#underway.delete(node);
    return value;
  }

  #copy<T>(name: string, use: (target: unknown) => T): T {
    const target = this.#anchors.get(name);
    if (target === undefined) throw yamlError(`unknown anchor '${name}' referenced`);
    if (this.#underway.has(target)) throw yamlError(`anchor '${name}' value contains itself`);
    this.#copying++;
    const value = use(target);
    this.#copying--;
    return value;
  }

  /** Stops a few lines that would come to a billion items. */
  #count(): void {
    this.#nodes++;
    if (this.#copying > 0) this.#copied++;
    if (this.#copied <= ALIASES_MIN || this.#nodes <= NODES_MIN) return;
    const { from, to, high, low } = RATIO_FALLS;
    const part = Math.min(Math.max((this.#nodes - from) / (to - from), 0), 1);
    if (this.#copied / this.#nodes > high - (high - low) * part)
      throw yamlError("document contains excessive aliasing");
  }

  #map(map: YAMLMap): JsonObject {
    const out: JsonObject = {};
    const merged: JsonObject = {};
    for (const pair of map.items) {
      if (isMergeKey(pair)) {
        this.#merge(pair.value, merged);
        continue;
      }
      const key = this.#key(pair);
      if (Object.hasOwn(out, key)) this.#noteDuplicate(pair, key);
      setOwn(out, key, this.#value(pair.value));
    }
    for (const [key, value] of Object.entries(merged)) if (!Object.hasOwn(out, key)) setOwn(out, key, value);
    return out;
  }

  #key({ key }: Pair): string {
    const value = this.#value(key);
    if (typeof value === "string") return value;
    if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean")
      return String(value);
    throw yamlError(value === null ? "unsupported map key of type: null" : "invalid map key");
  }

  /** What a map takes in is what it does not say itself. */
  #merge(node: unknown, into: JsonObject): void {
    if (isSeq(node)) {
      for (const item of node.items) this.#merge(item, into);
      return;
    }
    const value = this.#value(node);
    if (!isObject(value)) throw yamlError("map merge requires map or sequence of maps as the value");
    for (const [key, item] of Object.entries(value)) if (!Object.hasOwn(into, key)) setOwn(into, key, item);
  }

  #noteDuplicate({ key }: Pair, name: string): void {
    if (this.#duplicates.length >= DUPLICATES_MAX) return;
    const line = this.#tree.lineAt(isScalar(key) ? (key.range?.[0] ?? 0) : 0);
    this.#duplicates.push(`line ${line}: key ${JSON.stringify(name)} already set in map`);
  }
}

function isMergeKey({ key }: Pair): boolean {
  return isScalar(key) && key.source === MERGE && key.type === "PLAIN";
}

function scalarValue(scalar: Scalar): unknown {
  const { tag, type } = scalar;
  const text = scalar.source ?? "";
  if (tag === "!" || tag === `${TAG}str`) return text;
  if (tag === `${TAG}binary`) return Buffer.from(text, "base64").toString("utf8");
  if (type !== "PLAIN") return text;
  try {
    return resolvePlain(text);
  } catch (error) {
    if (!(error instanceof NoJsonNumber)) throw error;
    throw new YamlSyntaxError(`error converting YAML to JSON: json: unsupported value: ${error.message}`);
  }
}
