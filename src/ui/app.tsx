// The page: the bar, what is the matter, and the view that the address names.

import { route } from "./frame/navigation.ts";
import { TopBar } from "./frame/top-bar.tsx";
import { link, revision } from "./state.ts";
import { TraceView } from "./trace/trace-view.tsx";

export function App() {
  return (
    <>
      <TopBar route={route.value} link={link.value} revision={revision.value} />
      <main data-rev={revision.value}>
        {route.value.view === "trace" && <TraceView route={route.value} />}
      </main>
    </>
  );
}
