// Selects values of an answer: a.b.c selects members (~ replaces a dot in a name), [*] selects every item of a list,
// [name=value] selects the items whose member has that value.

type PathPart =
  | { readonly type: "member"; readonly name: string }
  | { readonly type: "items"; readonly where: { readonly name: string; readonly value: string } | undefined };

/** All values at the path, in the order of the answer; missing or mismatched members yield none. */
export function valuesAt(root: unknown, path: string): unknown[] {
  let values: unknown[] = [root];
  for (const part of parsePath(path)) {
    values =
      part.type === "member"
        ? values.map((value) => memberOf(value, part.name)).filter((value) => value !== undefined)
        : values.flatMap((value) => itemsOf(value, part.where));
  }
  return values;
}

export function pickPaths(root: unknown, paths: readonly string[]): Record<string, unknown[]> {
  return Object.fromEntries(paths.map((path) => [path, valuesAt(root, path)]));
}

function parsePath(path: string): PathPart[] {
  return (path.match(/\[[^\]]*\]|[^.[\]]+/g) ?? []).map((part): PathPart => {
    if (!part.startsWith("[")) return { type: "member", name: part.replaceAll("~", ".") };
    const inner = part.slice(1, -1);
    if (inner === "*") return { type: "items", where: undefined };
    const equals = inner.indexOf("=");
    if (equals < 0) throw new Error(`[${inner}] in ${path} is neither [*] nor [name=value]`);
    return { type: "items", where: { name: inner.slice(0, equals), value: inner.slice(equals + 1) } };
  });
}

function itemsOf(value: unknown, where: { name: string; value: string } | undefined): unknown[] {
  if (!Array.isArray(value)) return [];
  return where ? value.filter((item) => String(memberOf(item, where.name)) === where.value) : value;
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name]; // an own member was just found
}
