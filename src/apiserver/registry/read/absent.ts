// Error for a key without a readable object: 404, or a kube-apiserver's error where the stored value cannot be decoded.
import { notFound, plainError, type StatusError } from "../../../apimachinery/meta/status.ts";
import type { Store } from "../../../storage/store.ts";
import type { ObjectAddress } from "../definition/resource-definition.ts";
import { objectKey } from "../definition/view.ts";

export const absent = (store: Pick<Store, "unreadable">, address: ObjectAddress): StatusError =>
  unreadableError(store, address) ?? notFound(address.view.definition, address.name);

/** 500 for a key whose stored value cannot be decoded; undefined: there is no such value. */
export function unreadableError(
  { unreadable }: Pick<Store, "unreadable">,
  { view, namespace, name }: ObjectAddress,
): StatusError | undefined {
  if (unreadable.size === 0) return undefined;
  const found = unreadable.get(objectKey(view.definition, namespace, name));
  return found && plainError(found.reason);
}
