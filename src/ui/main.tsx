// Where the page begins.
import "./page.css";
import { render } from "preact";
import { App } from "./app.tsx";
import { followLinks } from "./frame/navigation.ts";

const place = document.getElementById("page");
if (!place) throw new Error("index.html has no place for the page");
followLinks();
render(<App />, place);
