// Assembles authentication, authorization and admission from the options, and the RBAC bootstrap policy.

import { join } from "node:path";
import { type Clock, systemClock } from "../apimachinery/meta/clock.ts";
import type { KubeObject } from "../apimachinery/meta/object-meta.ts";
import { createDynamicAdmission, type FollowedAdmission } from "../apiserver/admission/dynamic-admission.ts";
import type { AdmissionDeps } from "../apiserver/admission/request.ts";
import { createAccountTokens } from "../apiserver/authentication/account-tokens.ts";
import {
  ADMINISTRATOR,
  openAuthentication,
  tokenAuthentication,
} from "../apiserver/authentication/authenticator.ts";
import { ClientCertificates } from "../apiserver/authentication/client-certificate.ts";
import { readKeyFiles, readSigningKeyFile } from "../apiserver/authentication/key-files.ts";
import { createRequestHeaderAuthenticator } from "../apiserver/authentication/request-header.ts";
import type { CoreLookup } from "../apiserver/authentication/secret-tokens.ts";
import { sessionFileAt } from "../apiserver/authentication/session-file.ts";
import { Sessions } from "../apiserver/authentication/sessions.ts";
import { openSigningKey } from "../apiserver/authentication/signing-key.ts";
import { readTokenFile, type TokenTable } from "../apiserver/authentication/token-file.ts";
import {
  alwaysAllow,
  authorize,
  FULL_AUTHORITY,
  isPrivileged,
} from "../apiserver/authorization/access-check.ts";
import { alwaysDeny, createAuthorizerUnion } from "../apiserver/authorization/authorizer-union.ts";
import { followPolicy, type Policy } from "../apiserver/authorization/rbac/policy.ts";
import { uncoveredRules } from "../apiserver/authorization/rbac/policy-rule.ts";
import {
  createEscalationCheck,
  createRbacAuthorizer,
} from "../apiserver/authorization/rbac/rbac-authorizer.ts";
import type { Log } from "../apiserver/http/log.ts";
import type { AdmissionPlugin } from "../apiserver/registry/admission.ts";
import { decodeInVersion } from "../apiserver/registry/codec/versions.ts";
import { type Authorizer, DEFAULT_ISSUER } from "../apiserver/registry/definition/request-context.ts";
import { objectKey } from "../apiserver/registry/definition/view.ts";
import type { RegistryDeps } from "../apiserver/registry/resource-registry.ts";
import type { Client } from "../controller/client.ts";
import { createUserClients, type InProcessClientDeps } from "../controller/in-process-client.ts";
import type { CallerOf } from "../features/control-surface/caller.ts";
import type { AskingDeps } from "../kube/admission/about.ts";
import {
  complaintsOfChoice,
  createPlugins,
  type PluginChoice,
  SECURE_PLUGINS,
} from "../kube/admission/plugin-list.ts";
import type { ClientAuthorities } from "./authentication-info.ts";
import { ensurePolicy } from "./bootstrap-policy.ts";
import { UsageError } from "./errors.ts";
import { keyFolderOf } from "./listen.ts";
import { modesOf, type ServerOptions } from "./options/options.ts";

/** The static tokens of the server. */
export interface Credentials {
  readonly tokens: TokenTable;
  /** A token of a user in system:masters; undefined without one. */
  readonly adminToken: string | undefined;
}

/** undefined: no tokens are configured, and requests are not authenticated. Throws CredentialsError. */
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
  readonly options: ServerOptions;
  readonly credentials: Credentials | undefined;
  /** Present with --secure. */
  readonly tls?: ClientAuthorities | undefined;
  /** Key material for deterministic runs; undefined: the key is random. Ignored with configured credentials. */
  readonly keyBytes: () => Uint8Array | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

export interface AccessListeners {
  readonly onError: (error: unknown) => void;
  /** Called with the Secret of each valid token that is stored in a Secret. */
  readonly onSecretToken: (secret: Readonly<KubeObject>) => void;
}

export type Access = ReturnType<typeof openAccess>;

