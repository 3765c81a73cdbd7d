// Owners that are named twice. A real server has dropped such entries since 1.20, and warns about them.
import { encodeJson } from "../../meta/json-encode.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { RequestContext } from "../definition/request-context.ts";

const SEEN = {
  request: "contains duplicate entries",
  admission: "contains duplicate entries after mutating admission happens",
};
const ADVICE =
  "API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests";

/** Of references that are wholly equal the first one stays. References to one uid that differ in anything else all stay. */
export function dropRepeatedOwners(
  { metadata }: KubeObject,
  context: RequestContext,
  seenIn: keyof typeof SEEN,
): void {
  const references = metadata.ownerReferences ?? [];
  if (references.length < 2) return;
  const seen = new Set<string>();
  const repeated: string[] = [];
  const kept = references.filter((reference) => {
    const text = encodeJson(reference);
    if (seen.has(text)) repeated.push(reference.uid);
    return seen.size < seen.add(text).size;
  });
  if (repeated.length === 0) return;
  metadata.ownerReferences = kept;
  const uids = repeated.join(", ");
  context.warn(`.metadata.ownerReferences ${SEEN[seenIn]}; ${ADVICE}; duplicate UID(s) observed: ${uids}`);
}
