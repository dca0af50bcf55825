/** Audit logs of one runtime each: reserved, claimed, used by the Shoot, read in the runtime, released. */
import { afterEach, describe, expect, test } from '@jest/globals';
import type { Runtime } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import {
  type SimulatedGardener,
  startSimulatedGardener,
} from '../../../../test/simulators/gardener/simulated-gardener.ts';
import { type Logger, nopLogger } from '../../../framework/base/telemetry/telemetry.ts';
import { apiError } from '../../../framework/kube/fakes/memory-client.ts';
import { secrets } from '../../../framework/kube/index.ts';
import { previewPatches } from '../diagnosis/preview-patches.ts';
import { type AuditLog, auditLogs, isAvailable } from './audit-log-kind.ts';
import { NAMESPACE, renderingOf, runtimeOf } from './fixtures/runtime.fixture.ts';
import { type RuntimeHarness, startRuntimeHarness } from './fixtures/runtime-harness.fixture.ts';

let h: RuntimeHarness<SimulatedGardener>;
const started = async (auditLogsEnabled = true, log = nopLogger) => {
  h = await startRuntimeHarness(startSimulatedGardener, { auditLogsEnabled, auditLogMandatory: false, log });
};
afterEach(() => h?.stop());

const ID = 'runtime-1';
const RESERVED = { 'reserved-for-runtime-id': ID, 'reserved-for-runtime-at': expect.stringMatching(/^\d+$/) };

interface Choice {
  readonly state?: string;
  readonly labels?: Record<string, string>;
  readonly spec?: Partial<AuditLog['spec']>;
}

const auditLog = (
  name: string,
  { state = 'SiemApproved', labels = {}, spec = {} }: Choice = {},
): AuditLog => ({
  apiVersion: auditLogs.apiVersion,
  kind: auditLogs.kind,
  metadata: { namespace: NAMESPACE, name, labels },
  spec: {
    regions: ['eu-central-1'],
    subaccountID: `tenant-${name}`,
    config: {
      serviceURL: 'https://own.example.org',
      gardenerSecretName: `gardener-${name}`,
      readCredsSecretName: 'read',
    },
    ...spec,
  },
  status: { state },
});

const requesting = (auditLogAccessEnabled = true): Runtime => {
  const { spec, ...runtime } = runtimeOf();
  if (spec === undefined) throw new Error('a Runtime has a spec');
  return { ...runtime, spec: { ...spec, auditLogAccessEnabled } };
};
const manager = () => h.client.otherProgram();
const offer = (...offered: readonly AuditLog[]) => {
  for (const each of offered) h.client.seed(auditLogs, each);
};
const found = (name = 'one') => h.client.peek(auditLogs, { namespace: NAMESPACE, name });
const readable = (data = { user: 'dXNlcg==' }, type = 'Opaque') =>
  manager().create(secrets, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: NAMESPACE, name: 'read' },
    ...{ type, data },
  });
const copied = () => h.runtime.peek(secrets, { namespace: 'kyma-system', name: 'auditlog-read-credentials' });
const extension = () => h.shoot()?.spec?.extensions?.find(({ type }) => type === 'shoot-auditlog-service');
const updates = () =>
  h.client.requests.filter(({ verb, type }) => verb === 'update' && type.kind === auditLogs.kind).length;

test.each<[string, AuditLog, boolean]>([
  ['SiemApproved', auditLog('a'), true],
  ['RegistrationReady', auditLog('a', { state: 'RegistrationReady' }), true],
  ['Pending', auditLog('a', { state: 'Pending' }), false],
  ['Assigned', auditLog('a', { state: 'Assigned' }), false],
  ['reserved', auditLog('a', { labels: { 'reserved-for-runtime-id': 'x' } }), false],
  ['assigned to another', auditLog('a', { spec: { assignedToRuntimeID: 'x' } }), false],
  ['of another region', auditLog('a', { spec: { regions: ['us-east-1'] } }), false],
])('[N72] an AuditLog that is %s', (_, given, expected) => {
  expect(isAvailable(given, 'eu-central-1')).toBe(expected);
});

