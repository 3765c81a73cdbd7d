// What keeps a text from being a path of some sort: in a URL, of a machine, or below a folder.

export const isAbsolutePath = (path: string): string[] =>
  path.startsWith("/") ? [] : ["must be an absolute path"];

/** A path that means what it says, whoever reads it. */
export const isCleanPath = (path: string): string[] => [
  ...isAbsolutePath(path),
  ...BAD_SEQUENCES.filter((text) => path.includes(text)).map((text) => `must not contain '${text}'`),
  ...BAD_ENDINGS.filter((text) => path.endsWith(text)).map((text) => `cannot end with '${text}'`),
];

const BAD_SEQUENCES = ["//", "/./", "/../", "%2f", "%2F"];
const BAD_ENDINGS = ["/..", "/."];

export const hasNoBacksteps = (path: string): string[] =>
  path.split("/").includes("..") ? ["must not contain '..'"] : [];

/** A path below something, which must not lead out of it. */
export const isDescendingPath = (path: string): string[] => [
  ...(path.startsWith("/") ? ["must be a relative path"] : []),
  ...hasNoBacksteps(path),
];

/** The same of the path of a file, which also may not begin like one. */
export const isLocalPath = (path: string): string[] => [
  ...isDescendingPath(path),
  ...(path.startsWith("..") && !path.startsWith("../") ? ["must not start with '..'"] : []),
];
