/**
 * Why this Node cannot run Holdfast, or null. Written for old versions too: it runs before anything else.
 * @param {string} version as in `process.versions.node`
 */
export function refuseNode(version) {
  var parts = version.split('.').map(Number);
  var enough = parts[0] > 20 || (parts[0] === 20 && parts[1] >= 19);
  return enough
    ? null
    : 'Holdfast needs Node.js 20.19 or later; this is ' +
        version +
        '. Install a current one from https://nodejs.org and run the same command again.';
}
