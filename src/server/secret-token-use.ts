// Labels a Secret with the day of the last use of its token, as a kube-apiserver does (KEP-2799).

import { type Clock, dayOf } from "../apimachinery/meta/clock.ts";
import type { KubeObject } from "../apimachinery/meta/object-meta.ts";
import { StatusError } from "../apimachinery/meta/status.ts";
import type { ClientFactory } from "../controller/client.ts";

const LAST_USED = "kubernetes.io/legacy-token-last-used";
const SECRETS = { group: "", version: "v1", resource: "secrets" };
const DAY_MS = 24 * 3600 * 1000;

interface Deps {
  readonly clientFor: ClientFactory;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/** Returns a function that writes at most once a day per Secret, without waiting for the write. */
export function noteSecretTokenUse({ clientFor, clock, onError }: Deps) {
  const writing = new Set<string>();
  return ({ metadata: { namespace = "", name = "", uid = "", labels } }: Readonly<KubeObject>): void => {
    const now = clock.now();
    const today = dayOf(now);
    // Another server's clock may be a day ahead.
    if ([today, dayOf(now + DAY_MS)].includes(labels?.[LAST_USED] ?? "") || writing.has(uid)) return;
    writing.add(uid);
    const body = { metadata: { uid, labels: { [LAST_USED]: today } } };
    clientFor("kube-apiserver")
      .patch(SECRETS, { namespace, name }, { type: "merge", body })
      .catch((error: unknown) => {
        const isGone = error instanceof StatusError && [404, 409].includes(error.code);
        if (!isGone) onError(error);
      })
      .finally(() => writing.delete(uid));
  };
}
