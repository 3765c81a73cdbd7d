// The authorizer of expressions: asks whether somebody may do something, as authorizer.group("apps")
// .resource("deployments").namespace("a").check("create").allowed().

import { type FunctionDecl, member } from "../../cel/language/overload.ts";
import { BOOL, type CelType, STRING, struct } from "../../cel/language/types.ts";
import { instanceAt, Opaque, textAt } from "../../cel/library/args.ts";
import { CelError } from "../../cel/values/cel-error.ts";
import type { Value } from "../../cel/values/value.ts";
import { isDns1123Label, isDns1123Subdomain } from "../../meta/names.ts";
import type { Authorizer, Decision } from "../../registry/definition/access.ts";
import type { UserInfo } from "../../registry/definition/request-context.ts";

const NAME = "kubernetes.authorization";
export const AUTHORIZER_TYPE: CelType = struct(`${NAME}.Authorizer`);
const PATH_CHECK = struct(`${NAME}.PathCheck`);
const GROUP_CHECK = struct(`${NAME}.GroupCheck`);
export const RESOURCE_CHECK_TYPE: CelType = struct(`${NAME}.ResourceCheck`);
const DECISION = struct(`${NAME}.Decision`);

/** Two of them are never equal: there is nothing to compare. */
abstract class Asking extends Opaque {
  equals(other: Opaque): boolean {
    return this === other;
  }
}

export class AuthorizerValue extends Asking {
  readonly celType = AUTHORIZER_TYPE;
  readonly authorizer: Authorizer;
  readonly user: UserInfo;
  constructor(authorizer: Authorizer, user: UserInfo) {
    super();
    this.authorizer = authorizer;
    this.user = user;
  }
}

class PathCheck extends Asking {
  readonly celType = PATH_CHECK;
  readonly by: AuthorizerValue;
  readonly path: string;
  constructor(by: AuthorizerValue, path: string) {
    super();
    this.by = by;
    this.path = path;
  }
}

class GroupCheck extends Asking {
  readonly celType = GROUP_CHECK;
  readonly by: AuthorizerValue;
  readonly group: string;
  constructor(by: AuthorizerValue, group: string) {
    super();
    this.by = by;
    this.group = group;
  }
}

export interface AskedResource {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

export class ResourceCheckValue extends Asking {
  readonly celType = RESOURCE_CHECK_TYPE;
  readonly by: AuthorizerValue;
  readonly asked: AskedResource;
  constructor(by: AuthorizerValue, asked: AskedResource) {
    super();
    this.by = by;
    this.asked = asked;
  }
  with(change: Partial<AskedResource>): ResourceCheckValue {
    return new ResourceCheckValue(this.by, { ...this.asked, ...change });
  }
}

class DecisionValue extends Asking {
  readonly celType = DECISION;
  readonly decision: Decision;
  constructor(decision: Decision) {
    super();
    this.decision = decision;
  }
}

type Args = readonly Value[];

function notBlank(text: string, what: string): string {
  if (text.trim() === "") throw new CelError(`${what} must not be empty`);
  return text;
}

function asServiceAccount(args: Args): Value {
  const { authorizer } = instanceAt(args, 0, AuthorizerValue);
  const namespace = textAt(args, 1);
  const name = textAt(args, 2);
  if (isDns1123Subdomain(name).length > 0) throw new CelError(`Invalid service account name`);
  if (isDns1123Label(namespace).length > 0) throw new CelError(`Invalid service account namespace`);
  const groups = ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"];
  return new AuthorizerValue(authorizer, { name: `system:serviceaccount:${namespace}:${name}`, groups });
}

function checkPath(args: Args): Value {
  const { by, path } = instanceAt(args, 0, PathCheck);
  return new DecisionValue(
    by.authorizer.authorize({ type: "path", user: by.user, verb: textAt(args, 1), path }),
  );
}

function checkResource(args: Args): Value {
  const { by, asked } = instanceAt(args, 0, ResourceCheckValue);
  const { user } = by;
  const verb = textAt(args, 1);
  return new DecisionValue(by.authorizer.authorize({ type: "resource", user, verb, version: "*", ...asked }));
}

const narrow = (id: string, member_: keyof AskedResource): FunctionDecl => ({
  name: member_,
  overloads: [
    member(id, [RESOURCE_CHECK_TYPE, STRING], RESOURCE_CHECK_TYPE, (args) =>
      instanceAt(args, 0, ResourceCheckValue).with({ [member_]: textAt(args, 1) }),
    ),
  ],
});

const about = (name: string, result: CelType, read: (decision: Decision) => Value): FunctionDecl => ({
  name,
  overloads: [
    member(`decision_${name}`, [DECISION], result, (args) =>
      read(instanceAt(args, 0, DecisionValue).decision),
    ),
  ],
});

const one = (name: string, ...overloads: FunctionDecl["overloads"][number][]): FunctionDecl => ({
  name,
  overloads,
});

/** Selectors narrow a check down only where an authoriser looks at them, which none here does. */
const selector = (name: string): FunctionDecl =>
  one(
    name,
    member(`authorizer_${name.toLowerCase()}`, [RESOURCE_CHECK_TYPE, STRING], RESOURCE_CHECK_TYPE, (args) =>
      instanceAt(args, 0, ResourceCheckValue),
    ),
  );

export function authorizerFunctions(): FunctionDecl[] {
  return [
    one(
      "path",
      member("authorizer_path", [AUTHORIZER_TYPE, STRING], PATH_CHECK, (args) => {
        return new PathCheck(instanceAt(args, 0, AuthorizerValue), notBlank(textAt(args, 1), "path"));
      }),
    ),
    one(
      "group",
      member("authorizer_group", [AUTHORIZER_TYPE, STRING], GROUP_CHECK, (args) => {
        return new GroupCheck(instanceAt(args, 0, AuthorizerValue), textAt(args, 1));
      }),
    ),
    one(
      "serviceAccount",
      member(
        "authorizer_serviceaccount",
        [AUTHORIZER_TYPE, STRING, STRING],
        AUTHORIZER_TYPE,
        asServiceAccount,
      ),
    ),
    one(
      "resource",
      member("groupcheck_resource", [GROUP_CHECK, STRING], RESOURCE_CHECK_TYPE, (args) => {
        const { by, group } = instanceAt(args, 0, GroupCheck);
        const resource = notBlank(textAt(args, 1), "resource");
        return new ResourceCheckValue(by, { group, resource, subresource: "", namespace: "", name: "" });
      }),
    ),
    narrow("resourcecheck_subresource", "subresource"),
    narrow("resourcecheck_namespace", "namespace"),
    narrow("resourcecheck_name", "name"),
    selector("fieldSelector"),
    selector("labelSelector"),
    one(
      "check",
      member("pathcheck_check", [PATH_CHECK, STRING], DECISION, checkPath),
      member("resourcecheck_check", [RESOURCE_CHECK_TYPE, STRING], DECISION, checkResource),
    ),
    about("allowed", BOOL, ({ allowed }) => allowed),
    about("reason", STRING, ({ reason }) => reason),
    about("errored", BOOL, () => false),
    about("error", STRING, () => ""),
  ];
}
