// Entry point of the web UI.
import "./page.css";
import { render } from "preact";
import { App } from "./app.tsx";
import { openFeed } from "./data/open-feed.ts";
import { followLinks } from "./frame/navigation.ts";
import { openSession } from "./frame/session.ts";
import { again, follow, link } from "./state.ts";

const place = document.getElementById("page");
if (!place) throw new Error("index.html has no place for the page");
followLinks();
render(<App />, place);
const { user, known } = await openSession();
if (known) {
  const feed = await openFeed(user);
  let leave = follow(feed);
  addEventListener("pagehide", () => leave());
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted) leave = follow(feed); // the browser restores the document from its back/forward cache
  });
}
addEventListener("online", again);
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && link.value.state === "lost") again();
});
