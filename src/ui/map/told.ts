// Counts in the column headings. Kinds that the user may not list are marked instead of counted.
import type { Refusal } from "../data/feed.ts";
import type { Kind } from "../data/records.ts";
import type { Passing } from "./filter.ts";

const FORBIDDEN = 403;

/** "3 pods", or "pods not allowed". */
function counted(count: number, one: string, kind: Kind, refused: readonly Refusal[]): string {
  const refusal = refused.find((one) => one.kind === kind);
  if (refusal) return `${one}s ${refusal.code === FORBIDDEN ? "not allowed" : "not known"}`;
  return `${count.toLocaleString()} ${one}${count === 1 ? "" : "s"}`;
}

export function whoTold({ namespaces }: Passing, refused: readonly Refusal[]): string {
  const pods = namespaces.reduce((sum, { pods }) => sum + pods, 0);
  return `${counted(namespaces.length, "namespace", "namespaces", refused)}, ${counted(pods, "pod", "pods", refused)}`;
}

/** EgressServices are mentioned if there are any, or if they cannot be listed. */
export function leavesTold({ targets }: Passing, refused: readonly Refusal[]): string {
  const services = targets.filter(({ kind }) => kind === "EgressService").length;
  const told = counted(targets.length - services, "EgressIP", "egressips", refused);
  const areUnknown = refused.some(({ kind }) => kind === "egressservices");
  if (services === 0 && !areUnknown) return told;
  return `${told}, ${counted(services, "EgressService", "egressservices", refused)}`;
}

export function fromTold({ nodes }: Passing, refused: readonly Refusal[]): string {
  const assignable = nodes.filter(({ isAssignable }) => isAssignable).length;
  if (refused.some(({ kind }) => kind === "nodes")) return counted(nodes.length, "node", "nodes", refused);
  return `${nodes.length.toLocaleString()}, ${assignable.toLocaleString()} assignable`;
}
