// Kinds that are asked and not kept: an object is posted, and its answer is the object with the status filled in.
// Nothing of it reaches the store.
import type { KubeObject } from "../../meta/object-meta.ts";
import type { RequestContext } from "../request-context.ts";
import type { Authorizer, TokenReviewer } from "./access.ts";

export interface ReviewContext extends RequestContext {
  /** Of the URL; "" for cluster-scoped kinds. */
  readonly namespace: string;
  readonly authorizer: Authorizer;
  readonly reviewToken: TokenReviewer;
}

/** Answers with the object or with another one. May change its argument; throws a StatusError to refuse. */
export type Review = (object: KubeObject, context: ReviewContext) => KubeObject;
