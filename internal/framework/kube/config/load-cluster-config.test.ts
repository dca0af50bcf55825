import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { kindOf } from '../../base/errors/errors.ts';
import { temporaryFolders } from '../../base/temporary-folder.fixture.ts';
import { createFakeClock, type FakeClock } from '../../base/time/fake-clock.ts';
import { loadClusterConfig } from './load-cluster-config.ts';
import { selfSigned } from './untrusted-kubeconfig.fixture.ts';

const folder = temporaryFolders('cluster-config-');
let clock: FakeClock;

beforeEach(async () => {
  clock = createFakeClock();
});

async function put(name: string, text: string): Promise<string> {
  const path = join(folder(), name);
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, text);
  return path;
}

const kubeconfig = (server: string, user = '{token: abc}', cluster = '') => `
current-context: x
contexts: [{name: x, context: {cluster: c, user: u, namespace: shop}}]
clusters: [{name: c, cluster: {server: ${server}${cluster}}}]
users: [{name: u, user: ${user}}]
`;
const load = (more: { kubeconfig?: string; context?: string; env?: Record<string, string> } = {}) =>
  loadClusterConfig({
    clock,
    context: more.context,
    env: { HOME: folder(), ...more.env },
    kubeconfig: more.kubeconfig,
    mount: join(folder(), 'sa'),
  });
const inPod = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };
const mount = () =>
  Promise.all([put('sa/token', 'pod-token\n'), put('sa/ca.crt', 'CA'), put('sa/namespace', 'kyma')]);

describe('the place is, in this order', () => {
  test('the flag, KUBECONFIG, the pod’s service account, the home folder', async () => {
    const flag = await put('flag', kubeconfig('https://flag'));
    const env = await put('env', kubeconfig('https://env'));
    await put('.kube/config', kubeconfig('https://home'));
    await mount();
    const all = { ...inPod, KUBECONFIG: env };
    expect((await load({ kubeconfig: flag, env: all })).server).toBe('https://flag');
    expect((await load({ kubeconfig: '', context: '', env: all })).server).toBe('https://env');
    expect((await load({ env: inPod })).server).toBe('https://10.0.0.1:443');
    expect((await load()).server).toBe('https://home');
  });

  test('none: an error that names the ways', async () => {
    await expect(load()).rejects.toMatchObject({
      kind: 'terminal',
      message: expect.stringMatching(/^cannot find a cluster: give --kubeconfig, set KUBECONFIG/),
    });
  });
});

describe('a context that is asked for', () => {
  const two = `
current-context: one
contexts:
- {name: one, context: {cluster: a, user: u}}
- {name: two, context: {cluster: b, user: u, namespace: orders}}
clusters: [{name: a, cluster: {server: https://a}}, {name: b, cluster: {server: https://b}}]
users: [{name: u, user: {token: abc}}]
`;

  test('goes before the current one, with its namespace', async () => {
    const file = await put('two', two);
    expect((await load({ kubeconfig: file })).server).toBe('https://a');
    expect(await load({ kubeconfig: file, context: 'two' })).toMatchObject({
      server: 'https://b',
      namespace: 'orders',
    });
  });

  test('is one of a kubeconfig, so that a pod’s service account does not count', async () => {
    await put('.kube/config', two);
    await mount();
    expect((await load({ env: inPod, context: 'two' })).server).toBe('https://b');
  });

  test('must be there', async () => {
    const file = await put('two', two);
    await expect(load({ kubeconfig: file, context: 'three' })).rejects.toThrow(/does not define/);
  });
});

