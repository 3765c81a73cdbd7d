// openapi/types/: the kinds that Egret ships as TypeScript types, generated from the OpenAPI documents that clients get.
// For the script that writes them and for the test that compares them.
import { renderShippedOpenApi } from "../shipped-openapi.ts";
import { docText, type GroupVersionKind, membersText, type Schema, typeText } from "./type-text.ts";

const HEADER = "// Written by `npm run types` from the schemas; do not edit.\n";

/** The files by name. */
export async function renderTypes(): Promise<ReadonlyMap<string, string>> {
  const components = await readComponents();
  const kinds = [...components].flatMap(([name, schema]) => {
    const key = keyOfKind(schema);
    return key === undefined ? [] : [{ key, name }];
  });
  const files = new Map<string, ModuleText>();
  const visit = (name: string): void => {
    const file = files.get(moduleOf(name)) ?? new ModuleText(moduleOf(name));
    files.set(moduleOf(name), file);
    const schema = components.get(name);
    if (schema === undefined) throw new Error(`there is no component ${name}`);
    if (file.add(name, schema)) for (const used of file.usedBy(name)) visit(used);
  };
  for (const { name } of kinds) visit(name);
  const texts = [...files.values()].map((file) => [`${file.name}.d.ts`, file.text] as const);
  return new Map([...texts, ["kinds.d.ts", kindsText(kinds)]]);
}

async function readComponents(): Promise<ReadonlyMap<string, Schema>> {
  const all = new Map<string, Schema>();
  for (const text of (await renderShippedOpenApi()).values()) {
    const { components } = JSON.parse(text) as {
      components?: { schemas?: Record<string, Schema> };
    };
    for (const [name, schema] of Object.entries(components?.schemas ?? {})) all.set(name, schema);
  }
  return new Map([...all].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * "v1/ConfigMap" for an object with metadata of its own; undefined for lists and for kinds that occur only in request
 * bodies.
 */
function keyOfKind(schema: Schema): string | undefined {
  const own = ownKind(schema);
  const metadata = schema.properties?.["metadata"];
  const isObject = JSON.stringify(metadata ?? {}).includes(".ObjectMeta");
  return own && isObject ? `${apiVersionOf(own)}/${own.kind}` : undefined;
}

function ownKind(schema: Schema): GroupVersionKind | undefined {
  const kinds = schema["x-kubernetes-group-version-kind"];
  return kinds?.length === 1 ? kinds[0] : undefined;
}

const apiVersionOf = ({ group, version }: GroupVersionKind): string =>
  group === "" ? version : `${group}/${version}`;

const moduleOf = (component: string): string => component.slice(0, component.lastIndexOf("."));
const nameOf = (component: string): string => component.slice(component.lastIndexOf(".") + 1);

/** One file: the components of one package of the API. */
class ModuleText {
  readonly name: string;
  readonly #types = new Map<string, string>();
  readonly #used = new Map<string, Set<string>>();

  constructor(name: string) {
    this.name = name;
  }

  /** Returns false when the component exists already. */
  add(component: string, schema: Schema): boolean {
    const name = nameOf(component);
    if (this.#types.has(name)) return false;
    const used = new Set<string>();
    this.#used.set(component, used);
    this.#types.set(name, ""); // it may refer to itself
    const reference = (other: string): string => {
      used.add(other);
      return nameOf(other);
    };
    this.#types.set(name, `${docText(schema.description, "")}export ${declare(name, schema, reference)}\n`);
    return true;
  }

  usedBy(component: string): ReadonlySet<string> {
    return this.#used.get(component) ?? new Set();
  }

  get text(): string {
    const types = [...this.#types].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
    return [`${HEADER}${this.#imports()}`, ...types].join("\n");
  }

  #imports(): string {
    const used = [...new Set([...this.#used.values()].flatMap((names) => [...names]))];
    const foreign = used.filter((component) => moduleOf(component) !== this.name);
    for (const component of foreign) {
      if (this.#types.has(nameOf(component))) throw new Error(`${this.name} has two ${nameOf(component)}`);
    }
    const modules = [...new Set(foreign.map(moduleOf))].sort();
    return modules
      .map((module) => {
        const names = foreign.filter((component) => moduleOf(component) === module).map(nameOf);
        return `import type { ${names.sort().join(", ")} } from "./${module}.d.ts";\n`;
      })
      .join("");
  }
}

function declare(name: string, schema: Schema, reference: (component: string) => string): string {
  if (schema.properties === undefined) return `type ${name} = ${typeText(schema, reference, "")};`;
  const kind = ownKind(schema);
  const known = keyOfKind(schema) === undefined ? undefined : kind;
  const given: Readonly<Record<string, string>> = known
    ? {
        apiVersion: JSON.stringify(apiVersionOf(known)),
        kind: JSON.stringify(known.kind),
        metadata: reference("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"),
      }
    : {};
  return `interface ${name} {\n${membersText(schema, reference, "  ", given)}}`;
}

function kindsText(kinds: readonly { readonly key: string; readonly name: string }[]): string {
  const lines = [...kinds]
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ key, name }) => `  "${key}": import("./${moduleOf(name)}.d.ts").${nameOf(name)};\n`);
  return `${HEADER}\n/** The shipped kinds by apiVersion and kind. */\nexport interface Kinds {\n${lines.join("")}}\n`;
}
