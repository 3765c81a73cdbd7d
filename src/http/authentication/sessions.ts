// Sessions of pages. A page keeps no token: whoever has shown his credentials once gets a cookie that stands for them, or
// a link with which a browser gets one. A cookie says only who asks if the request comes from a page of this very server:
// browsers send cookies along with whatever any page makes them ask, also between the ports of one machine.
import { setMaxListeners } from "node:events";
import type { Socket } from "node:net";
import type { ApiRequest } from "../../apiserver/api-request.ts";
import type { Clock } from "../../meta/clock.ts";
import { type Authenticator, certificateHolder } from "./authenticator.ts";
import { Secrets } from "./secrets.ts";
import type { UserInfo } from "./token-file.ts";

type Headers = Parameters<Authenticator>[0];
/** Looks again, as for each request: a token can be revoked. */
type Who = () => UserInfo | undefined;

interface Session {
  readonly who: Who;
  usedMs: number;
  readonly end: AbortController;
}

const MINUTE_MS = 60_000;
const SESSION_LIMITS = { lifeMs: 12 * 60 * MINUTE_MS, max: 1000 };
const SESSION_IDLE_MS = 2 * 60 * MINUTE_MS;
const LINK_LIMITS = { lifeMs: 2 * MINUTE_MS, max: 100 };

/** What such a request does has no effect. */
const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

export interface SessionsOptions {
  /** Knows credentials. */
  readonly authenticate: Authenticator;
  readonly encrypted: boolean;
  /** Cookies do not know ports: two servers on one machine must not take each other's. */
  readonly port: () => number;
  readonly clock: Clock;
}

export class Sessions {
  readonly #options: SessionsOptions;
  readonly #sessions: Secrets<Session>;
  readonly #links: Secrets<Who>;

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#sessions = new Secrets(options.clock, SESSION_LIMITS);
    this.#links = new Secrets(options.clock, LINK_LIMITS);
  }

  /** Who asks, by his credentials, or without any by the cookie of a page. */
  readonly authenticate: Authenticator = (headers, socket, method) => {
    const secret = this.#countingSecretOf(headers, socket, method);
    if (secret === undefined) return this.#options.authenticate(headers, socket, method);
    return this.#find(secret)?.who();
  };

  /** Aborts when somebody ends the session that lets such a request in; undefined: none does. */
  readonly endOf = (headers: Headers, socket?: Socket, method?: string): AbortSignal | undefined => {
    const secret = this.#countingSecretOf(headers, socket, method);
    return secret === undefined ? undefined : this.#sessions.find(secret)?.end.signal;
  };

  /** A session for whoever makes the request, as the Set-Cookie of its answer; undefined when he shows a cookie alone. */
  open(request: ApiRequest): string | undefined {
    const who = this.#whoMakes(request);
    return who && this.#openFor(who);
  }

  /** The session ends, if there is one. */
  close({ headers }: ApiRequest): string {
    const secret = this.#secretOf(headers);
    if (secret !== undefined) this.#sessions.take(secret)?.end.abort();
    return this.#cookie("", 0);
  }

  /**
   * A code with which a browser can open one session for whoever makes the request, within a short time; undefined when he
   * shows a cookie alone.
   */
  makeCode(request: ApiRequest): string | undefined {
    const who = this.#whoMakes(request);
    return who && this.#links.issue(who);
  }

  /** undefined: the code is used up, too old, or none. */
  openByCode(code: string): string | undefined {
    const who = this.#links.take(code);
    return who?.() && this.#openFor(who);
  }

  #openFor(who: Who): string {
    const end = new AbortController();
    setMaxListeners(0, end.signal); // a page watches much, in each of its tabs
    const secret = this.#sessions.issue({ who, usedMs: this.#options.clock.now(), end });
    return this.#cookie(secret, SESSION_LIMITS.lifeMs);
  }

  /** Sessions make no sessions: none would ever end. */
  #whoMakes({ headers, user }: ApiRequest): Who | undefined {
    const { authorization } = headers;
    if (authorization !== undefined) return () => this.#options.authenticate({ authorization });
    return this.#secretOf(headers) === undefined ? () => user : undefined; // by a certificate
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
    return session;
  }

  /** The secret of a cookie that says who asks. */
  #countingSecretOf(headers: Headers, socket?: Socket, method?: string): string | undefined {
    const secret = this.#secretOf(headers);
    if (secret === undefined || headers["authorization"] !== undefined) return undefined;
    const hasCertificate = socket !== undefined && certificateHolder(socket) !== undefined;
    return hasCertificate || !this.#isOwnPage(headers, method) ? undefined : secret;
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
