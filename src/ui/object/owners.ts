// Who owns which field: metadata.managedFields (KEP-555), as rows a person can read.

export interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
  readonly time?: string;
  readonly fieldsV1?: FieldsV1;
}

interface FieldsV1 {
  readonly [member: string]: FieldsV1;
}

export interface OwnedField {
  readonly path: string;
  readonly owners: readonly Owner[];
}

export interface Owner {
  readonly manager: string;
  readonly operation: string;
  readonly subresource: string;
  readonly time: string;
}

/** Each field once, with all who own it, in the order of the paths. */
export function ownedFields(entries: readonly ManagedFields[]): OwnedField[] {
  const byPath = new Map<string, Owner[]>();
  for (const { fieldsV1 = {}, ...entry } of entries) {
    const owner = { manager: "", operation: "", subresource: "", time: "", ...entry };
    for (const path of leavesOf(fieldsV1, "")) byPath.set(path, [...(byPath.get(path) ?? []), owner]);
  }
  return [...byPath].map(([path, owners]) => ({ path, owners })).sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Paths of members that have no more members; "." says that a member is owned itself, which its own members say as well. */
function leavesOf(fields: FieldsV1, path: string): string[] {
  const members = Object.entries(fields).filter(([member]) => member !== ".");
  if (members.length === 0) return path === "" ? [] : [path];
  return members.flatMap(([member, inside]) => leavesOf(inside, path + stepOf(member)));
}

/** f:NAME is a field, k:KEYS an item of a list by its keys, v:VALUE of a set, i:NUMBER by its position. */
function stepOf(member: string): string {
  const [type, text] = [member.slice(0, 2), member.slice(2)];
  if (type === "f:") return /^[\w-]+$/.test(text) ? `.${text}` : `[${text}]`;
  if (type === "k:") return `[${keysText(text)}]`;
  return `[${text}]`;
}

function keysText(text: string): string {
  try {
    const keys = Object.entries(JSON.parse(text) as Record<string, unknown>);
    return keys
      .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
      .join(",");
  } catch {
    return text; // not as it should be, but told as it is
  }
}
