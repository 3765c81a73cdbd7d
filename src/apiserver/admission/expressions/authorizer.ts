// The authorizer library of CEL expressions: authorization checks such as
// authorizer.group("apps").resource("deployments").namespace("a").check("create").allowed().

import { struct } from "../../../apimachinery/cel/language/types.ts";
import { declareWith, type FunctionDecl } from "../../../apimachinery/cel/library/declare.ts";
import {
  CelError,
  LibraryType,
  type LibraryValue,
  type Value,
} from "../../../apimachinery/cel/values/value.ts";
import { isDns1123Label, isDns1123Subdomain } from "../../../apimachinery/meta/names.ts";
import type { Authorizer, Decision, UserInfo } from "../../registry/definition/request-context.ts";

/** Values of this type are never equal. */
const authorization = <T>(name: string): LibraryType<T> =>
  new LibraryType<T>(struct(`kubernetes.authorization.${name}`), () => false);

/** The authorizer, and the user whose permissions are checked. */
export interface Asking {
  readonly authorizer: Authorizer;
  readonly user: UserInfo;
}

export interface AskedResource {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

interface Path {
  readonly by: Asking;
  readonly path: string;
}

interface Group {
  readonly by: Asking;
  readonly group: string;
}

interface Resource {
  readonly by: Asking;
  readonly asked: AskedResource;
}

export const AUTHORIZER = authorization<Asking>("Authorizer");
export const RESOURCE_CHECK = authorization<Resource>("ResourceCheck");
const PATH_CHECK = authorization<Path>("PathCheck");
const GROUP_CHECK = authorization<Group>("GroupCheck");
const DECISION = authorization<Decision>("Decision");

const declare = declareWith({
  Authorizer: AUTHORIZER.type,
  PathCheck: PATH_CHECK.type,
  GroupCheck: GROUP_CHECK.type,
  ResourceCheck: RESOURCE_CHECK.type,
  Decision: DECISION.type,
});

function notBlank(text: string, what: string): string {
  if (text.trim() === "") throw new CelError(`${what} must not be empty`);
  return text;
}

function asServiceAccount({ content }: LibraryValue<Asking>, namespace: string, name: string): Value {
  if (isDns1123Subdomain(name).length > 0) throw new CelError(`Invalid service account name`);
  if (isDns1123Label(namespace).length > 0) throw new CelError(`Invalid service account namespace`);
  const groups = ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"];
  const user = { name: `system:serviceaccount:${namespace}:${name}`, groups };
  return AUTHORIZER.of({ authorizer: content.authorizer, user });
}

function checkPath({ content: { by, path } }: LibraryValue<Path>, verb: string): Value {
  return DECISION.of(by.authorizer.authorize({ type: "path", user: by.user, verb, path }));
}

function checkResource({ content: { by, asked } }: LibraryValue<Resource>, verb: string): Value {
  const { authorizer, user } = by;
  return DECISION.of(authorizer.authorize({ type: "resource", user, verb, version: "*", ...asked }));
}

const narrow = (member: keyof AskedResource): FunctionDecl =>
  declare(
    `ResourceCheck.${member}(string) -> ResourceCheck`,
    ({ content: { by, asked } }: LibraryValue<Resource>, text: string) =>
      RESOURCE_CHECK.of({ by, asked: { ...asked, [member]: text } }),
  );

/** Selectors restrict a check only if the authorizer evaluates them, which no authorizer here does. */
const selector = (name: string): FunctionDecl =>
  declare(`ResourceCheck.${name}(string) -> ResourceCheck`, (check: LibraryValue<Resource>) => check);

const about = (signature: string, read: (decision: Decision) => Value): FunctionDecl =>
  declare(signature, ({ content }: LibraryValue<Decision>) => read(content));

/** The fixed cost of an authorization check, which may call a remote authorizer. */
const ASKING = { cost: () => 350_000 };

export const authorizerFunctions = (): FunctionDecl[] => [
  declare("Authorizer.path(string) -> PathCheck", ({ content }: LibraryValue<Asking>, path: string) =>
    PATH_CHECK.of({ by: content, path: notBlank(path, "path") }),
  ),
  declare("Authorizer.group(string) -> GroupCheck", ({ content }: LibraryValue<Asking>, group: string) =>
    GROUP_CHECK.of({ by: content, group }),
  ),
  declare("Authorizer.serviceAccount(string, string) -> Authorizer", asServiceAccount),
  declare(
    "GroupCheck.resource(string) -> ResourceCheck",
    ({ content: { by, group } }: LibraryValue<Group>, text: string) => {
      const resource = notBlank(text, "resource");
      return RESOURCE_CHECK.of({ by, asked: { group, resource, subresource: "", namespace: "", name: "" } });
    },
  ),
  narrow("subresource"),
  narrow("namespace"),
  narrow("name"),
  selector("fieldSelector"),
  selector("labelSelector"),
  declare("PathCheck.check(string) -> Decision", checkPath, ASKING),
  declare("ResourceCheck.check(string) -> Decision", checkResource),
  about("Decision.allowed() -> bool", ({ allowed }) => allowed),
  about("Decision.reason() -> string", ({ reason }) => reason),
  about("Decision.errored() -> bool", () => false),
  about("Decision.error() -> string", () => ""),
];
