import { writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { mask } from '../../../../framework/base/index.ts';
import { temporaryFolder } from '../../../../framework/base/temporary-folder.fixture.ts';
import { selfSigned } from '../../../../framework/kube/config/untrusted-kubeconfig.fixture.ts';
import { parseUntrustedKubeconfig } from '../../../../framework/kube/config/untrusted-kubeconfig.ts';
import type { LocalFlags } from './local-flags.ts';
import { localRequest } from './local-request.ts';

const kubeconfigOf = (token: string) =>
  JSON.stringify({
    'current-context': 'own',
    contexts: [{ name: 'own', context: { cluster: 'own', user: 'own' } }],
    clusters: [{ name: 'own', cluster: { server: 'https://api.example.org' } }],
    users: [{ name: 'own', user: { token } }],
  });

const folder = temporaryFolder('local-request-');
beforeAll(async () => {
  await writeFile(join(folder, 'kubeconfig'), kubeconfigOf('token of the flag'));
  await writeFile(
    join(folder, 'components.yaml'),
    `defaultNamespace: kyma-system
prerequisites:
  - name: cluster-essentials
  - { name: istio, namespace: istio-system }
components:
  - name: serverless
  - { name: own, url: https://example.org/own.git, version: 1.2 }
`,
  );
  await writeFile(
    join(folder, 'state.json'),
    JSON.stringify({
      cluster: { runtimeID: 'r', metadata: { region: 'eu', shootName: null } },
      configuration: {
        kymaVersion: '2.1.0',
        kymaProfile: 'production',
        components: [
          {
            component: 'serverless',
            namespace: 'own',
            URL: '',
            version: '',
            configuration: [
              { key: 'a.b', value: 1, secret: false },
              { key: 'a.c', value: 2, secret: true },
            ],
          },
        ],
      },
      status: { status: 'ready' },
    }),
  );
});

const request = (flags: Partial<LocalFlags>) =>
  localRequest(
    {
      kubeconfig: join(folder, 'kubeconfig'),
      version: '2.0.0',
      profile: 'evaluation',
      delete: false,
      workspace: '.',
      allowPrivateEndpoints: false,
      defaultCapabilities: false,
      verbose: false,
      ...flags,
    },
    { versionFolder: async () => join(folder, 'no such version') },
    {},
    new AbortController().signal,
  );
const file = (name: string) => join(folder, name);

describe('components', () => {
  test('[R86] a component has a namespace, a URL and a version of its own', async () => {
    const components = [
      'a',
      '{b,own,https://example.org/b.git,main}',
      '{"name":"c","version":"1"}',
      '{d,own}',
    ];
    expect((await request({ components })).components).toEqual([
      { component: 'a', configuration: {} },
      {
        component: 'b',
        namespace: 'own',
        url: 'https://example.org/b.git',
        version: 'main',
        configuration: {},
      },
      { component: 'c', namespace: '', url: '', version: '1', configuration: {} },
      { component: 'd', namespace: 'own', url: '', version: '', configuration: {} },
    ]);
  });

  test('of a file: prerequisites come first, one after the other', async () => {
    const { components, preComponents, type } = await request({
      componentsFile: file('components.yaml'),
    });
    expect(preComponents).toEqual([['cluster-essentials'], ['istio']]);
    expect(components.map(({ component, namespace }) => `${component} ${namespace}`)).toEqual([
      'cluster-essentials kyma-system',
      'istio istio-system',
      'serverless kyma-system',
      'own kyma-system',
    ]);
    expect(components.at(-1)).toMatchObject({ url: 'https://example.org/own.git', version: '1.2' });
    expect(type).toBe('reconcile');
  });

  test.each([
    { flags: { components: ['{a,b,c,d,e}'] }, want: 'cannot use --components {a,b,c,d,e}' },
    { flags: { components: ['../a'] }, want: 'cannot use --components ../a' },
    {
      flags: { components: ['a'], componentsFile: 'b' },
      want: 'give either --components or --components-file',
    },
    { flags: { components: ['a'], kubeconfig: '' }, want: 'no cluster is given' },
    // Before a version is fetched.
    { flags: { kubeconfig: '' }, want: 'no cluster is given' },
    { flags: {}, want: 'components.yaml' },
  ])('what cannot be used is refused: $want', async ({ flags, want }) => {
    await expect(request(flags)).rejects.toThrow(want);
  });
});

describe('the kubeconfig', () => {
  const readBy = async (kubeconfig: string) =>
    parseUntrustedKubeconfig((await request({ components: ['a'], kubeconfig })).kubeconfig);

  test('is the current context of all files that KUBECONFIG names, with what their files contain', async () => {
    const user = {
      'client-certificate': 'client.pem',
      'client-key': file('client.key'),
      tokenFile: 'own.token',
    };
    const { cert, key } = await selfSigned();
    await writeFile(file('client.pem'), cert);
    await writeFile(file('client.key'), key);
    await writeFile(file('own.token'), 'own-token');
    await writeFile(
      file('users.yaml'),
      JSON.stringify({
        users: [
          { name: 'own', user },
          { name: 'other', user: { token: 'of-another' } },
        ],
      }),
    );
    const paths = [file('users.yaml'), file('missing.yaml'), file('kubeconfig')].join(delimiter);
    const { server, credentials } = await readBy(paths);
    expect(server).toBe('https://api.example.org');
    expect(await credentials()).toMatchObject({ cert, key, headers: { authorization: 'Bearer own-token' } });
    const { kubeconfig } = await request({ components: ['a'], kubeconfig: paths });
    expect(kubeconfig).not.toContain('of-another');
    expect(JSON.parse(kubeconfig)).toMatchObject({ apiVersion: 'v1', kind: 'Config' });
  });

  test.each([
    { what: 'a file that is not there', kubeconfig: () => file('none'), want: 'none: no such file' },
    { what: 'a file of another kind', kubeconfig: () => file('components.yaml'), want: 'no current-context' },
    {
      what: 'the file of a token that is not there',
      kubeconfig: async () => {
        await writeFile(file('token.yaml'), kubeconfigOf('').replace('"token":""', '"tokenFile":"gone"'));
        return file('token.yaml');
      },
      want: 'cannot use kubeconfig',
    },
  ])('$what is refused before anything is fetched', async ({ kubeconfig, want }) => {
    await expect(request({ kubeconfig: await kubeconfig() })).rejects.toMatchObject({
      kind: 'terminal',
      message: expect.stringContaining(want),
    });
  });
});

describe('values', () => {
  const valuesOf = async (value: readonly string[]) =>
    (await request({ components: ['a', 'b'], value })).components.map(({ configuration }) => configuration);

  test('[R86] nested values that overlap are merged, later ones win, and lists are replaced', async () => {
    expect(
      await valuesOf(['a.x.y=1,a.x.z=two', 'a.x.y=3', 'a.list={p,q}', 'global.domain=example.org']),
    ).toEqual([
      { global: { domain: 'example.org' }, x: { y: 3n, z: 'two' }, list: ['p', 'q'] },
      { global: { domain: 'example.org' } },
    ]);
  });

  test.each([
    { secret: true, isRefused: true },
    // It is no secret, so this is what the value is.
    { secret: false, isRefused: false },
  ])('a value that looks masked, secret: $secret', async ({ secret, isRefused }) => {
    const cluster = file(`masked-${secret}.json`);
    const configuration = [
      { key: 'global.domain', value: 'of the state' },
      { key: 'text', value: mask, secret },
    ];
    const state = {
      cluster: {},
      configuration: { components: [{ component: 'a', configuration }] },
      status: { status: 'ready' },
    };
    await writeFile(cluster, JSON.stringify(state));
    const asked = request({ cluster, value: ['global.domain=of the flag'] });
    if (isRefused) await expect(asked).rejects.toThrow('configuration[1]: its value is masked');
    else
      expect((await asked).components[0]?.configuration).toEqual({
        global: { domain: 'of the flag' },
        text: mask,
      });
  });

  test.each([
    { value: 'c.x=1', want: 'there is no component c' },
    { value: 'a=1', want: 'want a.<name>=<value>' },
    { value: 'nonsense', want: 'cannot use --value' },
  ])('$value is refused', async ({ value, want }) => {
    await expect(valuesOf([value])).rejects.toThrow(want);
  });

  test('[R86] values are merged over those of a given state', async () => {
    const stated = await request({ cluster: file('state.json'), value: ['serverless.a.b=5,serverless.d=6'] });
    expect(stated).toMatchObject({
      version: '2.1.0',
      profile: 'production',
      metadata: { region: 'eu' },
      kubeconfig: expect.stringContaining('token of the flag'),
      components: [{ namespace: 'own', configuration: { a: { b: 5n, c: 2 }, d: 6n } }],
    });
  });
});

test('a deletion is asked for by the flag, or by the state', async () => {
  expect((await request({ components: ['a'], delete: true })).type).toBe('delete');
  const state = { cluster: {}, configuration: { components: [] }, status: { status: 'delete_pending' } };
  await writeFile(file('deleting.json'), JSON.stringify(state));
  expect((await request({ cluster: file('deleting.json') })).type).toBe('delete');
});

test.each([
  'nonsense',
  '[]',
  '{}',
  '{"cluster": {}, "configuration": {"components": {}}}',
  // As `clusters get -o json` prints it.
  '{"cluster": {}, "configuration": {"components": [{"component": "a", "configuration": [{"key": "k", "value": "[redacted]", "secret": true}]}]}}',
])('a state that cannot be read is refused: %s', async (text) => {
  await writeFile(file('broken.json'), text);
  await expect(request({ cluster: file('broken.json') })).rejects.toThrow('cannot use --cluster: ');
});
