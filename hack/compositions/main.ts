/**
 * Renders the Compositions of examples/composition at each stage of test/compositions, by the functions that they name
 * (`make render-compositions`). `--tools` is a folder with the programs; without it the Crossplane CLI on PATH gets them as
 * images, by Docker. `--check` writes nothing and fails where a record differs.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '../../internal/framework/base/errors/errors.ts';
import { renderAll } from './render-all.ts';
import { toolsByDocker, toolsInFolder } from './tools.ts';

/** Set for the process that runs within a network of its own. */
const ALONE = 'PROVIDER_KYMA_OWN_NETWORK';

const { values } = parseArgs({
  options: { tools: { type: 'string', default: '' }, check: { type: 'boolean', default: false } },
});

if (values.tools !== '' && process.env[ALONE] === undefined) {
  // Functions open port 8080 on all addresses besides the given one.
  const script = `ip link set lo up && exec "$0" "$@"`;
  const self = [process.execPath, join(import.meta.dirname, 'main.ts'), ...process.argv.slice(2)];
  const options = { stdio: 'inherit', env: { ...process.env, [ALONE]: '1' } } as const;
  const { status } = spawnSync(
    'unshare',
    ['--map-root-user', '--net', 'sh', '-euc', script, ...self],
    options,
  );
  process.exitCode = status ?? 1;
} else {
  try {
    const tools = values.tools === '' ? toolsByDocker() : await toolsInFolder(values.tools);
    const differing = await renderAll(tools, { write: !values.check });
    for (const path of differing) console.log(`${path}: ${values.check ? 'differs' : 'rendered anew'}`);
    if (values.check && differing.length > 0) process.exitCode = 1;
  } catch (error) {
    console.error(`render-compositions: ${messageOf(error)}`);
    process.exitCode = 1;
  }
}
