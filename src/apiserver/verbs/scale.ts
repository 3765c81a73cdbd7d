// GET, PUT and PATCH of /scale: the number of copies of an object, as an autoscaling/v1 Scale.
import type { KubeObject } from "../../meta/object-meta.ts";
import { badRequest, StatusError } from "../../meta/status.ts";
import { decodeInVersion, resultInVersion } from "../../registry/codec/versions.ts";
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import { readScale, scaleAfter, scaleViewOf } from "../../registry/scale.ts";
import type { WriteResult } from "../../registry/write/create.ts";
import type { DecodedObject } from "../../registry/write/field-validation.ts";
import type { ApiResponse } from "../api-request.ts";
import { type Exchange, readBody, writeContext } from "../exchange.ts";
import { bodyFormat } from "../request/negotiation.ts";
import { readWriteOptions } from "../request/write-options.ts";
import { respondObject } from "../response/respond.ts";
import { readStored } from "./read-delete.ts";
import { writePatch } from "./update.ts";

export async function getScaleVerb(exchange: Exchange): Promise<ApiResponse> {
  const { view } = exchange;
  return respondScale(exchange, readScale(view, decodeInVersion(view, await readStored(exchange))));
}

export async function updateScaleVerb(exchange: Exchange): Promise<ApiResponse> {
  const { request, resources, view, info } = exchange;
  const options = readWriteOptions(request.query, "UpdateOptions");
  const decoded = await readScaleBody(exchange);
  if (decoded.findings.length > 0 && options.fieldValidation === "Strict" && view.definition.custom)
    throw unknownType();
  const context = writeContext(exchange, options);
  const address = { view, namespace: info.namespace, name: info.name };
  const written = await resources.update({ address, subresource: "scale", decoded, context });
  return respondWritten(exchange, written);
}

export async function patchScaleVerb(exchange: Exchange): Promise<ApiResponse> {
  return respondWritten(exchange, await writePatch(exchange, viewOf(exchange)));
}

function viewOf({ view }: Exchange): ResourceView {
  const scaleView = scaleViewOf(view);
  if (scaleView === undefined) throw new Error("the route leads to a scale that is not there");
  return scaleView;
}

const respondWritten = (exchange: Exchange, result: WriteResult): ApiResponse =>
  respondScale(exchange, scaleAfter(exchange.view, resultInVersion(exchange.view, result)));

function respondScale(exchange: Exchange, object: KubeObject): ApiResponse {
  return respondObject({ ...exchange, view: viewOf(exchange) }, 200, { type: "bare", object });
}

async function readScaleBody(exchange: Exchange): Promise<DecodedObject> {
  bodyFormat(exchange.request.headers["content-type"]);
  try {
    return await readBody(exchange, viewOf(exchange));
  } catch (error) {
    throw error instanceof StatusError && exchange.view.definition.custom ? unknownType() : error;
  }
}

/** The server behind custom resources does not know the type of a Scale when it is to say what is wrong with one. */
const unknownType = (): StatusError =>
  badRequest(
    'no kind is registered for the type v1.Scale in scheme "k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go"',
  );
