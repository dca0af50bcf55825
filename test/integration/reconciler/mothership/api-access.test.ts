import { generateKeyPairSync } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { exportJWK, SignJWT } from 'jose';
import { createAuthority } from '../../../../hack/control-planes/access/authority.ts';
import { listenOnLoopback } from '../../../../internal/framework/base/loopback.fixture.ts';
import {
  type MothershipProgramOptions,
  startMothershipProgram,
} from '../../../environment/mothership/mothership-program.ts';
import { clusterDocument } from '../../../environment/mothership/test-mothership.ts';
import { startTestDatabases, type TestDatabases } from '../../../environment/postgres/test-databases.ts';
import { controlPlanes, uniqueName } from '../../harness/control-planes/control-planes.ts';

let databases: TestDatabases;
let folder: string;
beforeAll(async () => {
  databases = await startTestDatabases();
  folder = await mkdtemp(join(tmpdir(), 'mothership-access-'));
});
afterAll(async () => {
  await databases.close();
  await rm(folder, { recursive: true, force: true });
});

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function start(options: MothershipProgramOptions = {}) {
  const mothership = await startMothershipProgram({
    databaseUrl: await databases.server?.createDatabase(),
    ...options,
  });
  cleanUps.push(mothership.stop);
  return mothership;
}

describe('the audit log', () => {
  const auditing = (name: string) => {
    const auditLogFile = join(folder, name);
    return {
      auditLogFile,
      flags: { auditLog: true, auditLogFile, auditLogTenantId: 'tenant', login: false },
    };
  };
  const xJwt = (claims: object) => ({ 'x-jwt': Buffer.from(JSON.stringify(claims)).toString('base64url') });

  test('[R65] each change is one line, also one that is refused; what cannot be written is refused', async () => {
    const { flags, auditLogFile } = auditing('audit.log');
    const { call } = await start({ flags });
    const document = clusterDocument('audited', [], { kubeconfig: 'kubeconfig of a cluster' });
    const headers = xJwt({ sub: 'me' });
    await call('GET', '/v1/reconciliations', { headers });
    await call('POST', '/v1/clusters', { body: document, headers });
    await call('DELETE', '/v1/clusters/none');
    await call('PUT', '/v1/clusters/none/status', { body: { status: 'ready' }, headers });
    await call('POST', '/v1/operations/a/callback/b', { body: { status: 'running' } });
    await call('POST', '/v1/occupancy/a', { body: { component: 'a', runningWorkers: 0, poolSize: 1 } });
    const text = await readFile(auditLogFile, 'utf8');
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ user, data }) => [user, JSON.parse(data).method, JSON.parse(data).uri])).toEqual([
      ['me', 'POST', '/v1/clusters'],
      ['UNKNOWN_USER', 'DELETE', '/v1/clusters/none'],
      ['me', 'PUT', '/v1/clusters/none/status'],
    ]);
    expect(text).not.toContain('kubeconfig of a cluster');
    await rm(auditLogFile);
    await mkdir(auditLogFile);
    expect(await call('DELETE', '/v1/clusters/none')).toMatchObject({
      status: 500,
      body: { error: 'the request is refused: it cannot be written to the audit log' },
    });
  });

  test('[R65] an X-Jwt that cannot be read is answered with 500', async () => {
    const { call } = await start({ flags: auditing('jwt.log').flags });
    const padded = { 'x-jwt': Buffer.from('{"sub":"abcd"}').toString('base64') };
    expect(padded['x-jwt']).toMatch(/=$/);
    expect(await call('DELETE', '/v1/clusters/none', { headers: padded })).toMatchObject({ status: 500 });
    expect(await call('DELETE', '/v1/clusters/none', { headers: xJwt({}) })).toMatchObject({ status: 404 });
  });
});

describe('kubeconfigs', () => {
  const register = async (kubeconfig: string, options: MothershipProgramOptions = {}) => {
    const { call } = await start(options);
    return call('POST', '/v1/clusters', { body: clusterDocument('checked', [], { kubeconfig }) });
  };

  test.each([
    ['text', 'invalid'],
    ['{}', 'invalid'],
    ['---', 'invalid'],
    ['apiVersion: v1\nkind: Config\nclusters: []', 'invalid'],
    ['full', 'valid'],
  ])('[R14] the kubeconfig %s is %s', async (text, want) => {
    const { kyma } = await controlPlanes();
    const response = await register(text === 'full' ? kyma.kubeconfig : text);
    expect(response).toMatchObject(
      want === 'valid'
        ? { status: 200 }
        : { status: 400, body: { error: expect.stringMatching(/^kubeconfig: /) } },
    );
  });

  test('a registration without one takes it from the Secret of the runtime', async () => {
    const { management, kyma } = await controlPlanes();
    const runtime = uniqueName('runtime');
    const create = (path: string, body: object) => management.request(path, { method: 'POST', body });
    // There may be one already.
    await create('/api/v1/namespaces', { metadata: { name: 'kcp-system' } });
    const { call } = await start({ flags: { kubeconfig: management.kubeconfigPath } });
    const { kubeconfig: _, ...document } = clusterDocument(runtime, []);
    const refused = await call('POST', '/v1/clusters', { body: document });
    expect(refused).toMatchObject({
      status: 400,
      body: { error: `kubeconfig: it is missing, and there is no Secret kcp-system/kubeconfig-${runtime}` },
    });
    await create('/api/v1/namespaces/kcp-system/secrets', {
      metadata: { name: `kubeconfig-${runtime}` },
      stringData: { config: kyma.kubeconfig },
    });
    expect(await call('POST', '/v1/clusters', { body: document })).toMatchObject({ status: 200 });
  });

  test('a namespace registers no cluster without its kubeconfig, and none by the id of a Runtime', async () => {
    const { management, kyma } = await controlPlanes();
    const runtime = uniqueName('runtime');
    const create = (path: string, body: object) => management.request(path, { method: 'POST', body });
    await create('/api/v1/namespaces', { metadata: { name: 'kcp-system' } });
    await create('/api/v1/namespaces/kcp-system/secrets', {
      metadata: { name: `kubeconfig-${runtime}` },
      stringData: { config: kyma.kubeconfig },
    });
    const { call } = await start({ flags: { kubeconfig: management.kubeconfigPath } });
    const register = (id: string, name: string, kubeconfig = '', [namespace = ''] = name.split('/', 1)) =>
      call('PUT', '/v1/clusters', {
        body: { ...clusterDocument(id, [], { kubeconfig }), runtimeInput: { name, namespace } },
      });
    expect(await register(runtime, 'team-a/mine')).toMatchObject({
      status: 400,
      body: { error: 'kubeconfig: it is missing' },
    });
    expect(await register(runtime, 'team-a/mine', kyma.kubeconfig)).toMatchObject({
      status: 403,
      body: { error: expect.stringContaining('a Runtime of the control plane has this runtimeID') },
    });
    expect(await register(uniqueName('own'), 'team-a/mine', kyma.kubeconfig)).toMatchObject({ status: 200 });
    expect(await register(runtime, 'kcp-system/shop', kyma.kubeconfig)).toMatchObject({ status: 200 });
    expect(await register(runtime, 'of-operators', '', [''])).toMatchObject({ status: 200 });
    for (const others of ['', 'team-b'])
      expect(await register(uniqueName('own'), 'team-a/mine', kyma.kubeconfig, [others])).toMatchObject({
        status: 400,
        body: { error: expect.stringContaining('runtimeInput.name: ') },
      });
  });
});

