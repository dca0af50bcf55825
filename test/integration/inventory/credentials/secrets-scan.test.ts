/**
 * No credential leaves the process: not to objects, events, logs or metrics, in any failure, and even if a server
 * returns it. The tests cause successes and failures, then one scan covers everything that was written.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { namespaces } from '../../../../internal/framework/kube/object/resource-type.ts';
import { eventually } from '../../../environment/eventually.ts';
import { alignments } from '../../../secrets/secret-scanner.ts';
import type { FaultAction, FaultMatch } from '../../../simulators/hana-cloud/faults/faults.ts';
import { editKubeconfig } from '../../harness/access/kubeconfigs.ts';
import { type LeakCheck, startLeakCheck } from '../../harness/leak-check.ts';
import type { Scenario } from '../../harness/mappings/scenario.ts';

let watch: LeakCheck;
beforeAll(async () => {
  watch = await startLeakCheck();
});
afterAll(() => watch.environment.stop());

type Data = Readonly<Record<string, string>>;

describe('successes', () => {
  test.concurrent.each(['key', 'token'] as const)('with a kubeconfig that holds a %s', async (kind) => {
    const scenario = await watch.scenario(watch.kubeconfigs[kind]);
    await scenario.createReady();
    await scenario.delete();
    await scenario.untilGone();
    expect(scenario.mappings()).toEqual([]);
  });

  test.concurrent('in a namespace, which goes with the kubeconfig while HANA Cloud does not respond', async () => {
    const { simulator, management } = watch.environment;
    const scenario = await watch.scenario(watch.kubeconfigs.key, 'namespaced');
    await scenario.createReady();
    const fault = simulator.faults.add({
      on: { instance: scenario.instanceID },
      do: { kind: 'unavailable' },
    });
    await management.delete(namespaces, { name: scenario.namespace });
    await eventually(async () => {
      expect((await scenario.find())?.metadata).toHaveProperty('deletionTimestamp');
    });
    fault.remove();
    await scenario.untilGone(120_000);
    expect(scenario.mappings()).toEqual([]);
  });

  test.concurrent('with a client certificate, and after it with rotated credentials', async () => {
    const scenario = await watch.scenario();
    const { x509 } = await watch.environment.simulator.credentials(scenario.instanceID);
    await scenario.applySources(['instance', 'binding', 'config']);
    await scenario.apply('secret', { data: x509 });
    await scenario.create();
    await scenario.untilReady();
    await scenario.apply('secret', { data: await watch.rotate(scenario) });
    await scenario.reconcile();
    expect(scenario.mappings()).toEqual([scenario.hana.mapping()]);
  });
});

describe('sources that are not as they should be', () => {
  const uaaWith = (uaa: string, change: (fields: Data) => Data) => JSON.stringify(change(JSON.parse(uaa)));

  test.concurrent.each<{ title: string; spoil: (uaa: string, baseurl: string) => Data }>([
    { title: 'uaa is cut off', spoil: (uaa, baseurl) => ({ baseurl, uaa: uaa.slice(0, -1) }) },
    {
      title: 'the secret is where the URL belongs',
      spoil: (uaa, baseurl) => ({
        baseurl,
        uaa: uaaWith(uaa, (fields) => ({ ...fields, url: `https://x:${fields.clientsecret}@127.0.0.1` })),
      }),
    },
    {
      title: 'the secret is wrong',
      spoil: (uaa, baseurl) => ({
        baseurl,
        uaa: uaaWith(uaa, (fields) => ({ ...fields, clientsecret: `${fields.clientsecret}x` })),
      }),
    },
  ])('$title', async ({ spoil }) => {
    const scenario = await watch.scenario();
    const { fields } = await watch.environment.simulator.credentials(scenario.instanceID);
    await scenario.applySources(['instance', 'binding', 'config']);
    await scenario.apply('secret', { data: spoil(fields.uaa ?? '', fields.baseurl ?? '') });
    await scenario.create();
    await scenario.untilReason('Synced', 'ReconcileError');
    expect(scenario.mappings()).toEqual([]);
  });

  test.concurrent.each<{ title: string; spoil: (kubeconfig: string) => string; reason?: string }>([
    { title: 'is no YAML', spoil: (text) => text.replace('users:', 'users: [') },
    { title: 'runs a program', spoil: (text) => editKubeconfig(text, { user: { exec: { command: 'x' } } }) },
    {
      title: 'has a token that no server accepts',
      spoil: (text) =>
        editKubeconfig(text, { credentials: { token: `${watch.secrets.get('token of a kubeconfig')}x` } }),
    },
    {
      title: 'leads nowhere',
      spoil: (text) => text.replace(/server: \S+/, 'server: https://127.0.0.1:1'),
      reason: 'Waiting',
    },
  ])('a kubeconfig that $title', async ({ spoil, reason = 'ReconcileError' }) => {
    const scenario = await watch.scenario(spoil(watch.kubeconfigs.key));
    await scenario.applySources();
    await scenario.create();
    await scenario.untilReason('Synced', reason);
    expect(scenario.mappings()).toEqual([]);
  });
});

describe('servers that return secrets in their responses', () => {
  const echoes = (secret: string, authorization: string): FaultAction[] => {
    const text = `cannot take ${secret} (Authorization: ${authorization})`;
    const encoded = Buffer.from(`user:${secret}`).toString('base64');
    const plain = { 'content-type': 'text/plain' };
    return [
      { kind: 'status', status: 400, body: { error: { code: secret, message: text } } },
      {
        kind: 'status',
        status: 403,
        body: { error: 'invalid_client', error_description: `${text} ${encoded}` },
      },
      { kind: 'status', status: 500, body: text, headers: plain },
      { kind: 'status', status: 418, body: encoded, headers: { ...plain, 'x-echo': secret } },
      { kind: 'status', status: 200, body: `{"${secret}": ${authorization}` },
      {
        kind: 'status',
        status: 200,
        body: { mappings: [{ platform: secret, primaryID: [text] }], [secret]: 1 },
      },
      { kind: 'redirect', location: `https://user:${secret}@elsewhere.example.org/?access_token=${secret}` },
      { kind: 'malformed', body: text },
    ];
  };
  /** One response after the other. */
  const meetAll = async (scenario: Scenario, on: FaultMatch, actions: readonly FaultAction[]) => {
    const rules = actions.map((action, skip) =>
      watch.environment.simulator.faults.add({ on: { ...on, skip, first: 1 }, do: action }),
    );
    await eventually(async () => {
      await scenario.reconcile();
      expect(rules.map((rule) => rule.hits())).toEqual(rules.map(() => 1));
    });
  };

  test.concurrent('the token endpoint, of the client secret', async () => {
    const scenario = await watch.scenario();
    const clientID = scenario.hana.clientID();
    const secret = watch.secrets.get(`client secret of ${scenario.name}`) ?? '';
    const basic = `Basic ${Buffer.from(`${clientID}:${secret}`).toString('base64')}`;
    await scenario.applySources();
    await scenario.create();
    const [echo, ...more] = echoes(secret, basic);
    await meetAll(scenario, { route: 'token', clientID }, more);
    // The last one stays, and with it a condition that would show it.
    if (echo) watch.environment.simulator.faults.add({ on: { route: 'token', clientID }, do: echo });
    await scenario.reconcile();
    expect(await scenario.condition('Synced')).toMatchObject({
      reason: 'ReconcileError',
      message: expect.stringContaining('cannot take [redacted]'),
    });
  });

  test.each(['list', 'create', 'delete'] as const)('the API returns the token, on a %s', async (route) => {
    const scenario = await watch.scenario();
    await scenario.createReady();
    const token = watch.latestToken();
    const actions = echoes(token, `Bearer ${token}`);
    const meeting = meetAll(scenario, { route, instance: scenario.instanceID }, actions);
    // Drift, so that reconciles delete and create.
    await scenario.patch({ spec: { forProvider: { isDefault: true } } });
    await meeting;
    await scenario.reconcile();
    await scenario.untilReady();
    expect(scenario.mappings()).toEqual([scenario.hana.mapping({ isDefault: true })]);
  });
});