test.each([undefined, ''])(
  'an AuditLog that is reserved for a Runtime which waits for one helps at once, with the assignment %j',
  async (assigned) => {
    await started();
    await h.create(requesting());
    await h.wait(3_600_000);
    expect(h.shown()).toMatch(/^Failed False CustomAuditLogErr .*no available AuditLogCR in the pool/);
    const labels = { 'reserved-for-runtime-id': ID };
    const spec = assigned === undefined ? {} : { assignedToRuntimeID: assigned };
    await manager().create(auditLogs, auditLog('one', { state: 'Pending', labels, spec }));
    await h.wait(1000);
    expect(h.stored()?.status?.state).toBe('Pending');
    expect(h.shoot()).toBeDefined();
  },
);

test('[N69] [N70] [N73] [N74] [N75] [N77] [N83] a new Runtime has its AuditLog reserved, then its Shoot uses it, and its cluster can read it', async () => {
  await started();
  offer(auditLog('one'), auditLog('two'));
  await readable();
  const labelsAtCreation: unknown[] = [];
  h.gardener.client.onRequest(({ verb, type, subresource }) => {
    if (verb !== 'create' || type.kind !== 'Shoot' || subresource !== undefined) return;
    labelsAtCreation.push([found()?.metadata.labels, found()?.spec.assignedToRuntimeID]);
  });
  await h.create(requesting());
  await h.wait(120_000);
  expect(labelsAtCreation).toEqual([[RESERVED, undefined]]);
  expect(found()?.spec.assignedToRuntimeID).toBe(ID);
  expect(found('two')?.metadata.labels).toEqual({});
  expect(updates()).toBe(2);
  expect(extension()?.providerConfig).toMatchObject({
    tenantID: 'tenant-one',
    serviceURL: 'https://own.example.org',
    secretReferenceName: 'auditlog-credentials',
  });
  // One reference: that of the shared tenant is replaced, and no other one is left over.
  expect(h.shoot()?.spec?.resources).toEqual([
    {
      name: 'auditlog-credentials',
      resourceRef: { apiVersion: 'v1', kind: 'Secret', name: 'gardener-one' },
    },
  ]);
  expect(copied()).toMatchObject({
    ...{ type: 'Opaque', data: { user: 'dXNlcg==' } },
    metadata: { labels: { 'operator.kyma-project.io/managed-by': 'infrastructure-manager' } },
  });
  expect(h.shown('CustomAuditLogConfigured')).toBe(
    'Ready True CustomAuditLogConfigured Custom AuditLog shoot configuration completed',
  );
  expect(h.shown('AuditLogCredentialsCopied')).toBe(
    'Ready True CredentialsCopied Audit log read credentials copied to runtime',
  );
  expect(h.stored()?.status?.provisioningCompleted).toBe(true);
});

test('a dry run knows the AuditLog of a Runtime', async () => {
  await started();
  offer(auditLog('one'));
  await readable();
  await h.create(requesting());
  await h.wait(120_000);
  const { checks } = await previewPatches({
    ...{ client: h.client, gardener: h.gardener.client, project: h.gardener.project },
    ...{ namespace: NAMESPACE, rendering: renderingOf(), accessControlEnabled: false },
    auditLogsEnabled: true,
    signal: AbortSignal.timeout(10_000),
  });
  expect(checks).toMatchObject([{ status: 'ok', detail: 'no patch would change its Shoot' }]);
});

