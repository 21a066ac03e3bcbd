import { refuseNode } from "./setup/node-version.mjs";

/*
 * `npm run -s token -- NAME ROLE [--person]`. Standard output is the token's alone: what is said on the way goes to
 * standard error.
 */

const refusal = refuseNode(process.versions.node);
if (refusal) {
  console.error(refusal);
  process.exit(1);
}

const print = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr);

import("./setup/install.mjs")
  .then(({ ensureInstalled }) => ensureInstalled())
  .then(() => import("tsx/esm/api"))
  .then(({ register }) => register())
  .then(() => import("./token.ts"))
  .then(({ main }) => main(process.argv.slice(2)))
  .then(({ token, message, code }) => {
    if (message) console.error(message);
    // A pipe is written in the background: end only once all of it is.
    if (token) print(token + "\n", () => process.exit(code));
    else process.exit(code);
  })
  .catch((error) => {
    console.error(error && error.name === "SetupError" ? `\n${error.message}` : error);
    process.exit(1);
  });