describe('a scan of everything that was written', () => {
  test('finds what is planted, in every form, on both clusters', async () => {
    const forms = [
      (secret: string) => `x${secret}x`,
      ...alignments.map((offset) => (secret: string) => {
        return Buffer.from(`${'x'.repeat(offset)}${secret}xx`).toString('base64');
      }),
    ];
    const plants = await Promise.all(
      forms.flatMap((form) => [watch.plant('management', form), watch.plant('kyma', form)]),
    );
    const { leaks } = await watch.scan();
    for (const { where, remove } of plants) {
      const found = leaks.filter((leak) => leak.where === where).map(({ secret }) => secret);
      expect(new Set(found)).toEqual(new Set(watch.secrets.keys()));
      await remove();
    }
  });

  test('finds no other secret, though all were in use', async () => {
    const { leaks, written } = await watch.scan();
    expect(leaks).toEqual([]);
    // The responses did reach log, conditions and events, with the secrets masked.
    const blotted = [...written].filter(([, text]) => text.includes('[redacted]')).map(([where]) => where);
    expect(blotted).toContain('log');
    expect(blotted.filter((where) => where.includes('/kymainstancemappings/'))).not.toEqual([]);
    expect(blotted.filter((where) => where.includes('/events/'))).not.toEqual([]);
    expect(written.get('metrics')).toContain('provider_kyma_external_calls_total');
    expect(watch.secrets.size).toBeGreaterThan(30);
  });
});
