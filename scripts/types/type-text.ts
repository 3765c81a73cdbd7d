// Renders a schema of the OpenAPI documents as the text of a TypeScript type.

export interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly nullable?: boolean;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly oneOf?: readonly Schema[];
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-group-version-kind"?: readonly GroupVersionKind[];
}

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The text for a reference to another component. */
export type ReferenceText = (component: string) => string;

const PREFIX = "#/components/schemas/";

export function typeText(schema: Schema, reference: ReferenceText, indent: string): string {
  const text = plainText(schema, reference, indent);
  return schema.nullable === true ? `${text} | null` : text;
}

function plainText(schema: Schema, reference: ReferenceText, indent: string): string {
  const ref = schema.$ref ?? soleReference(schema);
  if (ref !== undefined) return reference(ref.slice(PREFIX.length));
  if (schema["x-kubernetes-int-or-string"] === true || isEither(schema)) return "number | string";
  if (schema.enum !== undefined) return schema.enum.map((item) => JSON.stringify(item)).join(" | ");
  switch (schema.type) {
    case "string":
    case "boolean":
      return schema.type;
    case "integer":
    case "number":
      return "number";
    case "array":
      return arrayOf(typeText(schema.items ?? {}, reference, indent));
    case "object":
      return objectText(schema, reference, indent);
    default:
      return "unknown";
  }
}

/** The only reference of an allOf, which allows a default next to the reference. */
function soleReference({ type, allOf }: Schema): string | undefined {
  return type === undefined && allOf?.length === 1 ? allOf[0]?.$ref : undefined;
}

function isEither({ type, oneOf }: Schema): boolean {
  return type === undefined && oneOf !== undefined && oneOf.some((item) => item.type === "string");
}

const arrayOf = (item: string): string => (/[|{]/.test(item) ? `(${item})[]` : `${item}[]`);

function objectText(schema: Schema, reference: ReferenceText, indent: string): string {
  if (schema.properties !== undefined) return `{\n${membersText(schema, reference, `${indent}  `)}${indent}}`;
  const { additionalProperties } = schema;
  if (typeof additionalProperties !== "object") return "{ [field: string]: unknown }";
  return `{ [key: string]: ${typeText(additionalProperties, reference, indent)} }`;
}

/** The members of an object; `given` overrides the types of some members with more precise ones. */
export function membersText(
  schema: Schema,
  reference: ReferenceText,
  indent: string,
  given: Readonly<Record<string, string>> = {},
): string {
  let text = "";
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    const own = given[name];
    // A member with a default may be omitted in requests, though answers always have it.
    const needed = own !== undefined || (schema.required?.includes(name) && property.default === undefined);
    text += `${docText(property.description, indent)}${indent}${key}${needed ? "" : "?"}: `;
    text += `${own ?? typeText(property, reference, indent)};\n`;
  }
  return text;
}

export function docText(description: string | undefined, indent: string): string {
  const text = description?.replaceAll("*/", "* /").replace(/\s+/g, " ").trim();
  return text ? `${indent}/** ${text} */\n` : "";
}
