// Parts of a configuration that would replace a whole: an atomic list or struct loses whatever is not named anew.
import { isObject } from "../../meta/json.ts";
import type { TypeNode } from "../../patch/apply/typed/type-node.ts";

/** The paths of all atomic lists, maps and structs in the value, as ".spec.template.spec.containers[0].args". */
export function findAtomics(type: TypeNode, value: unknown, path = ""): string[] {
  if (isObject(value) && type.map) {
    const { atomic, fields } = type.map;
    const below = Object.keys(value)
      .sort()
      .flatMap((key) => {
        const field = fields.get(key);
        return field ? findAtomics(field, value[key], `${path}.${key}`) : [];
      });
    return atomic ? [path, ...below] : below;
  }
  if (!Array.isArray(value) || !type.list) return [];
  const { kind, item } = type.list;
  const below = value.flatMap((each, index) => findAtomics(item, each, `${path}[${index}]`));
  return kind === "atomic" ? [path, ...below] : below;
}