describe('a login', () => {
  test('decides by the groups of a token; probes and metrics need none', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const jwk = { ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256' };
    const issuerServer = createServer((request, response) => {
      const isDiscovery = request.url === '/.well-known/openid-configuration';
      response.end(JSON.stringify(isDiscovery ? { issuer, jwks_uri: `${issuer}/keys` } : { keys: [jwk] }));
    });
    const { url: issuer, close } = await listenOnLoopback(issuerServer);
    cleanUps.push(close);
    const { call, url } = await start({ flags: { oidcIssuerUrl: issuer, oidcClientId: 'mothership' } });
    const as = async (group: string) => {
      const token = await new SignJWT({ sub: 'me', groups: [group] })
        .setProtectedHeader({ alg: 'ES256', kid: 'k' })
        .setIssuer(issuer)
        .setAudience('mothership')
        .setExpirationTime('5m')
        .sign(privateKey);
      return { headers: { authorization: `Bearer ${token}` } };
    };
    expect(await call('GET', '/v1/reconciliations')).toMatchObject({ status: 401 });
    expect(await call('GET', '/v1/reconciliations', { headers: { 'x-jwt': 'e30' } })).toMatchObject({
      status: 401,
    });
    const allowed = async (group: string) => {
      const options = await as(group);
      const statuses = [
        await call('GET', '/v1/reconciliations', options),
        await call('DELETE', '/v1/clusters/none', options),
        await call('PUT', '/v1/clusters/none/status', { ...options, body: { status: 'ready' } }),
        await call('DELETE', '/v1/occupancy/none', options),
      ].map(({ status }) => status);
      return statuses;
    };
    expect(await allowed('others')).toEqual([403, 403, 403, 403]);
    expect(await allowed('reconciler-viewer')).toEqual([200, 403, 403, 403]);
    expect(await allowed('reconciler-operator')).toEqual([200, 404, 403, 403]);
    expect(await allowed('reconciler-admin')).toEqual([200, 404, 404, 200]);
    for (const page of ['/health/live', '/health/ready', '/metrics']) {
      expect((await fetch(url + page)).status).toBe(200);
    }
    // Component reconcilers have no token of the issuer, but one of their task.
    expect(await call('POST', '/v1/operations/a/callback/b', { body: { status: 'running' } })).toMatchObject({
      status: 404,
    });
  });

  test('callbacks and occupancy need a client certificate where an authority is given', async () => {
    const authority = await createAuthority('components');
    const server = await authority.issueServer(['127.0.0.1']);
    const client = await authority.issueClient('base');
    const stranger = await (await createAuthority('others')).issueClient('base');
    const write = async (name: string, text: string) => {
      const path = join(folder, name);
      await writeFile(path, text);
      return path;
    };
    const { url } = await start({
      scheme: 'https',
      flags: {
        serverCrt: await write('server.crt', server.certificate),
        serverKey: await write('server.key', server.key),
        clientCaFile: await write('clients.crt', authority.certificate),
      },
    });
    const status = (method: string, path: string, pair?: { certificate: string; key: string }) =>
      new Promise<number | undefined>((done, fail) => {
        const identity = pair === undefined ? {} : { cert: pair.certificate, key: pair.key };
        const options = { method, ca: authority.certificate, agent: false as const, ...identity };
        const request = get(`${url}${path}`, options, (response) => {
          response.resume();
          done(response.statusCode);
        });
        request.on('error', fail);
      });
    const callback = '/v1/operations/a/callback/b';
    expect(await status('DELETE', '/v1/occupancy/a')).toBe(401);
    expect(await status('DELETE', '/v1/occupancy/a', stranger)).toBe(401);
    expect(await status('DELETE', '/v1/occupancy/a', client)).toBe(200);
    expect(await status('POST', callback)).toBe(401);
    expect(await status('POST', callback, client)).toBe(400);
    expect(await status('GET', '/v1/reconciliations')).toBe(200);
  });
});
