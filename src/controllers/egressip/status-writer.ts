// Writes status.items, and with it the mark when the object has none: one JSON patch of the main resource, since the
// status of an EgressIP is no subresource.

import type { Client } from "../../client/client.ts";
import { equalJson } from "../../meta/json.ts";
import { ignoring, ovn } from "../kit/api.ts";
import { type EgressIp, MARK_ANNOTATION, type StatusItem } from "./egress-ip.ts";

export const EGRESS_IPS = ovn("egressips");

export interface StatusChange {
  readonly items: readonly StatusItem[];
  /** Set only where the object has no mark. */
  readonly mark: string | undefined;
}

/** True if the object already says so. */
export const isWritten = (egressIp: EgressIp, { items, mark }: StatusChange): boolean =>
  mark === undefined && equalJson(egressIp.items, items);

/** Writes unless the object is gone by now. */
export async function writeStatus(client: Client, egressIp: EgressIp, change: StatusChange): Promise<void> {
  const key = { namespace: "", name: egressIp.name };
  const options = { type: "json", body: statusPatch(egressIp, change) } as const;
  await ignoring([404], client.patch(EGRESS_IPS, key, options));
}

interface PatchOperation {
  readonly op: "add" | "replace" | "test";
  readonly path: string;
  readonly value: unknown;
}

/** The first operation keeps the patch off another object of the same name. */
function statusPatch({ uid }: EgressIp, { items, mark }: StatusChange): PatchOperation[] {
  const patch: PatchOperation[] = [{ op: "test", path: "/metadata/uid", value: uid }];
  if (mark !== undefined) {
    // As upstream does it, the map is replaced as a whole: other annotations are lost with the first mark.
    patch.push({ op: "add", path: "/metadata/annotations", value: { [MARK_ANNOTATION]: mark } });
  }
  patch.push({ op: "replace", path: "/status", value: { items } });
  return patch;
}
