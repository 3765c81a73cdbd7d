// Objects out of the server and into it over HTTP, as texts that kubectl could have written and read.
import { JSON_TYPE, YAML_TYPE } from "../../apiserver/api-request.ts";
import { textBody } from "../../apiserver/response/answer-text.ts";
import { yamlParts } from "../../apiserver/response/to-yaml.ts";
import { Warnings } from "../../apiserver/response/warnings.ts";
import { encodeJson } from "../../meta/json-encode.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { failure, type StatusCause } from "../../meta/status.ts";
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import { type Caller, nameOfKind, questionOf } from "../caller.ts";
import {
  type ControlRoute,
  type ControlSchema,
  flag,
  jsonResponse,
  list,
  object,
  oneOf,
  route,
  text,
  WholeAnswer,
} from "../control-route.ts";
import { IMPORTED, type ImportedObject } from "./import.ts";
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

const OBJECTS: ControlSchema<KubeObject[]> = {
  type: "object",
  description: "An object, or a List of objects.",
};

export const transferRoutes = (transfer: Transfer): ControlRoute[] => [
  route("GET /export", "exportObjects", {
    summary: "The objects that people have put in, in a form that any server takes.",
    access: "own rights",
    query: EXPORT_QUERY,
    answer: ["YAML documents.", YAML_TYPE],
    handle: async ({ caller, raw: { query } }) => {
      const [kinds, namespace] = [query.get("kinds"), query.get("namespace")];
      const listOf = (view: ResourceView) => questionOf(caller, { verb: "list", view, namespace });
      const leftOut: ResourceView[] = [];
      let shown = 0;
      // What he has named and may not list is refused; of other kinds he is told that they are left out.
      const mayShow = (view: ResourceView) => {
        if (kinds !== "") caller.demand(listOf(view));
        const may = kinds !== "" || caller.may(listOf(view));
        if (may) shown++;
        else leftOut.push(view);
        return may;
      };
      const labelSelector = query.get("labelSelector");
      const asked = { kinds, namespace, labelSelector, full: query.flag("full"), mayShow };
      const objects = await transfer.export(asked);
      const [first] = leftOut;
      if (first !== undefined && shown === 0) caller.demand(listOf(first));
      return exported(query.get("format") === "json", objects, warningOf(caller, leftOut));
    },
  }),
  route("POST /import", "importObjects", {
    summary: "Applies objects, namespaces and definitions first; the field manager is egret.",
    access: "own rights",
    query: IMPORT_QUERY,
    body: OBJECTS,
    bodyForm: "objects",
    answer: [
      "What has become of each object.",
      object({ items: list(IMPORTED, "In the order of the objects.") }, ["items"]),
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

/** A header that names what was left out, if anything was. */
function warningOf({ user }: Caller, leftOut: readonly ResourceView[]): Readonly<Record<string, string[]>> {
  if (leftOut.length === 0) return {};
  const warnings = new Warnings();
  const kinds = leftOut.map(nameOfKind).join(", ");
  warnings.add(`left out, because user "${user.name}" may not list them: ${kinds}`);
  return { warning: warnings.headers() };
}
