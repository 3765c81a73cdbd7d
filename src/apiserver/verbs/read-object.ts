// The object in a body, for verbs that write it: read, and what is odd about it refused or told.
import type { KubeObject } from "../../meta/object-meta.ts";
import { badRequest } from "../../meta/status.ts";
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import { reportFindings } from "../../registry/write/field-validation.ts";
import { type Exchange, knownTypes } from "../exchange.ts";
import { checkApiVersion, type DecodedObject, decodeObject } from "../request/decode-body.ts";
import { bodyFormat } from "../request/negotiation.ts";
import type { WriteOptions } from "../request/options.ts";

/** The object, which must be of the view's kind and version; as a promise where it is large. Throws 400 and 415. */
export function readObject(
  exchange: Exchange,
  view: ResourceView,
  { fieldValidation }: WriteOptions,
): KubeObject | Promise<KubeObject> {
  const { request, resources, warnings } = exchange;
  const format = bodyFormat(request.headers["content-type"]);
  const report = ({ object, findings }: DecodedObject) => {
    const refuse = (why: string) => {
      const { kind } = view.definition;
      return badRequest(
        `${object.kind} in version "${view.version.name}" cannot be handled as a ${kind}: ${why}`,
      );
    };
    reportFindings(fieldValidation, findings, (text) => warnings.add(text), refuse);
    checkApiVersion(view, object);
    return object;
  };
  const decoding = decodeObject(view, request.body ?? new Uint8Array(), format, knownTypes(resources));
  return decoding instanceof Promise ? decoding.then(report) : report(decoding);
}
