// The error for a key that shows no object: a 404, or what a kube-apiserver answers where the stored value cannot be decoded.
import { notFound, plainError, type StatusError } from "../../meta/status.ts";
import type { Store } from "../../storage/store.ts";
import type { ObjectAddress } from "../definition/resource-definition.ts";
import { objectKey } from "../definition/view.ts";

export const absent = (store: Pick<Store, "unreadable">, address: ObjectAddress): StatusError =>
  unreadableError(store, address) ?? notFound(address.view.definition, address.name);

/** 500 for a key whose value is held and cannot be read; undefined: it is no such key. */
export function unreadableError(
  { unreadable }: Pick<Store, "unreadable">,
  { view, namespace, name }: ObjectAddress,
): StatusError | undefined {
  if (unreadable.size === 0) return undefined;
  const found = unreadable.get(objectKey(view.definition, namespace, name));
  return found && plainError(found.reason);
}