describe('in a pod', () => {
  test('the service account’s token and CA are used, its namespace known, and IPv6 put in brackets', async () => {
    await mount();
    const config = await load({ env: { ...inPod, KUBERNETES_SERVICE_HOST: 'fd00::1' } });
    expect(config).toMatchObject({ server: 'https://[fd00::1]:443', namespace: 'kyma' });
    expect(await config.credentials()).toEqual({ ca: 'CA', headers: { authorization: 'Bearer pod-token' } });
  });

  test('a rotated token is picked up within a minute, or as soon as the old one is refused', async () => {
    await mount();
    const config = await load({ env: inPod });
    const authorization = async () => (await config.credentials()).headers.authorization;
    await put('sa/token', 'second');
    expect(await authorization()).toBe('Bearer pod-token');
    await clock.advance(60_000);
    expect(await authorization()).toBe('Bearer second');
    await put('sa/token', 'third');
    config.refused?.();
    expect(await authorization()).toBe('Bearer third');
  });

  test('the credentials are the same object while they do not change, since a new one means new connections', async () => {
    await mount();
    const config = await load({ env: inPod });
    const before = await config.credentials();
    await clock.advance(60_000);
    expect(await config.credentials()).toBe(before);
  });

  test('a mount without a namespace, or an environment without a host or port, is no error', async () => {
    await mount();
    await rm(join(folder(), 'sa/namespace'));
    expect(await load({ env: inPod })).not.toHaveProperty('namespace');
    await put('.kube/config', kubeconfig('https://home'));
    for (const name of ['KUBERNETES_SERVICE_HOST', 'KUBERNETES_SERVICE_PORT'])
      expect((await load({ env: { ...inPod, [name]: '' } })).server).toBe('https://home');
  });

  test('a mount that is temporarily missing keeps the credentials that were read', async () => {
    await mount();
    const config = await load({ env: inPod });
    await rm(join(folder(), 'sa'), { recursive: true });
    await clock.advance(60_000);
    expect((await config.credentials()).headers.authorization).toBe('Bearer pod-token');
  });

  test('without a service account the error says where it should be', async () => {
    await expect(load({ env: inPod })).rejects.toMatchObject({
      kind: 'transient',
      message: `cannot read the pod's service account in ${join(folder(), 'sa')}`,
      cause: { code: 'ENOENT' },
    });
  });
});

