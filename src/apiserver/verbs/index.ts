// The verbs of the API by name: data for the pipeline.
import type { ApiResponse } from "../api-request.ts";
import type { Exchange } from "../exchange.ts";
import type { RequestVerb } from "../request-info.ts";
import { createVerb } from "./create.ts";
import { deleteCollectionVerb, deleteVerb } from "./delete.ts";
import { patchVerb } from "./patch.ts";
import { getVerb, listVerb } from "./read.ts";
import { updateVerb } from "./update.ts";
import { watchVerb } from "./watch.ts";

export const verbs: Readonly<
  Record<Exclude<RequestVerb, "">, (exchange: Exchange) => ApiResponse | Promise<ApiResponse>>
> = {
  get: getVerb,
  list: listVerb,
  watch: watchVerb,
  create: createVerb,
  update: updateVerb,
  patch: patchVerb,
  delete: deleteVerb,
  deletecollection: deleteCollectionVerb,
};
