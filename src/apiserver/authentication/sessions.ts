// Sessions of the web UI. The web UI stores no token: a login with credentials, or a one-time link, sets a session
// cookie. A cookie authenticates only requests from this server's own pages: browsers attach cookies to requests
// from any page, also across the ports of one host.
import { createHash } from "node:crypto";
import { setMaxListeners } from "node:events";
import type { Socket } from "node:net";
import { cloneText } from "../../apimachinery/go/clone.ts";
import type { Clock } from "../../apimachinery/meta/clock.ts";
import { badRequest } from "../../apimachinery/meta/status.ts";
import type { ApiRequest } from "../endpoints/api-request.ts";
import { addressKey } from "../http/open-connections.ts";
import type { Authenticator } from "./authenticator.ts";
import { hasCertificate } from "./client-certificate.ts";
import { FailedLogins } from "./failed-logins.ts";
import { Secrets } from "./secrets.ts";
import { type Credential, type SessionFile, seal, unseal } from "./session-file.ts";
import type { UserInfo } from "./token-file.ts";

type Headers = Parameters<Authenticator>[0];
/** Returns the user of a session. A token is authenticated again for each request, because it can be revoked. */
type Who = () => UserInfo | undefined;

interface Session {
  /** undefined: restored from the file of an earlier process, and its cookie has not been presented since. */
  who: Who | undefined;
  readonly sealed: string;
  usedMs: number;
  readonly end: AbortController;
}

const MINUTE_MS = 60_000;
const SESSION_LIMITS = { lifeMs: 12 * 60 * MINUTE_MS, max: 1000, maxOfOwner: 50 };
const SESSION_IDLE_MS = 2 * 60 * MINUTE_MS;
/** Maximum age of the last-use time in the session file. */
const KEPT_AGE_MS = MINUTE_MS;
const LINK_LIMITS = { lifeMs: 2 * MINUTE_MS, max: 100, maxOfOwner: 10 };
/** Minimum interval between writes of the session file, which holds all sessions. The first write is immediate. */
const WRITE_PAUSE_MS = 1000;
/** Tokens have at most some kilobytes. Each session keeps a copy. */
const TOKEN_CHARACTERS_MAX = 16 * 1024;

/** Methods without side effects. */
const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

export interface SessionsOptions {
  /** Authenticates credentials. */
  readonly authenticate: Authenticator;
  readonly encrypted: boolean;
  /** Part of the cookie's name: cookies are shared by all ports of a host. */
  readonly port: () => number;
  readonly clock: Clock;
  /** Keeps sessions over a restart; undefined: sessions end with the process. */
  readonly file?: SessionFile | undefined;
}

