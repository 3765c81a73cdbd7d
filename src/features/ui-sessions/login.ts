// Login sessions of the web UI: /egret/v1/ui.

import { badRequest, failure, StatusError, tooManyRequests } from "../../apimachinery/meta/status.ts";
import { AUTHENTICATED_GROUP } from "../../apiserver/authorization/access-check.ts";
import type { ApiRequest, ApiResponse } from "../../apiserver/endpoints/api-request.ts";
import {
  type ControlRoute,
  closedObject,
  flag,
  list,
  object,
  route,
  text,
  WholeAnswer,
} from "../control-surface/control-route.ts";

/** Stores sessions. Cookies are returned as values of Set-Cookie. */
export interface PageLogins {
  /** Opens a session for the authenticated user; undefined for a request with a cookie only. */
  open(request: ApiRequest): string | undefined;
  /** Closes the session of the request. */
  close(request: ApiRequest): string;
  /** Creates a single-use code for a session of the authenticated user; undefined for a request with a cookie only. */
  makeCode(request: ApiRequest): string | undefined;
  /** undefined: the code is invalid, used or expired. */
  openByCode(code: string): string | undefined;
  /** Seconds until a failure from the address of the request is a 401 again instead of a 429; 0: now. */
  waitOf(request: ApiRequest): number;
  /** Counts a failed login. */
  failed(request: ApiRequest): void;
}

export interface LoginDeps {
  /** undefined: the server does not authenticate, and the web UI needs no login. */
  readonly logins: PageLogins | undefined;
  /** URL of the server; valid once it listens. */
  readonly url: () => string;
}

const SESSION = object({
  user: text("Whom the page speaks for."),
  groups: list(text()),
  asksWho: flag("Whether this server asks people who they are."),
  known: flag("Whether the user has said who he is, or need not."),
});

/** A code has about 50 characters. */
const LOGIN_BYTES_MAX = 4096;
const LOGIN = closedObject({ code: text("Of a link; left out: the request shows credentials itself.") });
const LINK = object({ url: text("To be opened once, within two minutes, in a browser.") });

const unauthorized = (message: string): StatusError =>
  failure({ code: 401, reason: "Unauthorized", message });

const withCookie = (cookie: string): WholeAnswer =>
  new WholeAnswer({ status: 204, headers: { "set-cookie": cookie }, body: undefined } satisfies ApiResponse);

/** Path of the web UI. */
export const PAGE_PATH = "/egret/ui/";

export const loginRoutes = ({ logins, url }: LoginDeps): ControlRoute[] => [
  route("GET /ui/session", "getUiSession", {
    summary: "Whom a page of this server speaks for.",
    access: "anybody",
    answer: ["The user.", SESSION],
    handle: ({ caller: { user } }) => ({
      user: user.name,
      groups: user.groups,
      asksWho: logins !== undefined,
      known: isKnown(user),
    }),
  }),
  route("POST /ui/login", "logInToUi", {
    summary:
      "Gives a browser a cookie that stands for a token, a certificate, or a link that was made with one. After five failures in a minute from one address further ones are 429.",
    access: "anybody",
    body: LOGIN,
    bodyForm: "json",
    bodyBytesMax: LOGIN_BYTES_MAX,
    answer: ["The cookie is set; where nobody is asked who he is there is none."],
    handle: ({ raw, caller, body: { code } }) => {
      if (logins === undefined) return undefined;
      try {
        if (code === undefined) return withCookie(logins.open(asHimself(raw, caller)) ?? refuseUnknown());
        return withCookie(logins.openByCode(code) ?? refuseCode());
      } catch (error) {
        if (!(error instanceof StatusError && error.code === 401)) throw error;
        const waitSeconds = logins.waitOf(raw);
        if (waitSeconds > 0)
          throw tooManyRequests("logins have failed too often; wait a little", waitSeconds);
        logins.failed(raw);
        throw error;
      }
    },
  }),
  route("POST /ui/logout", "logOutOfUi", {
    summary: "Ends the session that the request shows.",
    access: "anybody",
    answer: ["The cookie means nothing any more."],
    handle: ({ raw }) => (logins === undefined ? undefined : withCookie(logins.close(raw))),
  }),
  route("POST /ui/link", "makeUiLink", {
    summary: "Makes a link by which a browser gets a session of whoever asks.",
    access: "anybody",
    answer: ["The link.", LINK],
    handle: ({ raw, caller }) => {
      const page = `${url()}${PAGE_PATH}`;
      if (logins === undefined) return { url: page };
      const code = logins.makeCode(asHimself(raw, caller)) ?? refuseUnknown();
      return { url: `${page}#code=${code}` }; // browsers do not send the fragment, so servers do not log it
    },
  }),
];

type Asker = { readonly user: { readonly groups: readonly string[] } };

const isKnown = ({ groups }: Asker["user"]): boolean => groups.includes(AUTHENTICATED_GROUP);

/** Throws 401, and 400 for an impersonated user: a session belongs to the authenticated user. */
function asHimself(raw: ApiRequest, { user }: Asker): ApiRequest {
  if (raw.impersonate !== undefined)
    throw badRequest("a session is for whoever shows the credentials, and for nobody else");
  return isKnown(user) ? raw : refuseUnknown();
}

/** Throws 401. */
function refuseCode(): never {
  throw unauthorized("this link is used up or too old; egret ui makes another");
}

/** Throws 401. */
function refuseUnknown(): never {
  throw unauthorized("show a token or a certificate");
}
