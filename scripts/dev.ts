// npm run dev: runs the server from its source, without a build. Node restarts it whenever a file that it has read
// changes.
import process from "node:process";
import { endProcess } from "../src/launch/end-process.ts";
import { main } from "../src/main.ts";

void main(process.argv.slice(2), process.env).then(endProcess);
