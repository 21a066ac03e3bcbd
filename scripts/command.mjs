import { refuseNode } from './setup/node-version.mjs';

/*
 * Runs a command of ours, `node scripts/command.mjs token|verify ARGUMENTS`, with what it needs installed first. Standard
 * output is its result's alone: what is said on the way goes to standard error.
 */

const refusal = refuseNode(process.versions.node);
if (refusal) {
  console.error(refusal);
  process.exit(1);
}

const print = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr);

import('./setup/install.mjs')
  .then(({ ensureInstalled }) => ensureInstalled())
  .then(() => import('tsx/esm/api'))
  .then(({ register }) => register())
  .then(() => import(`./${process.argv[2]}.ts`))
  .then(({ main }) => main(process.argv.slice(3)))
  .then(({ output, message, code }) => {
    if (message) console.error(message);
    // A pipe is written in the background: end only once all of it is.
    if (output) print(output + '\n', () => process.exit(code));
    else process.exit(code);
  })
  .catch((error) => {
    console.error(error && error.name === 'SetupError' ? `\n${error.message}` : error);
    process.exit(1);
  });
