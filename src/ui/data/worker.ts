// The shared worker: all tabs of a browser share one set of watches, so that another tab causes no more load.
import { browserClock } from "../frame/browser-clock.ts";
import { httpTransport } from "./http-transport.ts";
import { servePort } from "./port-feed.ts";
import { ServerFeed } from "./server-feed.ts";

const feed = new ServerFeed(httpTransport, browserClock);

addEventListener("connect", (event) => {
  for (const port of (event as MessageEvent).ports) servePort(feed, port);
});
