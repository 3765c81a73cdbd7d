// Objects out of the server and into it over HTTP, as texts that kubectl could have written and read.
import { type ApiResponse, JSON_TYPE, YAML_TYPE } from "../../apiserver/api-request.ts";
import { textBody } from "../../apiserver/response/text-parts.ts";
import { yamlParts } from "../../apiserver/response/to-yaml.ts";
import { encodeJson } from "../../meta/json-encode.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { failure, type StatusCause } from "../../meta/status.ts";
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import type { ControlParameter, ControlRequest, ControlRoute, ControlSchema } from "../control-route.ts";
import type { ExportOptions } from "./export.ts";
import { IMPORT_RESULTS, type ImportedObject } from "./import.ts";
import { ShownKinds } from "./shown-kinds.ts";
import type { Transfer } from "./transfer.ts";

/** The field manager of what is imported. */
export const IMPORT_MANAGER = "egret";

const text = { type: "string" };
const flag = { type: "boolean", default: false };

const EXPORT_QUERY: readonly ControlParameter[] = [
  {
    name: "kinds",
    description: "Kinds as kubectl names them, separated by commas: cm,egressips",
    schema: text,
  },
  { name: "namespace", description: "Objects of this namespace alone.", schema: text },
  { name: "labelSelector", description: "Objects with these labels alone: app=web,tier!=db", schema: text },
  {
    name: "full",
    description: "All objects as they are, with status, uid and managedFields.",
    schema: flag,
  },
  {
    name: "format",
    description: "YAML documents, or one List in JSON.",
    schema: { type: "string", enum: ["yaml", "json"], default: "yaml" },
  },
];

const IMPORT_QUERY: readonly ControlParameter[] = [
  { name: "namespace", description: "For objects that name none. Left out: default.", schema: text },
  {
    name: "status",
    description: "Sets the status of objects that bring one, also where it is a subresource.",
    schema: flag,
  },
];

const IMPORTED: ControlSchema = {
  type: "object",
  required: ["items"],
  properties: {
    items: {
      type: "array",
      description: "In the order of the objects.",
      items: {
        type: "object",
        required: ["apiVersion", "kind", "namespace", "name", "result"],
        properties: {
          apiVersion: text,
          kind: text,
          namespace: { type: "string", description: "Empty for cluster-scoped objects." },
          name: text,
          result: { type: "string", enum: [...IMPORT_RESULTS] },
          status: { type: "object", description: "Why it has failed." },
        },
      },
    },
  },
};

export function transferRoutes(transfer: Transfer): ControlRoute[] {
  return [
    {
      method: "GET",
      path: "/export",
      operationId: "exportObjects",
      access: "own rights",
      summary: "The objects that people have put in, in a form that any server takes.",
      query: EXPORT_QUERY,
      answer: { description: "YAML documents.", contentType: YAML_TYPE },
      handle: async (request) => {
        const shown = new ShownKinds(request.caller, request.raw.query.get("namespace"));
        const options = exportOptions(request);
        const mayShow = (view: ResourceView) => shown.mayShow(view, options.kinds !== "");
        const objects = await transfer.export({ ...options, mayShow });
        return { response: exported(request, objects, shown.warning()) };
      },
    },
    {
      method: "POST",
      path: "/import",
      operationId: "importObjects",
      access: "own rights",
      summary: "Applies objects, namespaces and definitions first; the field manager is egret.",
      query: IMPORT_QUERY,
      body: {
        schema: { type: "object", description: "An object, or a List of objects." },
        required: true,
        form: "objects",
      },
      answer: { description: "What has become of each object.", schema: IMPORTED },
      handle: async ({ raw: { query }, body, caller }) => {
        const namespace = query.get("namespace");
        const options = { ...(namespace === "" ? {} : { namespace }), status: query.flag("status") };
        const client = caller.clientFor(IMPORT_MANAGER);
        return { response: imported(await transfer.import(body as KubeObject[], options, client)) }; // the form of the body
      },
    },
  ];
}

function exportOptions({ raw: { query } }: ControlRequest): ExportOptions {
  return {
    kinds: query.get("kinds"),
    namespace: query.get("namespace"),
    labelSelector: query.get("labelSelector"),
    full: query.flag("full"),
  };
}

function exported(
  { raw: { query } }: ControlRequest,
  objects: readonly Readonly<KubeObject>[],
  warning: Readonly<Record<string, string[]>>,
): ApiResponse {
  const isJson = query.get("format") === "json";
  return {
    status: 200,
    headers: { "content-type": isJson ? JSON_TYPE : YAML_TYPE, ...warning },
    body: textBody(isJson ? listParts(objects) : documentParts(objects)),
  };
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
function imported(items: readonly ImportedObject[]): ApiResponse {
  const causes: StatusCause[] = items.flatMap(({ kind, name, namespace, status }) => {
    if (status === undefined) return [];
    const reason = status.reason === undefined ? {} : { reason: status.reason };
    const field = `${kind} ${namespace === "" ? "" : `${namespace}/`}${name}`;
    return [{ ...reason, message: status.message ?? "", field }];
  });
  if (causes.length === 0) return json(200, { items });
  const message = `${causes.length} of ${items.length} objects were refused: ${causes[0]?.message}`;
  const { status } = failure({ code: 422, reason: "Invalid", message, details: { causes } });
  return json(422, { ...status, items });
}

const json = (status: number, value: object): ApiResponse => ({
  status,
  headers: { "content-type": JSON_TYPE },
  body: Buffer.from(`${JSON.stringify(value)}\n`),
});
