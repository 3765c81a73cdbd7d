// Which Node the package runs on. The build sets the check before all other code of each shipped module, in words that old
// Nodes understand as well: they would start, and then miss functions in the midst of a request.

/** What is wrong with a Node of this version, in one line; undefined for one that is no older than the floor ("20.19"). */
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
