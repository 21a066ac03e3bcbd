import { refuseNode } from './setup/node-version.mjs';
import './setup/parent.mjs';

/* `npm start`. Only what every version of Node can read stands here; the rest is loaded once the version is known. */

const refusal = refuseNode(process.versions.node);
if (refusal) {
  console.error(refusal);
  process.exit(1);
}

import('./setup/start.mjs')
  .then(({ start }) => start())
  .catch((error) => {
    console.error(
      error && (error.name === 'SetupError' || error.name === 'ClusterInUseError' || error.name === 'MigrationError')
        ? `\n${error.message}`
        : error,
    );
    process.exit(1);
  });
