/** The libraries of SAP that read Secrets of bindings, as their users run them: a process with the Secret mounted as files. */
import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { temporaryFolder } from '../../../internal/framework/base/temporary-folder.fixture.ts';
import {
  boundInstance,
  sampleBinding,
} from '../../../internal/systems/btp/servicebinding/secret/secret.fixture.ts';
import { secretContent } from '../../../internal/systems/btp/servicebinding/secret/secret-content.ts';

const LIBRARIES = join(import.meta.dirname, '../../../hack/service-libraries/node_modules');

/** Of the kinds that brokers send. */
const credentials = {
  clientid: 'sb-orders!t1',
  clientsecret: 'a=b\n#"\'',
  url: 'https://shop.authentication.example.org',
  port: 443,
  verified: true,
  nothing: null,
  certificate: '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n',
  uaa: { clientid: 'inner', list: ['x', { y: 1 }] },
  hosts: ['a', 'b'],
  empty: '',
};

/** As a kubelet mounts it: each key is a link into a folder that is exchanged as a whole. */
async function mount(folder: string, data: Readonly<Record<string, string>>): Promise<void> {
  const version = '..2026_01_01_00_00_00.1';
  await mkdir(join(folder, version), { recursive: true });
  await symlink(version, join(folder, '..data'));
  for (const [key, value] of Object.entries(data)) {
    await writeFile(join(folder, version, key), Buffer.from(value, 'base64'));
    await symlink(join('..data', key), join(folder, key));
  }
}

const root = temporaryFolder('service-libraries-');
let bindings: string;
const folderOf = (format: string) => join(bindings, format, 'orders-db');
beforeAll(async () => {
  bindings = join(root, 'bindings');
  const instance = boundInstance({ serviceOfferingName: 'xsuaa', servicePlanName: 'application' });
  for (const [format, spec] of Object.entries({ entries: {}, json: { secretKey: 'credentials' } })) {
    const binding = sampleBinding(spec);
    const { data } = secretContent({ binding, instance, credentials: JSON.stringify(credentials) });
    await mount(folderOf(format), data);
  }
  const requires = { auth: { kind: 'xsuaa', vcap: { label: 'xsuaa' } } };
  await writeFile(join(root, 'package.json'), JSON.stringify({ name: 'app', cds: { requires } }));
});

/** What the program prints as JSON, with the bindings of one format. */
async function run(format: string, program: string): Promise<unknown> {
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME, NODE_ENV: 'production', SERVICE_BINDING_ROOT: join(bindings, format) };
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', program], { cwd: root, env });
  return JSON.parse(stdout);
}

const requireLibrary = (name: string) => `require(${JSON.stringify(join(LIBRARIES, name))})`;
const print = (value: string) => `process.stdout.write(JSON.stringify(${value} ?? null))`;

describe.each(['entries', 'json'])('a Secret with credentials as %s', (format) => {
  test('@sap/xsenv finds the binding by label, name and tag, with the values and types of the broker', async () => {
    const xsenv = requireLibrary('@sap/xsenv');
    for (const query of [{ label: 'xsuaa' }, { tag: 'custom-tag' }, { plan: 'application' }]) {
      const found = await run(format, print(`${xsenv}.filterServices(${JSON.stringify(query)})`));
      expect([query, found]).toEqual([
        query,
        [
          expect.objectContaining({
            credentials,
            label: 'xsuaa',
            plan: 'application',
            tags: ['test', 'custom-tag'],
            instance_name: 'orders-external',
          }),
        ],
      ]);
    }
    expect(await run(format, print(`${xsenv}.serviceCredentials({ label: 'xsuaa' })`))).toEqual(credentials);
    expect(await run(format, print(`${xsenv}.getServices({ uaa: { label: 'xsuaa' } }).uaa`))).toEqual(
      credentials,
    );
  });

  test('@sap/cds gives them to the service that an app requires', async () => {
    const cds = requireLibrary('@sap/cds');
    expect(await run(format, print(`${cds}.env.requires.auth.credentials`))).toEqual(credentials);
  });
});
