// Sessions of pages. A page keeps no token: whoever has shown his credentials once gets a cookie that stands for them, or
// a link with which a browser gets one. A cookie says only who asks if the request comes from a page of this very server:
// browsers send cookies along with whatever any page makes them ask, also between the ports of one machine.
import { createHash } from "node:crypto";
import { setMaxListeners } from "node:events";
import type { Socket } from "node:net";
import type { ApiRequest } from "../../apiserver/api-request.ts";
import { cloneText } from "../../go/clone.ts";
import type { Clock } from "../../meta/clock.ts";
import { badRequest } from "../../meta/status.ts";
import { addressKey } from "../open-connections.ts";
import type { Authenticator } from "./authenticator.ts";
import { hasCertificate } from "./client-certificate.ts";
import { FailedLogins } from "./failed-logins.ts";
import { Secrets } from "./secrets.ts";
import { type Credential, type SessionFile, seal, unseal } from "./session-file.ts";
import type { UserInfo } from "./token-file.ts";

type Headers = Parameters<Authenticator>[0];
/** Looks again, as for each request: a token can be revoked. */
type Who = () => UserInfo | undefined;

interface Session {
  /** undefined: an earlier process has kept it, and nobody has shown its cookie since. */
  who: Who | undefined;
  readonly sealed: string;
  usedMs: number;
  readonly end: AbortController;
}

const MINUTE_MS = 60_000;
const SESSION_LIMITS = { lifeMs: 12 * 60 * MINUTE_MS, max: 1000, maxOfOwner: 50 };
const SESSION_IDLE_MS = 2 * 60 * MINUTE_MS;
/** How old what is kept of the use of a session may be. */
const KEPT_AGE_MS = MINUTE_MS;
const LINK_LIMITS = { lifeMs: 2 * MINUTE_MS, max: 100, maxOfOwner: 10 };
/** The file is written at once, and then no more often than this: it holds all sessions. */
const WRITE_PAUSE_MS = 1000;
/** Tokens have at most some kilobytes; each is kept once for each of its sessions. */
const TOKEN_CHARACTERS_MAX = 16 * 1024;

/** What such a request does has no effect. */
const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

export interface SessionsOptions {
  /** Knows credentials. */
  readonly authenticate: Authenticator;
  readonly encrypted: boolean;
  /** Cookies do not know ports: two servers on one machine must not take each other's. */
  readonly port: () => number;
  readonly clock: Clock;
  /** Where sessions are kept for the next process; undefined: they end with this one. */
  readonly file?: SessionFile | undefined;
}

export class Sessions {
  readonly #options: SessionsOptions;
  readonly #sessions: Secrets<Session>;
  readonly #links: Secrets<Credential>;
  readonly #failures: FailedLogins;
  #keptMs = 0;
  /** The file was written less than a pause ago. */
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

  /** Who asks, by his credentials, or without any by the cookie of a page. */
  readonly authenticate: Authenticator = (headers, socket, method, rawHeaders) => {
    const secret = this.#countingSecretOf(headers, socket, method);
    if (secret === undefined) return this.#options.authenticate(headers, socket, method, rawHeaders);
    return this.#find(secret)?.who?.();
  };

  /** Aborts when somebody ends the session that lets such a request in; undefined: none does. */
  readonly endOf = (headers: Headers, socket?: Socket, method?: string): AbortSignal | undefined => {
    const secret = this.#countingSecretOf(headers, socket, method);
    return secret === undefined ? undefined : this.#sessions.find(secret)?.end.signal;
  };

  /** A session for whoever makes the request, as the Set-Cookie of its answer; undefined when he shows a cookie alone. */
  open(request: ApiRequest): string | undefined {
    const credential = this.#credentialOf(request);
    return credential && this.#openFor(credential, ownerOf(request.user));
  }

  /** The session ends, if there is one. */
  close({ headers }: ApiRequest): string {
    const secret = this.#secretOf(headers);
    const session = secret === undefined ? undefined : this.#sessions.take(secret);
    session?.end.abort();
    if (session !== undefined) this.#keep();
    return this.#cookie("", 0);
  }

  /**
   * A code with which a browser can open one session for whoever makes the request, within a short time; undefined when he
   * shows a cookie alone.
   */
  makeCode(request: ApiRequest): string | undefined {
    const credential = this.#credentialOf(request);
    return credential && this.#links.issue(ownerOf(request.user), () => credential);
  }

  /** undefined: the code is used up, too old, or none. */
  openByCode(code: string): string | undefined {
    const credential = this.#links.take(code);
    const user = credential && this.#whoHas(credential)();
    return credential && user && this.#openFor(credential, ownerOf(user));
  }

  /** In how many seconds a wrong credential of this client is answered with 401 again; 0: at once. */
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

  /** Many logins in a second are written together. */
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

  /** Sessions make no sessions: none would ever end. */
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

  /** The secret of a cookie that says who asks. */
  #countingSecretOf(headers: Headers, socket?: Socket, method?: string): string | undefined {
    const secret = this.#secretOf(headers);
    if (secret === undefined || headers["authorization"] !== undefined) return undefined;
    const showsCertificate = socket !== undefined && hasCertificate(socket);
    return showsCertificate || !this.#isOwnPage(headers, method) ? undefined : secret;
  }

  /** Pages cannot forge these headers. What says neither where it comes from is not believed to come from here. */
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

/** Sessions of a user are counted together, also those that an earlier process has kept. */
const ownerOf = ({ name }: UserInfo): string => createHash("sha256").update(name).digest("base64url");

/** A page watches much, in each of its tabs. */
function newEnd(): AbortController {
  const end = new AbortController();
  setMaxListeners(0, end.signal);
  return end;
}
