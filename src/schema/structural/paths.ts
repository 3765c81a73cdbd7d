// Field paths inside of a schema: spec…openAPIV3Schema.properties[spec].items.

export const childPath = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);
export const propertyPath = (path: string, key: string): string => `${childPath(path, "properties")}[${key}]`;
export const branchPath = (path: string, keyword: string, index: number): string =>
  `${childPath(path, keyword)}[${index}]`;
