// The request context that verbs share. The handler chain creates it after resource lookup and content negotiation.
import type { Clock } from "../../apimachinery/meta/clock.ts";
import type { Ids } from "../../apimachinery/meta/ids.ts";
import { authorizeCreate } from "../authorization/access-check.ts";
import type { DecodedObject } from "../registry/codec/object-decoder.ts";
import {
  type Authorizer,
  isLargeBody,
  type RequestContext,
  type ResourceAttributes,
  type TokenIssuer,
  type TokenReviewer,
} from "../registry/definition/request-context.ts";
import type { ObjectAddress, ResourceView } from "../registry/definition/resource-definition.ts";
import type { ResourceStore } from "../registry/resource-store.ts";
import type { ApiRequest } from "./api-request.ts";
import { decodeObject, type KnowsType } from "./request/decode-body.ts";
import { bodyFormat, type Negotiated } from "./request/negotiation.ts";
import { namespaceIn, type ReadSettings, type WriteOptions } from "./request/options.ts";
import type { RequestInfo } from "./request/request-info.ts";
import type { Warnings } from "./response/warnings.ts";

/** The authorizer, and the dependencies of access reviews, token reviews and token requests. */
export interface AccessControl {
  readonly authorizer: Authorizer;
  readonly reviewToken: TokenReviewer;
  readonly tokenIssuer: TokenIssuer;
}

export interface RequestScope {
  readonly request: ApiRequest;
  readonly info: RequestInfo;
  readonly view: ResourceView;
  readonly negotiated: Negotiated;
  readonly resources: ResourceStore;
  readonly access: AccessControl;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly reading: ReadSettings;
  readonly warnings: Warnings;
}

/** The object that the URL names. */
export const addressOf = ({ view, info }: RequestScope): ObjectAddress => ({
  view,
  namespace: namespaceIn(view, info),
  name: info.name,
});

const MANAGER_BYTES_MAX = 128;

/** The decoded object in the body, of the view's kind; a promise for large bodies. Throws 400 and 415. */
export function readBody(
  { request, resources }: RequestScope,
  view: ResourceView,
): DecodedObject | Promise<DecodedObject> {
  const format = bodyFormat(request.headers["content-type"]);
  const asksFindings = request.query.get("fieldValidation") !== "Ignore";
  return decodeObject(view, request.body ?? new Uint8Array(), format, knownTypes(resources), asksFindings);
}

/** The request context for writes of the registry. */
export function writeContext(exchange: RequestScope, options: WriteOptions): RequestContext {
  const { request, access, clock, ids, warnings } = exchange;
  return {
    user: request.user,
    fieldManager: options.fieldManager || managerFromUserAgent(request.headers["user-agent"] ?? ""),
    dryRun: options.dryRun,
    fieldValidation: options.fieldValidation,
    isLarge: isLargeBody(request.body),
    given: {
      fieldManager: options.fieldManager,
      fieldValidation: request.query.get("fieldValidation"),
    },
    authorizeCreate: () => authorizeCreate(access.authorizer, writtenObject(exchange)),
    clock,
    ids,
    warn: (text) => warnings.add(text),
  };
}

function writtenObject({ request, info }: RequestScope): ResourceAttributes {
  const { user } = request;
  const { group, version, resource, subresource, namespace, name } = info;
  return { type: "resource", user, verb: "create", group, version, resource, subresource, namespace, name };
}

/** Without fieldManager the manager is the user agent up to its first slash, without unprintable characters. */
export function managerFromUserAgent(userAgent: string): string {
  const word = userAgent.split("/")[0] ?? "";
  const printable = word.replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, "");
  let out = "";
  for (const letter of printable) {
    if (Buffer.byteLength(out + letter) > MANAGER_BYTES_MAX) break;
    out += letter;
  }
  return out;
}

/** Kinds of options, status and events, which exist in every group version. */
const SHARED_KINDS = new Set(
  "CreateOptions DeleteOptions GetOptions List ListOptions PatchOptions Status UpdateOptions WatchEvent".split(
    " ",
  ),
);

/** Scale types of older groups are known, but not served. */
const SCALE_VERSIONS = new Set(["autoscaling/v1", "extensions/v1beta1", "apps/v1beta1", "apps/v1beta2"]);

/** The types that a body may name: built-in kinds, their lists, their Scales, and the shared kinds. */
function knownTypes({ registry }: ResourceStore): KnowsType {
  const isBuiltIn = (apiVersion: string, kind: string) =>
    registry.findByKind(apiVersion, kind)?.definition.custom === false;
  const isPosted = (apiVersion: string, kind: string) =>
    registry.definitions.some(({ subresources = [] }) =>
      subresources.some(
        ({ group, version, kind: posted, action }) =>
          posted === kind &&
          (`${group}/${version}` === apiVersion || action?.acceptsVersions?.includes(apiVersion) === true),
      ),
    );
  return ({ apiVersion, kind }) =>
    isBuiltIn(apiVersion, kind) ||
    isBuiltIn(apiVersion, kind.replace(/List$/, "")) ||
    SHARED_KINDS.has(kind) ||
    (kind === "Scale" && SCALE_VERSIONS.has(apiVersion)) ||
    isPosted(apiVersion, kind);
}
