// Who may come in, as the options say it: puts authentication and authorisation together, and gives a cluster with RBAC
// the roles that it starts with.
import { alwaysAllow } from "./apiserver/authorization/always-allow.ts";
import {
  bootstrapClusterRoleBindings,
  bootstrapClusterRoles,
} from "./apiserver/authorization/rbac/bootstrap-roles.ts";
import { createEscalationCheck } from "./apiserver/authorization/rbac/escalation.ts";
import { followPolicy, RBAC_GROUP } from "./apiserver/authorization/rbac/follow-policy.ts";
import { mendPolicyObject } from "./apiserver/authorization/rbac/mend-policy.ts";
import { createRbacAuthorizer } from "./apiserver/authorization/rbac/rbac-authorizer.ts";
import { isPrivileged } from "./apiserver/authorization/subjects.ts";
import type { Client, ResourceName } from "./client/client.ts";
import {
  ADMINISTRATOR,
  type Authentication,
  noAuthentication,
  tokenAuthentication,
} from "./http/authentication/authenticator.ts";
import { readTokenFile, type TokenTable } from "./http/authentication/token-file.ts";
import type { KubeObject } from "./meta/object-meta.ts";
import { StatusError } from "./meta/status.ts";
import type { AuthorizationMode } from "./options.ts";
import type { Authorizer } from "./registry/access/access.ts";
import type { AdmissionPlugin } from "./registry/admission/admission.ts";
import type { RegistryDeps } from "./registry/write/commit.ts";

/** By what people are known. */
export interface Credentials {
  readonly tokens: TokenTable;
  /** One of the tokens, of somebody who may do everything; undefined when there is none such. */
  readonly adminToken: string | undefined;
}

/** undefined: there are none, and nobody is asked who he is. Throws TokenFileError. */
export async function readCredentials(
  tokenAuthFile: string,
  selfMadeToken: string | undefined,
): Promise<Credentials | undefined> {
  if (tokenAuthFile === "" && selfMadeToken === undefined) return undefined;
  const tokens = new Map(tokenAuthFile === "" ? [] : await readTokenFile(tokenAuthFile));
  if (selfMadeToken !== undefined) tokens.set(selfMadeToken, ADMINISTRATOR);
  const [given] = [...tokens].find(([, user]) => isPrivileged(user)) ?? [];
  return { tokens, adminToken: selfMadeToken ?? given };
}

export interface AccessOptions {
  readonly credentials: Credentials | undefined;
  readonly mode: AuthorizationMode;
}

export interface Access {
  readonly authentication: Authentication;
  readonly authorizer: Authorizer;
  readonly admission: readonly AdmissionPlugin[];
  /** Makes what has to be in the store before the first request. */
  bootstrap(client: Client): Promise<void>;
  stop(): void;
}

export function openAccess(
  { credentials, mode }: AccessOptions,
  deps: Pick<RegistryDeps, "store" | "resources">,
  onError: (error: unknown) => void,
): Access {
  // Where everybody may do everything, those who show nothing do not come in at all, as in a real server.
  const authentication = credentials
    ? tokenAuthentication(credentials.tokens, mode === "RBAC")
    : noAuthentication;
  if (mode === "AlwaysAllow") {
    const nothing = { bootstrap: async () => {}, stop: () => {} };
    return { authentication, authorizer: alwaysAllow, admission: [], ...nothing };
  }
  const { policy, stop } = followPolicy(deps, onError);
  const authorizer = createRbacAuthorizer(policy);
  const admission = [createEscalationCheck(policy, authorizer)];
  return { authentication, authorizer, admission, bootstrap: bootstrapPolicy, stop };
}

async function bootstrapPolicy(client: Client): Promise<void> {
  const named = (resource: string): ResourceName => ({ group: RBAC_GROUP, version: "v1", resource });
  await Promise.all([
    ...bootstrapClusterRoles().map((role) => ensure(client, named("clusterroles"), role)),
    ...bootstrapClusterRoleBindings().map((binding) => ensure(client, named("clusterrolebindings"), binding)),
  ]);
}

async function ensure(client: Client, resource: ResourceName, wanted: KubeObject): Promise<void> {
  try {
    await client.create(resource, wanted);
  } catch (error) {
    if (!(error instanceof StatusError) || error.reason !== "AlreadyExists") throw error;
    const stored = await client.get(resource, { namespace: "", name: wanted.metadata.name ?? "" });
    const mended = mendPolicyObject(stored, wanted);
    if (mended) await client.update(resource, mended);
  }
}
