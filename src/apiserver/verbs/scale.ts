// GET, PUT and PATCH of /scale: the number of copies of an object, as an autoscaling/v1 Scale.
import { cloneJson } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { badRequest, StatusError } from "../../meta/status.ts";
import { decodeInVersion, prepareVersions } from "../../registry/codec/versions.ts";
import type { ObjectAddress, ResourceView } from "../../registry/definition/resource-definition.ts";
import { parseResourceVersion } from "../../registry/resource-version.ts";
import { readScale, updateScale } from "../../registry/scale/scale.ts";
import { scaleViewOf } from "../../registry/scale/scale-view.ts";
import { tooLargeResourceVersion } from "../../registry/store-errors.ts";
import { type ApplyInput, applyToLive } from "../../registry/write/apply-object.ts";
import { placeInNamespace } from "../../registry/write/before-create.ts";
import { reportFindings } from "../../registry/write/field-validation.ts";
import { trackWrite } from "../../registry/write/managed-fields.ts";
import { checkNameMatches, type PatchInput, patchLive } from "../../registry/write/patch-object.ts";
import type { ApiResponse } from "../api-request.ts";
import { type Exchange, knownTypes, writeContext } from "../exchange.ts";
import { checkApiVersion, type DecodedObject, decodeObject } from "../request/decode-body.ts";
import { bodyFormat } from "../request/negotiation.ts";
import { readWriteOptions } from "../request/options.ts";
import { respondObject } from "../response/respond.ts";
import { readApplied } from "./apply.ts";
import { APPLY_PATCH, PATCH_TYPES, patchOptionErrors, readPatch, unknownPatchType } from "./patch.ts";

export async function getScaleVerb(exchange: Exchange): Promise<ApiResponse> {
  const { request, resources, view } = exchange;
  const version = parseResourceVersion(request.query.get("resourceVersion"));
  const { revision } = resources;
  if (version > revision) throw tooLargeResourceVersion(version, revision);
  const kv = resources.get(addressOf(exchange));
  await prepareVersions(view, [kv]);
  return respondScale(exchange, readScale(view, decodeInVersion(view, kv)));
}

export async function updateScaleVerb(exchange: Exchange): Promise<ApiResponse> {
  const { request, info, resources, warnings } = exchange;
  const scaleView = viewOf(exchange);
  const options = readWriteOptions(request.query, "UpdateOptions");
  const { object, findings } = await readBody(exchange, scaleView);
  const refuse = (text: string) =>
    refusal(exchange.view, `Scale in version "v1" cannot be handled as a Scale: ${text}`);
  reportFindings(options.fieldValidation, findings, (text) => warnings.add(text), refuse);
  checkApiVersion(scaleView, object);
  placeInNamespace(scaleView, object, info.namespace);
  checkNameMatches(object, info.name);
  const context = writeContext(exchange, options);
  const scale = await updateScale(resources, {
    address: addressOf(exchange),
    context,
    uid: object.metadata.uid,
    next: (live) => {
      const next = cloneJson(object);
      return trackWrite(scaleView, { live, next, context, strategy: {}, subresource: "scale" });
    },
  });
  return respondScale(exchange, scale);
}

export async function patchScaleVerb(exchange: Exchange): Promise<ApiResponse> {
  const { request, view, resources } = exchange;
  const mediaType = (request.headers["content-type"] ?? "").split(";")[0]?.trim() ?? "";
  const type = PATCH_TYPES[mediaType];
  if (mediaType !== APPLY_PATCH && (type === undefined || (type === "strategic" && view.definition.custom))) {
    throw unknownPatchType(view);
  }
  const errors = patchOptionErrors(exchange, type === undefined);
  const options = readWriteOptions(request.query, "PatchOptions", errors);
  const scaleView = viewOf(exchange);
  const context = writeContext(exchange, options);
  const write = {
    address: { ...addressOf(exchange), view: scaleView },
    subresource: "scale",
    strategy: {},
    context,
  };
  let next: (live: Readonly<KubeObject>) => KubeObject;
  if (type === undefined) {
    const force = request.query.flag("force");
    const input: ApplyInput = { ...write, applied: readApplied(exchange, options), force };
    next = (live) => applyToLive(input, live);
  } else {
    const document = readPatch(scaleView, type, request.body ?? new Uint8Array());
    const input: PatchInput = { ...write, document, fieldValidation: options.fieldValidation };
    next = (live) => patchLive(input, live);
  }
  return respondScale(
    exchange,
    await updateScale(resources, { address: addressOf(exchange), context, next }),
  );
}

const addressOf = ({ view, info }: Exchange): ObjectAddress => ({
  view,
  namespace: info.namespace,
  name: info.name,
});

function viewOf({ view }: Exchange): ResourceView {
  const scaleView = scaleViewOf(view);
  if (scaleView === undefined) throw new Error("the route leads to a scale that is not there");
  return scaleView;
}

function respondScale(exchange: Exchange, object: KubeObject): ApiResponse {
  return respondObject({ ...exchange, view: viewOf(exchange) }, 200, { type: "bare", object });
}

async function readBody(
  { request, view, resources }: Exchange,
  scaleView: ResourceView,
): Promise<DecodedObject> {
  const format = bodyFormat(request.headers["content-type"]);
  try {
    return await decodeObject(scaleView, request.body ?? new Uint8Array(), format, knownTypes(resources));
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    throw refusal(view, error.message);
  }
}

/** The server behind custom resources does not know the type of a Scale when it is to say what is wrong with one. */
function refusal({ definition }: ResourceView, why: string): StatusError {
  const unknown =
    'no kind is registered for the type v1.Scale in scheme "k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go"';
  return badRequest(definition.custom ? unknown : why);
}