test('an AuditLog that cannot be reserved, or claimed, shows why, and is tried again', async () => {
  await started();
  offer(auditLog('one'));
  await readable();
  const refuse = () =>
    h.client.onRequest(({ verb, type }) => {
      if (verb === 'update' && type.kind === auditLogs.kind) throw apiError(422, 'Invalid', 'why');
    });
  let end = refuse();
  await h.create(requesting());
  await h.wait();
  expect(h.shown()).toMatch(/^Failed False CustomAuditLogErr .*why$/);
  end();
  h.gardener.client.onRequest(({ verb, type, subresource }) => {
    if (verb !== 'create' || type.kind !== 'Shoot' || subresource !== undefined) return;
    end = refuse();
  });
  await h.wait(400_000);
  expect(h.shown('CustomAuditLogConfigured')).toMatch(/^Failed False CustomAuditLogErr .*why$/);
  end();
  await h.wait(600_000);
  expect(h.stored()?.status?.state).toBe('Ready');
});

test('[N83] changed credentials are copied in place, a Secret of others stays', async () => {
  await started();
  offer(auditLog('one'));
  await readable();
  await h.create(requesting());
  await h.wait(120_000);
  const { uid } = copied()?.metadata ?? {};
  const key = { namespace: NAMESPACE, name: 'read' };
  await manager().mergePatch(secrets, key, { data: { user: 'b3RoZXI=' } });
  await h.wait(3_700_000);
  expect(copied()).toMatchObject({ data: { user: 'b3RoZXI=' }, metadata: { uid } });
  const copy = { namespace: 'kyma-system', name: 'auditlog-read-credentials' };
  await h.runtime
    .otherProgram()
    .mergePatch(secrets, copy, { metadata: { labels: null }, data: { user: 'eA==' } });
  await h.wait(3_700_000);
  expect(copied()?.data).toEqual({ user: 'eA==' });
  expect(h.shown('AuditLogCredentialsCopied')).toMatch(
    /^Ready False CredentialsCopyErr Failed to copy read credentials: .*is of others$/,
  );
});

test('[N71] [N79] without an AuditLog for the region there is no Shoot, until there is one', async () => {
  await started();
  offer(auditLog('one', { spec: { regions: ['us-east-1'] } }));
  await readable();
  await h.create(requesting());
  await h.wait();
  expect(h.shown()).toBe(
    'Failed False CustomAuditLogErr Dedicated audit logging requested but no available configuration found: no available AuditLogCR in the pool for region eu-central-1',
  );
  expect([h.shoot(), h.unexpectedStops]).toEqual([undefined, 1]);
  offer(auditLog('two'));
  await h.wait(600_000);
  expect(h.stored()?.status?.state).toBe('Ready');
});

test('[N78] a Runtime that exists gets its AuditLog with the patch', async () => {
  await started();
  await readable();
  await h.create(requesting(false));
  await h.wait();
  expect(h.stored()?.status?.state).toBe('Ready');
  offer(auditLog('one'));
  const generation = h.shoot()?.metadata.generation ?? 0;
  await h.patch({ spec: { auditLogAccessEnabled: true } });
  await h.wait(120_000);
  expect(found()).toMatchObject({
    spec: { assignedToRuntimeID: ID },
    metadata: { labels: { 'reserved-for-runtime-id': ID } },
  });
  expect(extension()?.providerConfig).toMatchObject({ tenantID: 'tenant-one' });
  expect(h.shoot()?.metadata.generation).toBe(generation + 1);
  expect(h.stored()?.status?.state).toBe('Ready');
});

test('[N79] a Runtime that exists is Failed without an AuditLog, also if audit logs are not mandatory', async () => {
  await started();
  await h.create(requesting(false));
  await h.wait();
  await h.patch({ spec: { auditLogAccessEnabled: true } });
  await h.wait();
  expect(h.shown()).toBe(
    'Failed False CustomAuditLogErr Dedicated audit logging requested but no available configuration found: no available AuditLogCR for region eu-central-1',
  );
});

