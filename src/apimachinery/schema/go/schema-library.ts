// Published types of the built-in kinds, from schemas/<group>/<version>/*.yaml. Reading the files is cheap, parsing them
// is not. A file is only scanned for the start of each definition; a definition is parsed on first access. Each
// definition is therefore indented by two spaces and followed by a blank line or the end of the file. The build packs all
// definitions into one file of JSON texts by name, which loads faster still.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "../../json/json.ts";
import { builtFile, packageFile } from "../../meta/package-files.ts";
import { decodeValue } from "../../yaml/decode-yaml.ts";
import type { JsonSchema } from "../schema-node.ts";
import { withoutFacts } from "./go-struct.ts";

const REF_PREFIX = "#/components/schemas/";
const FIRST_LINE = /^definitions:$/m;
const DEFINITION_LINE = /^ {2}([A-Za-z][\w.-]*):$/gm;

/** Reference to a definition by its OpenAPI name. */
export const schemaRef = (name: string): JsonSchema => ({ $ref: REF_PREFIX + name });

export class SchemaLibrary {
  readonly #sources: ReadonlyMap<string, string>;
  readonly #parse: (source: string) => unknown;
  readonly #parsed = new Map<string, JsonSchema>();
  readonly #published = new Map<string, JsonSchema>();

  /** Default: the YAML files of the package. */
  constructor(
    sources = readSources(packageFile("schemas")),
    parseSource: (source: string) => unknown = decodeValue,
  ) {
    this.#sources = sources;
    this.#parse = parseSource;
  }

  /** OpenAPI names of all definitions. */
  get names(): readonly string[] {
    return [...this.#sources.keys()];
  }

  /** The definition of that name; undefined when there is none. Shared, must not be changed. */
  definition(name: string): JsonSchema | undefined {
    const known = this.#parsed.get(name);
    const source = this.#sources.get(name);
    if (known !== undefined || source === undefined) return known;
    const parsed = this.#parse(source);
    if (!isObject(parsed)) throw new Error(`the definition ${name} is no object`);
    this.#parsed.set(name, parsed);
    return parsed;
  }

  /** Resolves a $ref of a built-in schema, for compileSchema. */
  readonly resolve = (ref: string): JsonSchema => {
    const name = ref.startsWith(REF_PREFIX) ? ref.slice(REF_PREFIX.length) : ref;
    const found = this.definition(name);
    if (found === undefined) throw new Error(`no schema is called ${name}`);
    return found;
  };

  /** As resolve, in the published form: members sorted by name, without the x-egret keys. */
  readonly published = (ref: string): JsonSchema => {
    let found = this.#published.get(ref);
    if (found === undefined) {
      found = publishedForm(this.resolve(ref));
      this.#published.set(ref, found);
    }
    return found;
  };
}

function publishedForm(schema: JsonSchema): JsonSchema {
  const shown = withoutFacts(schema);
  const { properties } = shown;
  if (!isObject(properties)) return shown;
  const members = Object.entries(properties).map(([name, property]) => {
    return [name, isObject(property) ? publishedForm(property) : property] as const;
  });
  members.sort(([a], [b]) => (a < b ? -1 : 1));
  return { ...shown, properties: Object.fromEntries(members) };
}

/** Text of each definition in the files below a folder. Files of another form (CRD manifests) are skipped. */
function readSources(folder: string): Map<string, string> {
  const sources = new Map<string, string>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith(".yaml")) continue;
    const text = readFileSync(join(entry.parentPath, entry.name), "utf8");
    if (!FIRST_LINE.test(text.slice(0, 400))) continue;
    const starts = [...text.matchAll(DEFINITION_LINE)];
    for (const [position, match] of starts.entries()) {
      const from = match.index + match[0].length + 1;
      sources.set(match[1] ?? "", text.slice(from, starts[position + 1]?.index ?? text.length));
    }
  }
  return sources;
}

function readPacked(path: string): SchemaLibrary {
  const packed = JSON.parse(readFileSync(path, "utf8")) as Record<string, string>; // made by scripts/pack-schemas.ts
  return new SchemaLibrary(new Map(Object.entries(packed)), JSON.parse);
}

let shared: SchemaLibrary | undefined;

/** Library of the schemas that Egret ships, loaded once. */
export function schemaLibrary(): SchemaLibrary {
  const packed = builtFile("shipped-schemas.json");
  shared ??= packed === undefined ? new SchemaLibrary() : readPacked(packed);
  return shared;
}
