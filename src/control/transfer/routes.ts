// Objects out of the server and into it over HTTP, as texts that kubectl could have written and read.
import { JSON_TYPE, YAML_TYPE } from "../../apiserver/api-request.ts";
import { textBody } from "../../apiserver/response/answer-text.ts";
import { yamlParts } from "../../apiserver/response/to-yaml.ts";
import { Warnings } from "../../apiserver/response/warnings.ts";
import { encodeJson } from "../../meta/json-encode.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { failure, type StatusCause } from "../../meta/status.ts";
import type { ResourceAttributes } from "../../registry/definition/request-context.ts";
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import { type Caller, nameOfKind, questionOf } from "../caller.ts";
import {
  type ControlBody,
  type ControlRoute,
  flag,
  jsonResponse,
  list,
  object,
  oneOf,
  route,
  text,
  WholeAnswer,
} from "../control-route.ts";
import { IMPORT_RESULTS, type ImportedObject } from "./import.ts";
import type { Transfer } from "./transfer.ts";

/** The field manager of what is imported. */
export const IMPORT_MANAGER = "egret";

const EXPORT_QUERY = {
  kinds: text("Kinds as kubectl names them, separated by commas: cm,egressips"),
  namespace: text("Objects of this namespace alone."),
  labelSelector: text("Objects with these labels alone: app=web,tier!=db"),
  full: flag("All objects as they are, with status, uid and managedFields.", { default: false }),
  format: { ...oneOf(["yaml", "json"], "YAML documents, or one List in JSON."), default: "yaml" },
};

const IMPORT_QUERY = {
  namespace: text("For objects that name none. Left out: default."),
  status: flag("Sets the status of objects that bring one, also where it is a subresource.", {
    default: false,
  }),
};

const IMPORTED = object(
  {
    apiVersion: text(),
    kind: text(),
    namespace: text("Empty for cluster-scoped objects."),
    name: text(),
    result: oneOf(IMPORT_RESULTS),
    status: { type: "object", description: "Why it has failed." },
  },
  ["apiVersion", "kind", "namespace", "name", "result"],
);

const OBJECTS: ControlBody<KubeObject[]> = {
  schema: { type: "object", description: "An object, or a List of objects." },
  required: true,
  form: "objects",
};

export const transferRoutes = (transfer: Transfer): ControlRoute[] => [
  route("GET /export", "exportObjects", {
    summary: "The objects that people have put in, in a form that any server takes.",
    access: "own rights",
    query: EXPORT_QUERY,
    answer: ["YAML documents.", { contentType: YAML_TYPE }],
    handle: async ({ caller, raw: { query } }) => {
      const [kinds, namespace] = [query.get("kinds"), query.get("namespace")];
      const shown = new ShownKinds(caller, namespace);
      const objects = await transfer.export({
        ...{ kinds, namespace, labelSelector: query.get("labelSelector"), full: query.flag("full") },
        mayShow: (view) => shown.mayShow(view, kinds !== ""),
      });
      return exported(query.get("format") === "json", objects, shown.warning());
    },
  }),
  route("POST /import", "importObjects", {
    summary: "Applies objects, namespaces and definitions first; the field manager is egret.",
    access: "own rights",
    query: IMPORT_QUERY,
    body: OBJECTS,
    answer: [
      "What has become of each object.",
      { schema: object({ items: list(IMPORTED, "In the order of the objects.") }, ["items"]) },
    ],
    handle: async ({ raw: { query }, body, caller }) => {
      const namespace = query.get("namespace") || undefined;
      const options = { namespace, status: query.flag("status") };
      return imported(await transfer.import(body, options, caller.clientFor(IMPORT_MANAGER)));
    },
  }),
];

function exported(
  isJson: boolean,
  objects: readonly Readonly<KubeObject>[],
  warning: Readonly<Record<string, string[]>>,
): WholeAnswer {
  return new WholeAnswer({
    status: 200,
    headers: { "content-type": isJson ? JSON_TYPE : YAML_TYPE, ...warning },
    body: textBody(isJson ? listParts(objects) : documentParts(objects)),
  });
}

function* listParts(objects: readonly Readonly<KubeObject>[]): Generator<string, void> {
  yield '{"apiVersion":"v1","items":[';
  for (const [index, object] of objects.entries()) yield `${index > 0 ? "," : ""}${encodeJson(object)}`;
  yield '],"kind":"List"}\n';
}

function* documentParts(objects: readonly Readonly<KubeObject>[]): Generator<string, void> {
  for (const [index, object] of objects.entries()) {
    if (index > 0) yield "---\n";
    yield* yamlParts(object);
  }
}

/** Where some were refused the answer is a Status that says why, and bears the items as well. */
function imported(items: readonly ImportedObject[]): WholeAnswer | { items: readonly ImportedObject[] } {
  const causes: StatusCause[] = items.flatMap(({ kind, name, namespace, status }) => {
    if (status === undefined) return [];
    const { reason, message = "" } = status;
    const field = `${kind} ${namespace === "" ? "" : `${namespace}/`}${name}`;
    return [{ ...(reason === undefined ? {} : { reason }), message, field }];
  });
  if (causes.length === 0) return { items };
  const message = `${causes.length} of ${items.length} objects were refused: ${causes[0]?.message}`;
  const { status } = failure({ code: 422, reason: "Invalid", message, details: { causes } });
  return new WholeAnswer(jsonResponse(422, JSON.stringify({ ...status, items })));
}

/**
 * Which kinds an export shows to its caller: those whose objects he may list. A kind that he has named and may not list is
 * refused; of others he is told that they are left out.
 */
class ShownKinds {
  readonly #caller: Caller;
  readonly #namespace: string;
  readonly #leftOut: string[] = [];
  #refused: ResourceAttributes | undefined;
  #shown = 0;

  /** namespace "": all of them. */
  constructor(caller: Caller, namespace: string) {
    this.#caller = caller;
    this.#namespace = namespace;
  }

  /** Throws a 403 for a kind that was named. */
  mayShow(view: ResourceView, isNamed: boolean): boolean {
    const question = questionOf(this.#caller, { verb: "list", view, namespace: this.#namespace });
    if (isNamed) this.#caller.demand(question);
    if (isNamed || this.#caller.may(question)) {
      this.#shown++;
      return true;
    }
    this.#refused ??= question;
    this.#leftOut.push(nameOfKind(view));
    return false;
  }

  /** A header that names what was left out, if there is any. Throws a 403 when nothing could be shown at all. */
  warning(): Readonly<Record<string, string[]>> {
    if (this.#refused === undefined) return {};
    if (this.#shown === 0) this.#caller.demand(this.#refused);
    const warnings = new Warnings();
    const who = this.#caller.user.name;
    warnings.add(`left out, because user "${who}" may not list them: ${this.#leftOut.join(", ")}`);
    return { warning: warnings.headers() };
  }
}
