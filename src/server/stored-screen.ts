// Filters values of a store that can be served: objects whose kind and name match their keys. Other values of the
// store (allocations, bookkeeping) pass.
import { StoredKinds } from "../apiserver/layout/stored-kinds.ts";
import { contentComplaint, frameComplaint } from "../apiserver/registry/codec/stored-form.ts";
import { collectionEnd } from "../apiserver/registry/definition/view.ts";
import { servicesIn } from "../kube/core/services.ts";
import { BUILT_IN_RESOURCES } from "../kube/index.ts";
import type { Screen } from "../storage/unreadable.ts";
import { type ServerOptions, serviceNetworkOf } from "./options/options.ts";

const ROOT = "/registry/";

/** Built at the first value: an empty store does not need it. */
export function storedScreen(options: ServerOptions): Screen {
  let kinds: StoredKinds | undefined;
  return (kv, isDeep) => {
    const { key } = kv;
    if (collectionEnd(key) === 0) return undefined;
    kinds ??= new StoredKinds([...BUILT_IN_RESOURCES, servicesIn(serviceNetworkOf(options))]);
    const builtIn = kinds.at(key);
    const group = key.slice(ROOT.length, key.indexOf("/", ROOT.length));
    if (builtIn === undefined && !group.includes(".")) return undefined;
    const complaint = frameComplaint(kv);
    if (complaint !== undefined || !isDeep) return complaint;
    return contentComplaint(kv, builtIn?.facts ?? { group });
  };
}
