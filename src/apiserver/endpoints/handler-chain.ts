// The handler chain of the API, as DefaultBuildHandlerChain of a kube-apiserver. A step answers the request or passes it
// on; no step calls the next one. HTTP comes before it, in the order of apiserver/http/app.ts and answer.ts: the head and
// Host of the request, authentication, injected faults, the limits of requests in flight, the time limit.
import {
  withAuthorization,
  withAuthorizationOfAnyName,
  withBody,
  withConnect,
  withDecodedBody,
  withDeprecationWarning,
  withExecution,
  withFlowSchema,
  withImpersonation,
  withNegotiation,
  withNonResourcePaths,
  withReadiness,
  withRequestInfo,
  withResource,
  withRoutedForms,
  withRoutedPath,
  withTimeout,
  withVerb,
} from "./handlers.ts";
import type { Answered, HandlerStep, PassingRequest } from "./passing-request.ts";

const HANDLER_CHAIN: readonly HandlerStep[] = [
  /** 500 for a path without a RequestInfo. */
  withRequestInfo,
  /** 400 for an invalid timeout in the query. */
  withTimeout,
  /** Replaces the user by the impersonated one, or 403. */
  withImpersonation,
  /** Names the FlowSchema of the final user. */
  withFlowSchema,
  /** 403, except for open paths. */
  withAuthorization,
  /** 404 for paths with an additional slash. */
  withRoutedPath,
  /** Answers all paths that are no resource. */
  withNonResourcePaths,
  /** Finds the resource, or 404. */
  withResource,
  /** 403 for a POST to a name without permission to create any name. */
  withAuthorizationOfAnyName,
  /** Answers exec, attach, portforward and proxy. */
  withConnect,
  /** 406 and 415 of built-in kinds. */
  withRoutedForms,
  /** Chooses the media type of the response, or 406. */
  withNegotiation,
  /** Reads the body: 400, 413, 429, 504. */
  withBody,
  /** Adds the Warning of a deprecated version. */
  withDeprecationWarning,
  /** Finds the verb, or 400. */
  withVerb,
  /** Decodes a large body on a worker thread. */
  withDecodedBody,
  /** Waits until the store has the requested revision. */
  withReadiness,
  /** Executes the verb. The registry continues between decoding and commit (src/apiserver/registry/write). */
  withExecution,
];

/** Runs the steps in order; synchronous as long as they are. Throws and rejects with a StatusError. */
export const runHandlerChain = (passing: PassingRequest): Answered => runFrom(0, passing);

function runFrom(first: number, passing: PassingRequest): Answered {
  for (let index = first; index < HANDLER_CHAIN.length; index++) {
    const outcome = HANDLER_CHAIN[index]?.(passing);
    if (outcome === undefined) continue;
    if (!(outcome instanceof Promise)) return outcome;
    return outcome.then((answered) => answered ?? runFrom(index + 1, passing));
  }
  throw new Error("no step of the handler chain has answered");
}
