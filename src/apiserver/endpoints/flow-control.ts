// Matching of requests to FlowSchemas, and the two response headers of a kube-apiserver's priority and fairness
// filter (apiserver/pkg/util/flowcontrol/rule.go). Egret's own limits do not depend on the schemas.
import {
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from "../../apimachinery/json/json.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { serviceAccountUser } from "../authorization/access-check.ts";
import { decodeInVersion } from "../registry/codec/versions.ts";
import type { UserInfo } from "../registry/definition/request-context.ts";
import { type Following, followObjects } from "../registry/read/watch.ts";
import type { RegistryDeps } from "../registry/resource-registry.ts";
import type { ApiRequest, FlowHeaders } from "./api-request.ts";

const GROUP = "flowcontrol.apiserver.k8s.io";
/** Long-running subresources, which are not classified. */
const LONG_RUNNING = new Set(["attach", "exec", "proxy", "log", "portforward"]);

type Asking = Pick<ApiRequest, "method" | "path" | "info"> & { readonly user: UserInfo };
type Matches = (asking: Asking) => boolean;

interface Flow {
  readonly name: string;
  readonly precedence: number;
  readonly level: string;
  readonly uid: string;
  readonly matches: Matches;
}

export class FlowControl {
  readonly #deps: Pick<RegistryDeps, "store" | "resources">;
  readonly #onError: (error: unknown) => void;
  readonly #schemas = new Map<string, Flow>();
  /** UIDs by name. */
  readonly #levels = new Map<string, string>();
  /** In matching order; rebuilt after a change. */
  #order: readonly { readonly matches: Matches; readonly headers: FlowHeaders }[] | undefined;
  #stops: (() => void)[] | undefined;

  constructor(deps: Pick<RegistryDeps, "store" | "resources">, onError: (error: unknown) => void) {
    this.#deps = deps;
    this.#onError = onError;
  }

  /** The headers of the matching schema and its level; undefined without a match, or when the kinds are not served. */
  headersFor(asking: Asking): FlowHeaders | undefined {
    const { verb, subresource } = asking.info;
    if (verb === "proxy" || (verb !== "watch" && LONG_RUNNING.has(subresource))) return undefined;
    this.#stops ??= this.#follow(); // follows at the first request, to keep the start short
    this.#order ??= this.#inOrder();
    return this.#order.find(({ matches }) => matches(asking))?.headers;
  }

  stop(): void {
    for (const stop of this.#stops ?? []) stop();
    this.#stops = [];
  }

  /** Schemas with a missing priority level are omitted. */
  #inOrder() {
    const known = [...this.#schemas.values()].filter(({ level }) => this.#levels.has(level));
    known.sort((a, b) => a.precedence - b.precedence || (a.name < b.name ? -1 : 1));
    return known.map(({ matches, uid, level }) => ({
      matches,
      headers: {
        "x-kubernetes-pf-flowschema-uid": uid,
        "x-kubernetes-pf-prioritylevel-uid": this.#levels.get(level) ?? "",
      },
    }));
  }

  #follow(): (() => void)[] {
    return [
      ...this.#followKind("flowschemas", this.#schemas, flowOf),
      ...this.#followKind("prioritylevelconfigurations", this.#levels, ({ metadata }) => metadata.uid ?? ""),
    ];
  }

  #followKind<T>(resource: string, into: Map<string, T>, read: (object: KubeObject) => T): (() => void)[] {
    const { store, resources } = this.#deps;
    const view = resources.findStorage(GROUP, resource);
    if (view === undefined) return [];
    const put = (object: KubeObject) => into.set(object.metadata.name ?? "", read(object));
    const following: Following = {
      begin: (objects) => {
        this.#order = undefined;
        into.clear();
        for (const kv of objects) put(decodeInVersion(view, kv));
      },
      take: (events) => {
        this.#order = undefined;
        for (const { type, kv } of events) {
          const object = decodeInVersion(view, kv);
          if (type === "DELETED") into.delete(object.metadata.name ?? "");
          else put(object);
        }
      },
    };
    return [followObjects(store, view, following, this.#onError)];
  }
}

function flowOf(object: KubeObject): Flow {
  const spec = objectAt(object, "spec");
  const rules = objectsAt(spec, "rules").map(ruleOf);
  return {
    name: object.metadata.name ?? "",
    uid: object.metadata.uid ?? "",
    precedence: numberAt(spec, "matchingPrecedence") ?? 0,
    level: textAt(objectAt(spec, "priorityLevelConfiguration"), "name"),
    matches: (asking) => rules.some((matches) => matches(asking)),
  };
}

function ruleOf(rule: JsonObject): Matches {
  const subjects = objectsAt(rule, "subjects").map(subjectOf);
  const resources = objectsAt(rule, "resourceRules").map(resourceRuleOf);
  const paths = objectsAt(rule, "nonResourceRules").map(pathRuleOf);
  return (asking) =>
    subjects.some((names) => names(asking.user)) &&
    (asking.info.isResourceRequest ? resources : paths).some((matches) => matches(asking));
}

function subjectOf(subject: JsonObject): (user: UserInfo) => boolean {
  const name = (member: string) => textAt(objectAt(subject, member), "name");
  switch (textAt(subject, "kind")) {
    case "User": {
      const wanted = name("user");
      return (user) => wanted === "*" || user.name === wanted;
    }
    case "Group": {
      const wanted = name("group");
      return ({ groups }) => wanted === "*" || groups.includes(wanted);
    }
    case "ServiceAccount": {
      const account = name("serviceAccount");
      const namespace = textAt(objectAt(subject, "serviceAccount"), "namespace");
      const wanted = serviceAccountUser(namespace, account === "*" ? "" : account);
      return (user) => (account === "*" ? user.name.startsWith(wanted) : user.name === wanted);
    }
    default:
      return () => false;
  }
}

/** A wildcard list has no other member. */
function contains(texts: readonly string[]): (text: string) => boolean {
  if (texts.length === 1 && texts[0] === "*") return () => true;
  const set = new Set(texts);
  return (text) => set.has(text);
}

function resourceRuleOf(rule: JsonObject): Matches {
  const [verbs, groups, resources, namespaces] = ["verbs", "apiGroups", "resources", "namespaces"].map(
    (member) => contains(textsAt(rule, member)),
  ) as [Matching, Matching, Matching, Matching]; // one of each
  const isClusterWide = rule["clusterScope"] === true;
  return ({ info: { verb, group, resource, subresource, namespace } }) =>
    verbs(verb) &&
    groups(group) &&
    resources(subresource === "" ? resource : `${resource}/${subresource}`) &&
    (namespace === "" ? isClusterWide : namespaces(namespace));
}

type Matching = ReturnType<typeof contains>;

function pathRuleOf(rule: JsonObject): Matches {
  const verbs = contains(textsAt(rule, "verbs"));
  const urls = textsAt(rule, "nonResourceURLs").map((url) => ({
    url,
    prefix: url.replace(/\*$/, "").replace(/([^/])$/, "$1/"),
  }));
  return ({ method, path }) =>
    verbs(method.toLowerCase()) &&
    urls.some(({ url, prefix }) => url === "*" || url === path || path.startsWith(prefix));
}
