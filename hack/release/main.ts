/**
 * Makes all files of a release (`make release VERSION=v1.2.3`) in `dist/release`. Nothing is uploaded and no tag is set:
 * .github/workflows/release.yml does that with what lies there. The passphrase of the signing key comes from
 * SIGNING_KEY_PASSPHRASE.
 */
import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '../../internal/framework/base/errors/errors.ts';
import { runtimeFlags } from '../xpkg/choose-runtimes.ts';
import { release } from './release.ts';
import { releaseVersion } from './release-version.ts';

const ROOT = join(import.meta.dirname, '../..');

try {
  const { values } = parseArgs({
    options: {
      ...runtimeFlags,
      version: { type: 'string', default: '' },
      source: { type: 'string' },
      'signing-key': { type: 'string' },
      'allow-uncommitted': { type: 'boolean', default: false },
      output: { type: 'string', default: join(ROOT, 'dist/release') },
    },
  });
  const { output, source, 'signing-key': keyFile } = values;
  const version = releaseVersion(values.version);
  const names = await release({
    root: ROOT,
    version,
    output,
    runtime: values,
    source,
    signingKey: keyFile === undefined ? undefined : await readFile(keyFile, 'utf8'),
    passphrase: process.env.SIGNING_KEY_PASSPHRASE,
    allowUncommitted: values['allow-uncommitted'],
  });
  for (const name of names) console.log(relative(process.cwd(), join(output, name)));
  if (keyFile === undefined) console.log('not signed: no SIGNING_KEY is given');
  const embedded = values['runtime-image'].length + values['base-image'].length;
  if (embedded === 0)
    console.log('no runtime image is embedded: Crossplane can install it, no node start it');
} catch (error) {
  console.error(`release: ${messageOf(error)}`);
  process.exitCode = 1;
}