test('[N80] an AuditLog cannot be given back: its Runtime keeps it, and the log says so', async () => {
  const logged: string[] = [];
  const log: Logger = { ...nopLogger, info: (message) => void logged.push(message), child: () => log };
  await started(true, log);
  offer(auditLog('one'), auditLog('two'));
  await readable();
  await h.create(requesting());
  await h.wait(120_000);
  const line = 'Dedicated audit logging is irreversible - ignoring attempt to disable';
  const assigned = found();
  const written = updates();
  expect(assigned?.spec).toMatchObject({ assignedToRuntimeID: ID });
  expect(logged).not.toContain(line);
  const isKept = () => {
    expect(found()).toEqual(assigned);
    expect(updates()).toBe(written);
    expect(extension()?.providerConfig).toMatchObject({ tenantID: 'tenant-one' });
    expect(h.shoot()?.spec?.resources?.map(({ resourceRef }) => resourceRef.name)).toContain('gardener-one');
    expect(copied()?.data).toEqual({ user: 'dXNlcg==' });
    expect(h.shown('CustomAuditLogConfigured')).toMatch(/^Ready True CustomAuditLogConfigured /);
  };
  await h.patch({ spec: { auditLogAccessEnabled: false } });
  await h.wait(60_000);
  isKept();
  expect(logged).toContain(line);
  // Neither another change of the Runtime nor a new process gives the shared tenant back to the Shoot.
  await h.patch({ spec: { shoot: { kubernetes: { version: '1.33' } } } });
  await h.wait(120_000);
  await h.restart();
  await h.wait(3_700_000);
  isKept();
});

test('[N7] [N81] without the flag the tenant is shared, and no AuditLog is read', async () => {
  await started(false);
  offer(auditLog('one'));
  await h.create(requesting());
  await h.wait();
  expect(extension()?.providerConfig).toMatchObject({ tenantID: 'tenant-1' });
  expect(h.stored()?.status?.state).toBe('Ready');
  expect(h.client.requests.some(({ type }) => type.kind === auditLogs.kind)).toBe(false);
});

describe('credentials that cannot be copied yet', () => {
  test('[N82] their name is not known', async () => {
    await started();
    const { config } = auditLog('one').spec;
    offer(auditLog('one', { spec: { config: { ...config, readCredsSecretName: '' } } }));
    await h.create(requesting());
    await h.wait(120_000);
    expect(h.shown('AuditLogCredentialsCopied')).toBe(
      'Pending False CredentialsCopyErr Waiting for read credentials secret to be configured',
    );
    await readable();
    await manager().mergePatch(
      auditLogs,
      { namespace: NAMESPACE, name: 'one' },
      {
        spec: { config: { readCredsSecretName: 'read' } },
      },
    );
    await h.wait(20_000);
    expect(h.stored()?.status?.state).toBe('Ready');
  });

  test('[N84] they are missing, or the cluster is away', async () => {
    await started();
    offer(auditLog('one'));
    await h.create(requesting());
    await h.wait(120_000);
    expect(h.shown('AuditLogCredentialsCopied')).toBe(
      'Pending False CredentialsCopyErr Failed to copy read credentials: failed to get source secret kcp-system/read: it is missing',
    );
    const end = h.runtime.onRequest(({ type }) => {
      if (type.kind === 'Secret') throw apiError(503, 'ServiceUnavailable', 'away');
    });
    await readable();
    await h.wait(120_000);
    expect(h.shown('AuditLogCredentialsCopied')).toMatch(/^Pending False CredentialsCopyErr .*away$/);
    end();
    await h.wait(300_000);
    expect(h.stored()?.status?.state).toBe('Ready');
  });
});