/** Authentication and authorization as configured by --authorization-mode and --token-auth-file. */
export function openAccess(
  { options, credentials, tls, keyBytes, clock, log }: AccessOptions,
  deps: Pick<RegistryDeps, "store" | "resources">,
  { onError, onSecretToken }: AccessListeners,
) {
  // A seed is not secret. With authentication, a key derived from the seed would allow token forgery.
  const { serviceAccountSigningKeyFile: keyFile, serviceAccountKeyFile: otherFiles } = options;
  const given = keyFile === undefined ? undefined : readSigningKeyFile(keyFile);
  const otherKeys = otherFiles.length === 0 ? [] : readKeyFiles(otherFiles);
  const own = openSigningKey(keyFolderOf(options), credentials === undefined ? keyBytes : undefined);
  const key = given === undefined ? own : () => given;
  const now = () => clock.now();
  const [url = DEFAULT_ISSUER, ...otherIssuers] = options.serviceAccountIssuer;
  const audiences = [url, ...otherIssuers] as const;
  const find = coreLookup(deps);
  const accounts = createAccountTokens({ key, otherKeys, find, now, issuers: audiences, onSecretToken });
  const modes = modesOf(options);
  // With AlwaysAllow, anonymous requests are rejected, as by a kube-apiserver.
  const asked = { accounts, anonymous: options.anonymousAuth && !modes.includes("AlwaysAllow"), audiences };
  const { authenticate, reviewToken } = credentials
    ? tokenAuthentication({
        ...asked,
        ...credentials,
        tokensFirst: options.clientCaFile === undefined,
        certificates: tls && new ClientCertificates(tls.clientCa),
        requestHeader: tls?.requestHeader && createRequestHeaderAuthenticator(tls.requestHeader),
      })
    : openAuthentication(accounts, (text) => log.warn({}, text));
  const tokens = { reviewToken, tokenIssuer: { audiences, issue: accounts.issue } };
  const issuer = { url, publicKeys: accounts.publicJwks };
  const of = { authenticate, issuer, signSecretToken: accounts.issueForSecret };
  if (modes.includes("Node")) log.warn({}, "the authorizer Node of --authorization-mode grants nothing yet");
  const rbac = modes.includes("RBAC") ? followPolicy(deps, onError) : undefined;
  const authorizer = authorizerOf(modes, rbac?.policy);
  if (rbac === undefined) {
    const nothing = { admission: [], bootstrap: async () => {}, stop: () => {} };
    return { ...of, control: { authorizer, ...tokens }, ...nothing };
  }
  const admission = [createEscalationCheck(rbac.policy, authorizer)];
  const bootstrap = (client: Client) => ensurePolicy(client, onError);
  return { ...of, control: { authorizer, ...tokens }, admission, bootstrap, stop: rbac.stop };
}

/** `policy` is the policy of RBAC, if that is one of the modes. */
function authorizerOf(modes: readonly string[], policy: Policy | undefined): Authorizer {
  const authorizers = modes.flatMap((mode) => {
    if (mode === "AlwaysAllow") return alwaysAllow;
    if (mode === "AlwaysDeny") return alwaysDeny;
    return policy === undefined || mode !== "RBAC" ? [] : createRbacAuthorizer(policy);
  });
  const [first, second] = authorizers;
  const isAlone = second === undefined && modes.length === 1 && modes[0] !== "AlwaysDeny";
  return isAlone && first !== undefined ? first : createAuthorizerUnion(authorizers);
}

/** Session cookies of the web UI. `url` returns the server's URL once it listens. undefined with --no-ui. */
export function openSessions(
  options: ServerOptions,
  { authenticate }: Pick<Access, "authenticate">,
  url: () => string,
): Sessions | undefined {
  if (options.noUi) return undefined;
  const port = () => Number(new URL(url()).port);
  const folder = keyFolderOf(options);
  const file = folder === undefined ? undefined : sessionFileAt(join(folder, "page-sessions.json"));
  return new Sessions({ authenticate, encrypted: options.secure, port, clock: systemClock, file });
}

function coreLookup({ store, resources }: Pick<RegistryDeps, "store" | "resources">): CoreLookup {
  return (resource, namespace, name) => {
    const view = resources.find("", "v1", resource);
    const kv = view && store.get(objectKey(view.definition, namespace, name));
    return view && kv && decodeInVersion(view, kv);
  };
}

/** Throws UsageError with the messages of a kube-apiserver. */
function choiceOfPlugins(options: ServerOptions): PluginChoice {
  const { enableAdmissionPlugins: enable, disableAdmissionPlugins: disable } = options;
  const complaints = complaintsOfChoice({ enable, disable });
  if (complaints.length > 0) throw new UsageError(complaints.join(", "));
  return { enable: options.secure ? [...enable, ...SECURE_PLUGINS] : enable, disable };
}

/**
 * The admission chain of every write: the enabled plugins, and the policies and webhooks in the store. Throws
 * UsageError.
 */
export function openAdmission(
  options: ServerOptions,
  access: Pick<Access, "admission" | "control">,
  deps: Omit<AdmissionDeps, "authorizer"> & Pick<AskingDeps, "createNamespace">,
): { readonly admission: readonly AdmissionPlugin[]; readonly dynamicAdmission: FollowedAdmission } {
  const choice = choiceOfPlugins(options);
  const { authorizer } = access.control;
  const { defaultNotReadyTolerationSeconds, defaultUnreachableTolerationSeconds } = options;
  const tolerationSeconds = {
    notReady: defaultNotReadyTolerationSeconds,
    unreachable: defaultUnreachableTolerationSeconds,
  };
  return {
    admission: [...createPlugins({ ...deps, authorizer, tolerationSeconds }, choice), ...access.admission],
    dynamicAdmission: createDynamicAdmission({ ...deps, authorizer, off: choice.disable }),
  };
}

/** The permissions of a request's user, and clients that act with them. Denied requests throw 403. */
export function createCallers(authorizer: Authorizer, clients: InProcessClientDeps): CallerOf {
  return (user) => {
    const demand = (attributes: Parameters<Authorizer["authorize"]>[0]) => authorize(authorizer, attributes);
    return {
      user,
      may: (attributes) => authorizer.authorize(attributes).allowed,
      demand,
      mayDoEverything: () =>
        isPrivileged(user) ||
        uncoveredRules(authorizer.rulesFor(user, "").rules, FULL_AUTHORITY).length === 0,
      clientFor: createUserClients(clients, { user, demand }),
    };
  };
}
