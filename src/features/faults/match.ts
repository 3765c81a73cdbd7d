// Matches requests against faults. Patterns are compiled once, when the fault is created.

import { isObject, objectAt, textAt } from "../../apimachinery/json/json.ts";
import { parseFieldSelector } from "../../apimachinery/meta/field-selector.ts";
import type { ApiRequest } from "../../apiserver/endpoints/api-request.ts";
import { decodeProtobuf } from "../../apiserver/endpoints/protobuf/codec.ts";
import { decodeText } from "../../apiserver/endpoints/request/decode-body.ts";
import { bodyFormat } from "../../apiserver/endpoints/request/negotiation.ts";
import type { Query, RequestInfo } from "../../apiserver/endpoints/request/request-info.ts";
import {
  type ActionName,
  type Fault,
  type FaultMatch,
  type FaultVerb,
  MATCH_FIELDS,
  type MatchField,
  type Patterns,
} from "./fault.ts";

/** The verbs that an action supports; absent: all. */
export const VERBS_OF: { readonly [Name in ActionName]?: readonly FaultVerb[] } = {
  watchEnd: ["watch"],
  bookmarks: ["watch"],
  duplicateEvents: ["watch"],
  lateEvents: ["watch"],
  staleRead: ["get", "list", "watch"],
  expireContinue: ["list"],
};
export const WRITES: readonly FaultVerb[] = ["create", "update", "patch", "delete", "deletecollection"];

export function verbsOf({ verb }: FaultMatch): readonly FaultVerb[] | undefined {
  if (verb === undefined) return undefined;
  return typeof verb === "string" ? [verb] : verb;
}

/** The attributes of a request that faults match. */
export interface Target
  extends Readonly<
    Pick<RequestInfo, "group" | "version" | "resource" | "subresource" | "namespace" | "name">
  > {
  /** For a non-resource request, the method in lower case. */
  readonly verb: string;
  readonly userAgent: string;
  readonly user: string;
  /** The path of a non-resource request; undefined otherwise. */
  readonly path: string | undefined;
  /** The request comes from an in-process controller. */
  readonly inProcess: boolean;
  readonly query: Query | undefined;
}

/** Default type of a protobuf body without type information: only the name is decoded. */
const UNNAMED_TYPE = { apiVersion: "", kind: "" };

type Test = (target: Target) => boolean;

/** Compiles the match rules of a fault. */
export function createMatcher(action: ActionName, fault: Fault): Test {
  const { match = {} } = fault;
  const verbs = verbsOf(match) ?? (fault.error?.when === "after" ? WRITES : VERBS_OF[action]);
  const tests = MATCH_FIELDS.flatMap((field) => fieldTest(field, match[field]));
  if (verbs) tests.unshift(({ verb }) => verbs.some((item) => item === verb));
  const forPaths = match.path !== undefined;
  const forInProcess = match.userAgent !== undefined;
  return (target) => {
    if ((target.path !== undefined) !== forPaths || (target.inProcess && !forInProcess)) return false;
    return tests.every((test) => test(target));
  };
}

function fieldTest(field: MatchField, patterns: Patterns | undefined): Test[] {
  if (patterns === undefined) return [];
  const fits = createPattern(patterns);
  return [(target) => fits(target[field] ?? "")];
}

/** Compiles patterns into a test for text. */
export function createPattern(patterns: Patterns): (text: string) => boolean {
  const list = typeof patterns === "string" ? [patterns] : patterns;
  const tests = list.map((pattern) => {
    if (!pattern.includes("*")) return (text: string) => text === pattern;
    const parts = pattern.split("*");
    return (text: string) => fitsParts(text, parts);
  });
  return (text) => tests.some((test) => test(text));
}

/**
 * Reports whether the text consists of the parts in order, with any text between them. The first part is a prefix, the
 * last one a suffix.
 */
function fitsParts(text: string, parts: readonly string[]): boolean {
  const first = parts[0] ?? "";
  const last = parts.at(-1) ?? "";
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length)
    return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= text.length - last.length;
}

/** The target of a request. Its name is resolved on first access. */
export function targetOf(request: ApiRequest): Target {
  const { info, user, impersonate, headers, query } = request;
  const { group, version, resource, subresource, namespace } = info;
  let name: string | undefined;
  return {
    verb: info.verb || request.method.toLowerCase(),
    ...{ group, version, resource, subresource, namespace },
    get name() {
      name ??= info.name || nameMeant(request);
      return name;
    },
    userAgent: headers["user-agent"] ?? "",
    user: impersonate?.name || user.name,
    path: info.isResourceRequest ? undefined : request.path,
    inProcess: false,
    query,
  };
}

/**
 * The name of an object that is not in the path: from the body of a create, or from the fieldSelector. An undecodable
 * body yields ""; the API rejects it later.
 */
function nameMeant({ info, query, headers, body }: ApiRequest): string {
  try {
    if (info.verb === "create") return nameInBody(headers["content-type"], body ?? new Uint8Array());
    const selector = query.get("fieldSelector");
    const named = parseFieldSelector(selector).find(({ field }) => field === "metadata.name");
    return named?.operator === "=" ? named.value : "";
  } catch {
    return "";
  }
}

function nameInBody(contentType: string | undefined, body: Uint8Array): string {
  const format = bodyFormat(contentType);
  const { value } = format === "protobuf" ? decodeProtobuf(body, UNNAMED_TYPE) : decodeText(body, format);
  return isObject(value) ? textAt(objectAt(value, "metadata"), "name") : "";
}
