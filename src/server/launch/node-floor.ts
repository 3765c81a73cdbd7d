// The minimum version of Node. The build prepends the check to each shipped module, in syntax that old versions
// understand, too. Otherwise they would start and then fail on missing functions during a request.

/** A one-line error for this version of Node; undefined if it is not older than the minimum ("20.19"). */
export function nodeProblem(version: string, floor: string, path: string): string | undefined {
  const found = version.split(".").map(Number);
  const least = floor.split(".").map(Number);
  for (let n = 0; n < least.length; n++) {
    const difference = (found[n] || 0) - (least[n] || 0);
    if (difference > 0) return undefined;
    if (difference < 0) return `Node ${floor} or newer is needed, and ${path} is Node ${version}`;
  }
  return undefined;
}
