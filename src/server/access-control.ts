// Who may come in, as the options say it: puts authentication and authorisation together, and gives a cluster with RBAC
// the roles that it starts with.
import { alwaysAllow } from "../apiserver/authorization/access-check.ts";
import {
  bootstrapClusterRoleBindings,
  bootstrapClusterRoles,
  reconcilePolicyObject,
} from "../apiserver/authorization/rbac/bootstrap-roles.ts";
import { createEscalationCheck } from "../apiserver/authorization/rbac/escalation.ts";
import { followPolicy } from "../apiserver/authorization/rbac/policy.ts";
import { createRbacAuthorizer } from "../apiserver/authorization/rbac/rbac-authorizer.ts";
import { isPrivileged, RBAC_GROUP } from "../apiserver/authorization/subjects.ts";
import type { AccessControl } from "../apiserver/exchange.ts";
import type { Client, ResourceName } from "../client/client.ts";
import {
  type AccountTokens,
  type CoreLookup,
  createAccountTokens,
} from "../http/authentication/account-tokens.ts";
import {
  ADMINISTRATOR,
  type Authentication,
  type Authenticator,
  openAuthentication,
  tokenAuthentication,
} from "../http/authentication/authenticator.ts";
import { openSigningKey } from "../http/authentication/signing-key.ts";
import { readTokenFile, type TokenTable } from "../http/authentication/token-file.ts";
import type { KubeObject } from "../meta/object-meta.ts";
import { StatusError } from "../meta/status.ts";
import type { AdmissionPlugin } from "../registry/admission.ts";
import { decodeInVersion } from "../registry/codec/versions.ts";
import { API_AUDIENCE } from "../registry/definition/access.ts";
import { objectKey } from "../registry/definition/view.ts";
import type { RegistryDeps } from "../registry/registry-deps.ts";
import type { AuthorizationMode } from "./options/option-table.ts";

/** By what people are known. */
export interface Credentials {
  readonly tokens: TokenTable;
  /** One of the tokens, of somebody who may do everything; undefined when there is none such. */
  readonly adminToken: string | undefined;
}

/** undefined: there are none, and nobody is asked who he is. Throws CredentialsError. */
export async function readCredentials(
  tokenAuthFile: string | undefined,
  selfMadeToken: string | undefined,
): Promise<Credentials | undefined> {
  if (tokenAuthFile === undefined && selfMadeToken === undefined) return undefined;
  const tokens = new Map(tokenAuthFile === undefined ? [] : await readTokenFile(tokenAuthFile));
  if (selfMadeToken !== undefined) tokens.set(selfMadeToken, ADMINISTRATOR);
  const [given] = [...tokens].find(([, user]) => isPrivileged(user)) ?? [];
  return { tokens, adminToken: selfMadeToken ?? given };
}

export interface AccessOptions {
  readonly credentials: Credentials | undefined;
  readonly mode: AuthorizationMode;
  /** Where the key of ServiceAccounts' tokens is kept; undefined: it lasts as long as the process. */
  readonly keyFolder: string | undefined;
  /** What a key is made of when runs are to repeat; left out, undefined, and with credentials: of chance. */
  readonly keyBytes?: () => Uint8Array | undefined;
  readonly now: () => number;
  /** Told in a sentence of what the person who runs the server should know. */
  readonly warn: (text: string) => void;
}

export interface Access {
  readonly authenticate: Authenticator;
  readonly control: AccessControl;
  readonly admission: readonly AdmissionPlugin[];
  /** Makes what has to be in the store before the first request. */
  bootstrap(client: Client): Promise<void>;
  stop(): void;
}

/** Authentication and authorization as --authorization and --token-auth-file ask for them. */
export function openAccess(
  options: AccessOptions,
  deps: Pick<RegistryDeps, "store" | "resources">,
  onError: (error: unknown) => void,
): Access {
  const { keyFolder, credentials, now } = options;
  // A seed is no secret: where people are asked who they are, nobody must be able to make a token with what he knows of it.
  const key = openSigningKey(keyFolder, credentials === undefined ? options.keyBytes : undefined);
  const accounts = createAccountTokens({ key, find: coreLookup(deps), now, issuer: API_AUDIENCE });
  const { authenticate, reviewToken } = authenticationOf(options, accounts);
  const tokens = { reviewToken, issueToken: accounts.issue };
  if (options.mode === "AlwaysAllow") {
    const nothing = { admission: [], bootstrap: async () => {}, stop: () => {} };
    return { authenticate, control: { authorizer: alwaysAllow, ...tokens }, ...nothing };
  }
  const { policy, stop } = followPolicy(deps, onError);
  const authorizer = createRbacAuthorizer(policy);
  const admission = [createEscalationCheck(policy, authorizer)];
  return { authenticate, control: { authorizer, ...tokens }, admission, bootstrap: bootstrapPolicy, stop };
}

function authenticationOf(
  { credentials, mode, warn }: AccessOptions,
  accounts: AccountTokens,
): Authentication {
  if (credentials === undefined) return openAuthentication(accounts, warn);
  const { tokens } = credentials;
  // Where everybody may do everything, those who show nothing do not come in at all, as in a real server.
  return tokenAuthentication({ tokens, accounts, anonymous: mode === "RBAC", audience: API_AUDIENCE });
}

function coreLookup({ store, resources }: Pick<RegistryDeps, "store" | "resources">): CoreLookup {
  return (resource, namespace, name) => {
    const view = resources.find("", "v1", resource);
    const kv = view && store.get(objectKey(view.definition, namespace, name));
    return view && kv && decodeInVersion(view, kv);
  };
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
    const mended = reconcilePolicyObject(stored, wanted);
    if (mended) await client.update(resource, mended);
  }
}
