// Validators of paths: of URLs, absolute file paths, and relative ones.

export const isAbsolutePath = (path: string): string[] =>
  path.startsWith("/") ? [] : ["must be an absolute path"];

/** A normalized path, so that all programs resolve it alike. */
export const isCleanPath = (path: string): string[] => [
  ...isAbsolutePath(path),
  ...BAD_SEQUENCES.filter((text) => path.includes(text)).map((text) => `must not contain '${text}'`),
  ...BAD_ENDINGS.filter((text) => path.endsWith(text)).map((text) => `cannot end with '${text}'`),
];

const BAD_SEQUENCES = ["//", "/./", "/../", "%2f", "%2F"];
const BAD_ENDINGS = ["/..", "/."];

export const hasNoBacksteps = (path: string): string[] =>
  path.split("/").includes("..") ? ["must not contain '..'"] : [];

/** A relative path that must not leave its base. */
export const isDescendingPath = (path: string): string[] => [
  ...(path.startsWith("/") ? ["must be a relative path"] : []),
  ...hasNoBacksteps(path),
];

/** The same for a file path, which also must not begin with "..". */
export const isLocalPath = (path: string): string[] => [
  ...isDescendingPath(path),
  ...(path.startsWith("..") && !path.startsWith("../") ? ["must not start with '..'"] : []),
];
