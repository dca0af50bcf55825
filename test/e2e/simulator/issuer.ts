/**
 * An OpenID provider with one OAuth client, which may do everything in a mothership. The folder of --tls has its certificate,
 * as a Secret of the type kubernetes.io/tls is mounted. For throw-away clusters only.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startOidcIssuer } from '../../environment/mothership/oidc-issuer.ts';
import { runCommand } from '../../simulators/base/command-line.ts';

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: '' },
    tls: { type: 'string', default: '' },
    client: { type: 'string', default: '' },
    secret: { type: 'string', default: '' },
  },
});

await runCommand(async () => {
  const read = (name: string) => readFile(join(values.tls, name), 'utf8');
  const issuer = await startOidcIssuer({
    listen: '0.0.0.0',
    port: 8443,
    url: values.url,
    tls: { cert: await read('tls.crt'), key: await read('tls.key') },
  });
  issuer.addClient({
    id: values.client,
    secret: values.secret,
    claims: { groups: ['reconciler-operator', 'reconciler-admin'] },
  });
  process.once('SIGTERM', () => void issuer.close());
  console.log(values.url);
});
