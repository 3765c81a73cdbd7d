// A request on its way through the handler chain, and what its steps depend on.
import type { Clock } from "../../apimachinery/meta/clock.ts";
import type { Ids } from "../../apimachinery/meta/ids.ts";
import type { Workers } from "../../apimachinery/workers/job.ts";
import type { ResourceView } from "../registry/definition/resource-definition.ts";
import type { ResourceStore } from "../registry/resource-store.ts";
import type { ApiRequest, ApiResponse } from "./api-request.ts";
import type { FlowControl } from "./flow-control.ts";
import type { NonResourcePaths } from "./non-resource.ts";
import type { LongQueries } from "./request/long-queries.ts";
import type { ReadSettings } from "./request/options.ts";
import type { RequestInfo } from "./request/request-info.ts";
import type { AccessControl, RequestScope } from "./request-scope.ts";
import type { Warnings } from "./response/warnings.ts";
import type { verbOf } from "./route.ts";

/** Serves Egret's own paths; undefined for an unknown path. Reads the body on demand. Throws StatusError. */
export interface OwnPaths {
  handle(request: ApiRequest): Promise<ApiResponse> | undefined;
  /** Reports whether the path is served without authorization: a kube-apiserver has a flag for such paths. */
  isOpen(path: string): boolean;
}

export interface ApiServerOptions {
  readonly resources: ResourceStore;
  /** Worker threads for long decoding; absent: the main thread does it. */
  readonly workers?: Workers;
  readonly nonResource: NonResourcePaths;
  /** Authorized like all other paths. */
  readonly ownPaths: OwnPaths;
  readonly access: AccessControl;
  /** Memory limit for one user's long queries; absent: the default of the flag. */
  readonly queryBytesPerUser?: number;
  /** Absent: the defaults of the flags. */
  readonly reading?: ReadSettings;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Returns a promise that requests wait for before they are handled; absent or undefined: none. */
  readonly held?: () => Promise<void> | undefined;
  /** Absent: no response names a FlowSchema. */
  readonly flows?: FlowControl;
  /** Called with errors that are bugs of the server; the client receives a 500. */
  readonly onInternalError: (error: unknown) => void;
}

export type Answered = ApiResponse | Promise<ApiResponse>;

/** A request on its way through the chain. Steps replace its members. */
export class PassingRequest {
  readonly options: ApiServerOptions;
  readonly longQueries: LongQueries;
  readonly warnings: Warnings;
  readonly info: RequestInfo;
  /** With the impersonated user after withImpersonation, and with its body after withBody. */
  request: ApiRequest;
  /** Set by withResource. */
  view: ResourceView | undefined;
  /** Set by withNegotiation. */
  negotiated: RequestScope["negotiated"] | undefined;
  /** Set by withVerb. */
  verb: ReturnType<typeof verbOf>;

  constructor(request: ApiRequest, options: ApiServerOptions, longQueries: LongQueries, warnings: Warnings) {
    this.options = options;
    this.longQueries = longQueries;
    this.warnings = warnings;
    this.info = request.info;
    this.request = request;
    this.view = undefined;
    this.negotiated = undefined;
    this.verb = undefined;
  }
}

/** Returns the response, or undefined to pass the request on. Throws a StatusError. */
export type HandlerStep = (
  passing: PassingRequest,
) => ApiResponse | Promise<ApiResponse | undefined> | undefined;