export class Sessions {
  readonly #options: SessionsOptions;
  readonly #sessions: Secrets<Session>;
  readonly #links: Secrets<Credential>;
  readonly #failures: FailedLogins;
  #keptMs = 0;
  /** The file was written less than WRITE_PAUSE_MS ago. */
  #isPausing = false;
  #isUnwritten = false;

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#sessions = new Secrets(options.clock, SESSION_LIMITS, ({ end }) => end.abort());
    this.#links = new Secrets(options.clock, LINK_LIMITS);
    this.#failures = new FailedLogins(options.clock);
    for (const { hash, sealed, usedMs, endMs, owner } of options.file?.read() ?? [])
      this.#sessions.restore(hash, { who: undefined, sealed, usedMs, end: newEnd() }, endMs, owner);
  }

  /** Authenticates by credentials, or without credentials by the session cookie. */
  readonly authenticate: Authenticator = (headers, socket, method, rawHeaders) => {
    const secret = this.#countingSecretOf(headers, socket, method);
    if (secret === undefined) return this.#options.authenticate(headers, socket, method, rawHeaders);
    return this.#find(secret)?.who?.();
  };

  /** Aborts when the session that admits the request is closed; undefined without a session. */
  readonly endOf = (headers: Headers, socket?: Socket, method?: string): AbortSignal | undefined => {
    const secret = this.#countingSecretOf(headers, socket, method);
    return secret === undefined ? undefined : this.#sessions.find(secret)?.end.signal;
  };

  /**
   * Opens a session for the user of the request and returns the Set-Cookie header; undefined when the only
   * credential is a cookie.
   */
  open(request: ApiRequest): string | undefined {
    const credential = this.#credentialOf(request);
    return credential && this.#openFor(credential, ownerOf(request.user));
  }

  /** Closes the session of the request, if any. Returns the Set-Cookie header. */
  close({ headers }: ApiRequest): string {
    const secret = this.#secretOf(headers);
    const session = secret === undefined ? undefined : this.#sessions.take(secret);
    session?.end.abort();
    if (session !== undefined) this.#keep();
    return this.#cookie("", 0);
  }

  /**
   * Returns a one-time code, valid for a short time, that opens a session for the user of the request; undefined
   * when the only credential is a cookie.
   */
  makeCode(request: ApiRequest): string | undefined {
    const credential = this.#credentialOf(request);
    return credential && this.#links.issue(ownerOf(request.user), () => credential);
  }

  /** undefined: the code is used, expired or unknown. */
  openByCode(code: string): string | undefined {
    const credential = this.#links.take(code);
    const user = credential && this.#whoHas(credential)();
    return credential && user && this.#openFor(credential, ownerOf(user));
  }

  /** Seconds until an invalid credential of this client gets 401 again instead of 429; 0: at once. */
  waitOf({ remoteAddress }: ApiRequest): number {
    return this.#failures.waitOf(addressKey(remoteAddress));
  }

  failed({ remoteAddress }: ApiRequest): void {
    this.#failures.failed(addressKey(remoteAddress));
  }

  #openFor(credential: Credential, owner: string): string {
    const usedMs = this.#options.clock.now();
    const secret = this.#sessions.issue(owner, (secret) => ({
      ...{ who: this.#whoHas(credential), sealed: seal(credential, secret), usedMs, end: newEnd() },
    }));
    this.#keepSoon();
    return this.#cookie(secret, SESSION_LIMITS.lifeMs);
  }

  #keep(): void {
    const { file, clock } = this.#options;
    this.#keptMs = clock.now();
    file?.write(
      [...this.#sessions.entries()].map(([hash, { sealed, usedMs }, endMs, owner]) => ({
        ...{ hash, sealed, usedMs, endMs, owner },
      })),
    );
  }

  /** Batches several logins into one write. */
  #keepSoon(): void {
    const { file, clock } = this.#options;
    if (file === undefined) return;
    this.#isUnwritten = true;
    if (this.#isPausing) return;
    this.#isUnwritten = false;
    this.#keep();
    this.#isPausing = true;
    clock.after(WRITE_PAUSE_MS, () => {
      this.#isPausing = false;
      if (this.#isUnwritten) this.#keepSoon();
    });
  }

  /** A session cookie is no credential for a new session: otherwise sessions could be prolonged without end. */
  #credentialOf({ headers, user }: ApiRequest): Credential | undefined {
    const { authorization } = headers;
    if (authorization !== undefined) return { authorization: canonicalToken(authorization) };
    return this.#secretOf(headers) === undefined ? { user } : undefined; // by a certificate
  }

  #whoHas(credential: Credential): Who {
    if ("user" in credential) return () => credential.user;
    const { authorization } = credential;
    return () => this.#options.authenticate({ authorization });
  }

  #find(secret: string): Session | undefined {
    const session = this.#sessions.find(secret);
    if (session === undefined) return undefined;
    const now = this.#options.clock.now();
    if (now - session.usedMs >= SESSION_IDLE_MS) {
      this.#sessions.take(secret);
      return undefined;
    }
    session.usedMs = now;
    if (session.who === undefined) {
      const credential = unseal(session.sealed, secret);
      session.who = credential ? this.#whoHas(credential) : () => undefined;
    }
    if (now - this.#keptMs >= KEPT_AGE_MS) this.#keep();
    return session;
  }

  /** The secret of a cookie that authenticates the request. */
  #countingSecretOf(headers: Headers, socket?: Socket, method?: string): string | undefined {
    const secret = this.#secretOf(headers);
    if (secret === undefined || headers["authorization"] !== undefined) return undefined;
    const showsCertificate = socket !== undefined && hasCertificate(socket);
    return showsCertificate || !this.#isOwnPage(headers, method) ? undefined : secret;
  }

  /**
   * Whether the request comes from a page of this server. Pages cannot forge these headers. A request without Origin
   * and Sec-Fetch-Site is not trusted.
   */
  #isOwnPage(headers: Headers, method = "GET"): boolean {
    const { origin, "sec-fetch-site": site = "same-origin" } = headers;
    if (site !== "same-origin") return false;
    if (origin === undefined) return headers["sec-fetch-site"] !== undefined && SAFE_METHODS.has(method);
    const host = headers["host"] ?? headers[":authority"] ?? "";
    return origin.toLowerCase() === `${this.#options.encrypted ? "https" : "http"}://${host.toLowerCase()}`;
  }

  get #cookieName(): string {
    const { encrypted, port } = this.#options;
    return `${encrypted ? "__Host-" : ""}egret-${port()}`;
  }

  #secretOf({ cookie = "" }: Headers): string | undefined {
    if (cookie === "") return undefined;
    const start = `${this.#cookieName}=`;
    const pairs = cookie.split(";").map((pair) => pair.trim());
    return pairs.find((pair) => pair.startsWith(start))?.slice(start.length);
  }

  #cookie(secret: string, lifeMs: number): string {
    const secure = this.#options.encrypted ? "; Secure" : "";
    const life = `Max-Age=${lifeMs / 1000}`;
    return `${this.#cookieName}=${secret}; Path=/; ${life}; HttpOnly; SameSite=Strict${secure}`;
  }
}

/** The scheme and the token of a header, without what may follow. Throws 400. */
function canonicalToken(authorization: string): string {
  const [scheme = "", token = ""] = authorization.trim().split(" ", 2);
  if (token.length > TOKEN_CHARACTERS_MAX) throw badRequest("the token is too long for a session");
  return cloneText(`${scheme} ${token}`);
}

/** Identifies a user in the limit of sessions, also over a restart. */
const ownerOf = ({ name }: UserInfo): string => createHash("sha256").update(name).digest("base64url");

/** The web UI opens many watches in each tab, so the listener limit is lifted. */
function newEnd(): AbortController {
  const end = new AbortController();
  setMaxListeners(0, end.signal);
  return end;
}
