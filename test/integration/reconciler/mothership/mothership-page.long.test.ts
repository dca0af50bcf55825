/** The commands of docs/mothership/README.md, as a new user executes them: a cluster becomes ready, with a chart that is broken and fixed. */
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { freePort } from '../../../../hack/control-planes/process/free-port.ts';
import { createPageCommands, makeProgram, type PageCommands } from '../../../docs/page-commands.ts';
import { eventually } from '../../../environment/eventually.ts';
import { noKubectlBecause } from '../../harness/user-shell/user-shell.ts';

// It starts a control plane beside those of the test run.
jest.setTimeout(240_000);

const ROOT = join(import.meta.dirname, '../../../..');
const missing = noKubectlBecause();
if (missing !== undefined) process.stderr.write(`left out: the page of the mothership; ${missing}\n`);
const withKubectl = missing === undefined ? test : test.skip;

let page: PageCommands;
let url: string;

beforeAll(async () => {
  // Other tests, and programs of this machine, may have the ports of the page.
  const replaced = { '8080': `${await freePort()}`, '8081': `${await freePort()}` };
  url = `http://localhost:${replaced['8080']}`;
  page = await createPageCommands('docs/mothership/README.md', {
    programs: { make: makeProgram({ cluster: 'hack/control-planes/run.ts' }) },
    replaced,
  });
  await cp(join(ROOT, 'examples/mothership'), join(page.folder, 'examples/mothership'), { recursive: true });
  const file = join(page.folder, 'examples/mothership/reconciler.yaml');
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replaceAll('8080', replaced['8080']).replaceAll('8081', replaced['8081']));
  // Their defaults are the port of the page; the component reconciler has a flag.
  page.env.RECONCILER_SERVER_PORT = replaced['8080'];
  page.env.RECONCILER_URL = url;
});
afterAll(() => page?.close());

const statusOf = async (status: string) =>
  eventually(async () => {
    const response = await fetch(`${url}/v1/clusters/state?runtimeID=6f1c9d9e-2f0a-4f8c-8a3e-6c2f1f0c8f21`);
    expect(await response.json()).toMatchObject({ status: { status } });
  });

withKubectl(
  'a registered cluster becomes ready; a broken chart is named with its file; the fixed one is ready',
  async () => {
    const [, kubeconfig = ''] = await page.begin('make cluster').printed(/^export KUBECONFIG=(.+)$/m);
    page.env.KUBECONFIG = kubeconfig;
    const programs = [
      page.begin('--config examples/mothership/reconciler.yaml'),
      page.begin('cp -r examples/mothership/charts .'),
    ];
    for (const program of programs) await program.printed(/"message":"serving"/);
    expect(await page.execute('curl --fail localhost')).not.toBe('');

    expect(await page.execute('jq --null-input')).toMatch(/"status":"reconcile_pending"/);
    await statusOf('ready');
    const shown = await page.execute('clusters list\nkubectl');
    expect(shown).toMatch(/^shop +6f1c9d9e-\S+ +ready /m);
    expect(shown).toMatch(/^hello, shop$/m);

    await page.execute('hello is broken');
    await statusOf('reconcile_error_retryable');
    expect(await page.execute('clusters get shop')).toMatch(
      /^hello +hello +- +.*hello\/templates\/broken\.yaml:1:\d+.*hello is broken/m,
    );
    expect(await page.execute('rm charts')).toMatch(/shop is reconcile_pending: its run starts now/);
    await statusOf('ready');
  },
);
