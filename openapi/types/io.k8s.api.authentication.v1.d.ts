// Written by `npm run types` from the schemas; do not edit.
import type { ObjectMeta, Time } from "./io.k8s.apimachinery.pkg.apis.meta.v1.d.ts";

/** The object with whose life a token ends. */
export interface BoundObjectReference {
  /** Version of the API in which the object is named. */
  apiVersion?: string;
  /** Kind of the object, one of Pod, Secret and Node. */
  kind?: string;
  /** Name of the object. */
  name?: string;
  /** UID of the object; if it is given, the object must have it. */
  uid?: string;
}

/** Asks who the one who asks is taken for. */
export interface SelfSubjectReview {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "authentication.k8s.io/v1";
  /** Name of the type that this object has. */
  kind: "SelfSubjectReview";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** The answer, given by the server. */
  status?: SelfSubjectReviewStatus;
}

/** Who the request was made by. */
export interface SelfSubjectReviewStatus {
  /** The user, impersonation taken into account. */
  userInfo?: UserInfo;
}

/** Asks for a token with which a ServiceAccount can be recognised. */
export interface TokenRequest {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "authentication.k8s.io/v1";
  /** Name of the type that this object has. */
  kind: "TokenRequest";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** What the token is wanted for. */
  spec?: TokenRequestSpec;
  /** The token, given by the server. */
  status?: TokenRequestStatus;
}

/** For whom a token has to be good, and for how long. */
export interface TokenRequestSpec {
  /** Names of those to whom the token will be shown. Empty means the API server. */
  audiences?: string[];
  /** An object; the token is good for as long as it lives. */
  boundObjectRef?: BoundObjectReference;
  /** How long the token is to be good, in seconds, 600 at least. An hour if it is left out. */
  expirationSeconds?: number;
}

/** The token that was made. */
export interface TokenRequestStatus {
  /** Until when the token is good. */
  expirationTimestamp?: Time;
  /** The token itself. */
  token?: string;
}

/** Asks whose token it is. */
export interface TokenReview {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "authentication.k8s.io/v1";
  /** Name of the type that this object has. */
  kind: "TokenReview";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** The question. */
  spec?: TokenReviewSpec;
  /** The answer, given by the server. */
  status?: TokenReviewStatus;
}

/** A token, and for whom it has to be good. */
export interface TokenReviewSpec {
  /** Names of whom the token is shown to; it has to be good for one of them. Empty means the API server. */
  audiences?: string[];
  /** The token as it was shown. */
  token: string;
}

/** Who holds the token. */
export interface TokenReviewStatus {
  /** Which of the audiences the token is good for. */
  audiences?: string[];
  /** True if the token belongs to a known user. */
  authenticated?: boolean;
  /** Why the token could not be checked. */
  error?: string;
  /** The user, if there is one. */
  user?: UserInfo;
}

/** What is known of a user. */
export interface UserInfo {
  /** What else the authenticator says, by key. */
  extra?: { [key: string]: string[] };
  /** Groups that the user is in. */
  groups?: string[];
  /** What tells the user from others who had the name before. */
  uid?: string;
  /** Name by which the user goes. */
  username?: string;
}
