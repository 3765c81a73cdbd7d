// Top bar: navigation between views, state of the connection, and session.
import type { Link } from "../data/feed.ts";
import { formatRoute, keepingAt, type Route, type View } from "./route.ts";
import { logOut, type Session } from "./session.ts";

/** In display order; the bar lists only views in this table. */
const WORDS: readonly { readonly view: View; readonly word: string }[] = [
  { view: "map", word: "Map" },
  { view: "o", word: "Objects" },
  { view: "trace", word: "Trace" },
  { view: "whatif", word: "What if" },
  { view: "time", word: "Timeline" },
  { view: "lab", word: "Lab" },
  { view: "traffic", word: "Traffic" },
];

interface TopBarProps {
  readonly route: Route;
  readonly link: Link;
  readonly revision: number;
  readonly session: Session | undefined;
  readonly onHelp: () => void;
}

export function TopBar({ route, link, revision, session, onHelp }: TopBarProps) {
  return (
    <header class="top-bar">
      <strong class="egret">Egret</strong>
      <nav aria-label="Views">
        {WORDS.map(({ view, word }) => (
          <a
            key={view}
            href={formatRoute(keepingAt({ view, path: [], query: new URLSearchParams() }, route))}
            aria-current={view === route.view ? "page" : undefined}
          >
            {word}
          </a>
        ))}
      </nav>
      <LinkState link={link} revision={revision} />
      <button type="button" class="keys" aria-label="Keys" aria-keyshortcuts="?" onClick={onHelp}>
        ?
      </button>
      {session?.asksWho && session.known && (
        <span class="user">
          {session.user}{" "}
          <button type="button" class="quiet" onClick={() => void logOut()}>
            Log out
          </button>
        </span>
      )}
    </header>
  );
}

function LinkState({ link, revision }: { link: Link; revision: number }) {
  return (
    <span class={`link-state ${link.state}`} role="status">
      {link.state === "live" ? `● live · revision ${revision.toLocaleString()}` : TOLD[link.state]}
    </span>
  );
}

const TOLD = { loading: "○ loading", lost: "✕ not connected", login: "○ not logged in" } as const;
