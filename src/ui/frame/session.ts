// Whom the page speaks for. A token is never kept: the server gives a cookie for it, which no script can read.
import { signal } from "@preact/signals";
import { ask, Refused, type ToldStatus } from "./ask.ts";

export interface Session {
  readonly user: string;
  readonly groups: readonly string[];
  /** Whether this server asks people who they are. */
  readonly asksWho: boolean;
  /** Whether the user has said who he is, or need not. */
  readonly known: boolean;
}

const UI = "/egret/v1/ui";

export const session = signal<Session | undefined>(undefined);
/** Why a login did not succeed. */
export const loginRefused = signal<ToldStatus | undefined>(undefined);

/** Takes a link of `egret ui` in, then finds out who this is. Throws Refused where nobody answers. */
export async function openSession(): Promise<Session> {
  const code = /^#code=(.+)$/.exec(location.hash)?.[1];
  if (code !== undefined) {
    history.replaceState(undefined, "", location.pathname + location.search); // it is good once, and is nobody else's
    await tryLogin({ body: { code } });
  }
  const found = await ask<Session>(`${UI}/session`);
  session.value = found;
  return found;
}

/** With a token, as a client would show it. The page begins anew when it is good. */
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
