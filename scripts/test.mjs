import { refuseNode } from './setup/node-version.mjs';

/* `npm test`. Only what every version of Node can read stands here; the rest is loaded once the version is known. */

const refusal = refuseNode(process.versions.node);
if (refusal) {
  console.error(refusal);
  console.log('0 passed, 1 failed');
  process.exit(1);
}

import('./setup/test.mjs').then(({ test }) => test()).then((ok) => process.exit(ok ? 0 : 1));
