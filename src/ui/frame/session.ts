// Session of the web UI. A token is never stored: the server exchanges it for an HttpOnly cookie.
import { signal } from "@preact/signals";
import { ask, Refused, type ToldStatus } from "./ask.ts";

export interface Session {
  readonly user: string;
  readonly groups: readonly string[];
  /** Whether the server requires authentication. */
  readonly asksWho: boolean;
  /** Whether the user is authenticated, or needs no authentication. */
  readonly known: boolean;
}

const UI = "/egret/v1/ui";

export const session = signal<Session | undefined>(undefined);
/** Why the last login failed. */
export const loginRefused = signal<ToldStatus | undefined>(undefined);

/**
 * Redeems the login code of an `egret ui` link, then requests the session. Rejects with Refused if the server does not
 * answer.
 */
export async function openSession(): Promise<Session> {
  const code = /^#code=(.+)$/.exec(location.hash)?.[1];
  if (code !== undefined) {
    history.replaceState(undefined, "", location.pathname + location.search); // single-use secret: removed from the URL
    await tryLogin({ body: { code } });
  }
  const found = await ask<Session>(`${UI}/session`);
  session.value = found;
  return found;
}

/** Logs in with a bearer token; reloads the web UI on success. */
export async function logIn(token: string): Promise<void> {
  if (await tryLogin({ token: token.trim() })) location.reload();
}

export async function logOut(): Promise<void> {
  await ask(`${UI}/logout`, { method: "POST" });
  location.reload();
}

interface Credentials {
  readonly token?: string;
  readonly body?: unknown;
}

async function tryLogin(credentials: Credentials): Promise<boolean> {
  try {
    await ask(`${UI}/login`, { method: "POST", ...credentials });
    loginRefused.value = undefined;
    return true;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    loginRefused.value = error.status;
    return false;
  }
}