describe('a kubeconfig of the operator’s own', () => {
  test('may read files and skip verification, and names server name, proxy and namespace', async () => {
    await put('ca.crt', 'CA');
    const path = await put(
      'config',
      kubeconfig(
        'https://api:6443/',
        '{token: abc}',
        ', certificate-authority: ca.crt, tls-server-name: s, proxy-url: "http://p:1"',
      ),
    );
    const config = await load({ kubeconfig: path });
    // Without skipTlsVerify.
    expect(config).toEqual({
      server: 'https://api:6443',
      tlsServerName: 's',
      proxyUrl: 'http://p:1',
      namespace: 'shop',
      credentials: expect.any(Function),
      refused: expect.any(Function),
    });
    expect(await config.credentials()).toEqual({ ca: 'CA', headers: { authorization: 'Bearer abc' } });
    const insecure = await put(
      'insecure',
      kubeconfig('https://api', '{token: abc}', ', insecure-skip-tls-verify: true'),
    );
    expect((await load({ kubeconfig: insecure })).skipTlsVerify).toBe(true);
  });

  test('may be plain http, as a kubectl proxy is', async () => {
    const text = kubeconfig('http://127.0.0.1:8001', '{}', ', certificate-authority: ""');
    const config = await load({ kubeconfig: await put('config', text) });
    expect(await config.credentials()).toEqual({ headers: {} });
  });

  test('may run a program, whose credentials are kept while they live and are not refused', async () => {
    const counter = join(folder(), 'runs');
    const credential =
      '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"from-exec"}}';
    const script = `echo x >> ${counter}; echo '${credential}'`;
    const exec = JSON.stringify({
      apiVersion: 'client.authentication.k8s.io/v1',
      command: 'sh',
      args: ['-c', script],
    });
    const config = await load({
      kubeconfig: await put('config', kubeconfig('https://api', `{exec: ${exec}}`)),
    });
    const before = await config.credentials();
    expect(before).toEqual({ headers: { authorization: 'Bearer from-exec' } });
    await clock.advance(60_000);
    expect(await config.credentials()).toBe(before);
    expect(await readFile(counter, 'utf8')).toBe('x\n');
    // A file that is damaged meanwhile does not matter.
    await put('config', 'current-context: gone');
    config.refused?.();
    expect(await config.credentials()).toBe(before);
    await rm(join(folder(), 'config'));
    config.refused?.();
    expect(await config.credentials()).toBe(before);
    expect(await readFile(counter, 'utf8')).toBe('x\nx\nx\n');
  });

  test('may use an auth provider', async () => {
    const user = '{auth-provider: {name: gcp, config: {access-token: of-the-provider}}}';
    const config = await load({ kubeconfig: await put('config', kubeconfig('https://api', user)) });
    expect(await config.credentials()).toEqual({ headers: { authorization: 'Bearer of-the-provider' } });
  });

  test('may name a token file, which is read again', async () => {
    const token = await put('token', 'one\n');
    const path = await put('config', kubeconfig('https://api', `{tokenFile: token}`));
    const config = await load({ kubeconfig: path });
    expect((await config.credentials()).headers).toEqual({ authorization: 'Bearer one' });
    await writeFile(token, 'two');
    await clock.advance(10_000);
    expect((await config.credentials()).headers).toEqual({ authorization: 'Bearer two' });
  });

  test('may name files relative to its folder, absolute ones, and entries that are no mappings', async () => {
    const [cert, key] = [await put('client.crt', 'CERT'), await put('client.key', 'KEY')];
    const path = await put(
      'config',
      `
current-context: x
contexts: [{name: x, context: {cluster: c, user: u}}]
clusters: [null, text, {name: c, cluster: {server: https://api}}]
users: [{name: t, user: text}, {name: u, user: {client-certificate: ${cert}, client-key: client.key, token-file: token}}]
`,
    );
    await put('token', 'abc');
    const config = await load({ kubeconfig: path });
    expect(key).toBe(join(folder(), 'client.key'));
    expect(await config.credentials()).toEqual({
      cert: 'CERT',
      key: 'KEY',
      headers: { authorization: 'Bearer abc' },
    });
  });

  test('may embed what it also names as a file: the embedded data counts', async () => {
    const data = Buffer.from('EMBEDDED').toString('base64');
    const user = `{client-certificate: a.crt, client-certificate-data: ${data}, client-key-data: ${data}}`;
    const config = await load({ kubeconfig: await put('config', kubeconfig('https://api', user)) });
    expect(await config.credentials()).toEqual({ cert: 'EMBEDDED', key: 'EMBEDDED', headers: {} });
  });

  test.each([
    ['as-groups', 'token: abc'],
    ['as-uid', 'token: abc'],
    ['as-user-extra', 'token: abc'],
    ['as-groups', 'auth-provider: {name: gcp, config: {access-token: abc}}'],
  ])('must not impersonate with %s, and %s', async (field, user) => {
    const path = await put('config', kubeconfig('https://api', `{${user}, as: jane, ${field}: [x]}`));
    const config = await load({ kubeconfig: path });
    await expect(config.credentials()).rejects.toThrow(
      `cannot get the credentials of kubeconfig ${path}: kubeconfig is refused: it impersonates another user (as) (${field})`,
    );
  });

  test('may have a program that gives a client certificate', async () => {
    const { cert, key } = await selfSigned();
    const status = { clientCertificateData: cert, clientKeyData: key };
    const credential = { apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status };
    await put('credential.json', JSON.stringify(credential));
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: 'cat',
      args: [join(folder(), 'credential.json')],
    };
    const ca = Buffer.from('CA').toString('base64');
    const path = await put(
      'config',
      kubeconfig('https://api', `{exec: ${JSON.stringify(exec)}}`, `, certificate-authority-data: ${ca}`),
    );
    // The first file has no lists.
    const KUBECONFIG = `${await put('context', 'current-context: x')}:${path}`;
    const config = await load({ env: { KUBECONFIG } });
    expect(await config.credentials()).toEqual({ ca: 'CA', cert, key, headers: {} });
  });

  test('is read once for credentials that are asked for at the same time, and kept for ten seconds', async () => {
    const token = await put('token', 'one');
    const config = await load({
      kubeconfig: await put('config', kubeconfig('https://api', '{tokenFile: token}')),
    });
    await clock.advance(60_000);
    const [a, b] = await Promise.all([config.credentials(), config.credentials()]);
    expect(a).toBe(b);
    await writeFile(token, 'two');
    await clock.advance(9999);
    expect(await config.credentials()).toBe(a);
    await clock.advance(1);
    expect((await config.credentials()).headers).toEqual({ authorization: 'Bearer two' });
  });

  test.each([
    'current-context: gone',
    kubeconfig('https://api', '{exec: {}}').replace('users: [', 'users: [null, '),
  ])('that is damaged when its credentials are refused is used as it was: %j', async (damaged) => {
    const path = await put('config', kubeconfig('https://api'));
    const config = await load({ kubeconfig: path });
    await config.credentials();
    await put('config', damaged);
    config.refused?.();
    expect((await config.credentials()).headers).toEqual({ authorization: 'Bearer abc' });
  });

  test('may impersonate a user, as client-node can', async () => {
    const path = await put('config', kubeconfig('https://api', '{token: abc, as: jane}'));
    const { headers } = await (await load({ kubeconfig: path })).credentials();
    expect(headers).toEqual({ authorization: 'Bearer abc', 'impersonate-user': 'jane' });
  });

  test('whose program fails is an error of credentials that names the file and has the beginning of its output', async () => {
    const exec = JSON.stringify({
      apiVersion: 'client.authentication.k8s.io/v1',
      command: 'sh',
      args: ['-c', 'printf %09000d 0 >&2; exit 3'],
    });
    const config = await load({
      kubeconfig: await put('config', kubeconfig('https://api', `{exec: ${exec}}`)),
    });
    await expect(config.credentials()).rejects.toMatchObject({
      kind: 'auth',
      message: expect.stringMatching(/^cannot get the credentials of kubeconfig .*config: 0{250}.{0,100}$/),
    });
  });

  test.each([
    ['{username: u, password: p}', 'Basic dTpw'],
    ['{username: u}', 'Basic dTo='],
  ])('may authenticate with %s', async (user, authorization) => {
    const config = await load({ kubeconfig: await put('config', kubeconfig('https://api', user)) });
    expect((await config.credentials()).headers).toEqual({ authorization });
  });

  test('may be several files: the first entry of a name counts, and missing files are passed over', async () => {
    const first = await put(
      'first',
      'current-context: x\nclusters: [{name: c, cluster: {server: https://first}}]',
    );
    const second = await put('second', kubeconfig('https://second'));
    const config = await load({ env: { KUBECONFIG: ['', join(folder(), 'none'), first, second].join(':') } });
    expect(config.server).toBe('https://first');
    expect((await config.credentials()).headers).toEqual({ authorization: 'Bearer abc' });
  });

  test('that cannot be read is a terminal error that names it, unlike one that is missing', async () => {
    await mkdir(join(folder(), 'folder'));
    const error: unknown = await load({ kubeconfig: join(folder(), 'folder') }).catch(
      (thrown: unknown) => thrown,
    );
    expect(kindOf(error)).toBe('terminal');
    expect(String(error)).toContain(`cannot read kubeconfig ${join(folder(), 'folder')}: `);
    expect(String(error)).not.toContain('no such file');
  });

  test('that changed is read again when its credentials are refused, not before: the server was of the same file', async () => {
    const path = await put('config', kubeconfig('https://api'));
    const config = await load({ kubeconfig: path });
    await put('config', kubeconfig('https://api', '{token: new}'));
    expect((await config.credentials()).headers).toEqual({ authorization: 'Bearer abc' });
    config.refused?.();
    expect((await config.credentials()).headers).toEqual({ authorization: 'Bearer new' });
  });

  test.each([
    ['is missing', undefined, /^cannot read kubeconfig .*config: no such file$/],
    ['is not YAML', 'token: [CANARY\n- x', /^cannot use kubeconfig .*config: kubeconfig is not valid YAML$/],
    ['is something else', 'CANARY', /^cannot use kubeconfig .*config: kubeconfig is not a kubeconfig/],
    ['is empty', '', /^cannot use kubeconfig .*config: kubeconfig is empty$/],
    ['has no context', 'current-context: CANARY', /kubeconfig does not define its current-context$/],
    ['names no server', kubeconfig('CANARY'), /kubeconfig names no server$/],
    ['has an empty server', kubeconfig('""'), /kubeconfig names no server$/],
  ])('that %s is a terminal error that does not quote it', async (_what, text, message) => {
    const path = text === undefined ? join(folder(), 'config') : await put('config', text);
    const error = await load({ kubeconfig: path }).catch((e: unknown) => e);
    expect((error as Error).message).toMatch(message);
    expect(String(error)).not.toContain('CANARY');
    expect(kindOf(error)).toBe('terminal');
  });
});