test('[N76] a patch that Gardener does not accept is retried, and the claim stays', async () => {
  await started();
  offer(auditLog('one'));
  await readable();
  const end = h.gardener.client.onRequest(({ verb, type }) => {
    if (verb === 'update' && type.kind === 'Shoot') throw apiError(503, 'ServiceUnavailable', 'down');
  });
  await h.create(requesting());
  await h.wait(120_000);
  expect(h.stored()?.status?.state).toBe('Pending');
  expect(found()?.spec.assignedToRuntimeID).toBe(ID);
  end();
  await h.wait(600_000);
  expect(h.stored()?.status?.state).toBe('Ready');
  expect(extension()?.providerConfig).toMatchObject({ tenantID: 'tenant-one' });
});

test('a copy of the credentials is replaced when their type has changed, which that of a Secret cannot', async () => {
  await started();
  offer(auditLog('one'));
  await readable();
  await h.create(requesting());
  await h.wait(120_000);
  const before = copied();
  await manager().delete(secrets, { namespace: NAMESPACE, name: 'read' });
  await readable({ user: 'dXNlcg==' }, 'example.com/reader');
  await h.patch({
    metadata: { annotations: { 'operator.kyma-project.io/force-patch-reconciliation': 'true' } },
  });
  await h.wait(60_000);
  expect(copied()).toMatchObject({ type: 'example.com/reader', data: before?.data });
  expect(copied()?.metadata.uid).not.toBe(before?.metadata.uid);
});

describe('of a Runtime that is deleted', () => {
  /** The Runtime has an AuditLog in this state. */
  const withAuditLog = async (state: string) => {
    await started();
    offer(auditLog('one'));
    await readable();
    await h.create(requesting());
    await h.wait(120_000);
    const key = { namespace: NAMESPACE, name: 'one' };
    await manager().mergePatch(auditLogs, key, { status: { state } }, { subresource: 'status' });
  };

  test.each([
    ['Assigned', true],
    ['RegistrationReady', undefined],
  ])('[N85] the AuditLog in the state %s is orphaned: %s', async (state, orphaned) => {
    await withAuditLog(state);
    await h.delete();
    await h.wait(300_000);
    expect(h.stored()).toBeUndefined();
    expect(found()?.spec.orphaned).toBe(orphaned);
  });

  test.each([
    [403, 'Forbidden'],
    [422, 'Invalid'],
  ])('[N85] it goes although its AuditLog cannot be orphaned: %i', async (status, reason) => {
    await withAuditLog('Assigned');
    h.client.onRequest(({ verb, type }) => {
      if (verb === 'update' && type.kind === auditLogs.kind) throw apiError(status, reason, 'why');
    });
    await h.delete();
    await h.wait(600_000);
    expect([h.stored(), found()?.spec.orphaned]).toEqual([undefined, undefined]);
  });

  test('[N85] it goes when its AuditLog is orphaned, if that fails at first', async () => {
    await withAuditLog('Assigned');
    let fails = 2;
    h.client.onRequest(({ verb, type }) => {
      if (verb === 'update' && type.kind === auditLogs.kind && fails-- > 0)
        throw apiError(503, 'ServiceUnavailable', 'down');
    });
    await h.delete();
    await h.wait(600_000);
    expect([h.stored(), found()?.spec.orphaned]).toEqual([undefined, true]);
  });

  test('[N85] without an AuditLog it goes', async () => {
    await started();
    await h.create(requesting(false));
    await h.wait();
    await h.delete();
    await h.wait(300_000);
    expect(h.stored()).toBeUndefined();
  });

  test('[N86] before its Shoot was created, the reservation goes', async () => {
    await started();
    offer(auditLog('one'));
    h.gardener.client.onRequest(({ verb, type, subresource }) => {
      if (verb === 'create' && type.kind === 'Shoot' && subresource === undefined)
        throw apiError(422, 'Invalid', 'why');
    });
    await h.create(requesting());
    await h.wait();
    expect(found()?.metadata.labels).toEqual(RESERVED);
    await h.delete();
    await h.wait(300_000);
    expect(h.stored()).toBeUndefined();
    expect(found()?.metadata.labels ?? {}).toEqual({});
  });
});
