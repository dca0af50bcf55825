/** `provider-kyma doctor --permissions`: what the provider lacks as a whole, and the rules that grant it. */
import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ControlPlaneAccess } from '../../../hack/control-planes/access/access.ts';
import type { PermissionReview } from '../../../internal/program/doctor/permissions/run-permissions.ts';
import { eventually } from '../../environment/eventually.ts';
import { controlPlanes } from '../harness/control-planes/control-planes.ts';
import { type Cli, createCli } from '../harness/provider/cli-run.ts';
import {
  addProviderAccount,
  installedProviderAccount,
  type ProviderAccount,
} from '../harness/provider/provider-account.ts';

let management: ControlPlaneAccess;
let cli: Cli;
beforeAll(async () => {
  ({ management } = await controlPlanes());
  cli = await createCli(management, '');
});
afterAll(() => cli.stop());

const doctor = (...args: readonly string[]) => cli.run(['doctor', '--permissions', ...args]);

async function review(account: ProviderAccount): Promise<{ code: number | null; review: PermissionReview }> {
  const { code, out, err } = await doctor('--as', account.user, '-o', 'json');
  expect(err).toBe('');
  return { code, review: JSON.parse(out) };
}

test('an installation by the documentation lacks nothing', async () => {
  const account = await installedProviderAccount(management);
  const { code, review: found } = await review(account);
  expect({ code, found }).toMatchObject({
    code: 0,
    found: { user: account.user, sufficient: true, missing: [] },
  });
  const { out } = await doctor('--as', account.user);
  expect(out).toBe(`${account.user}: ${found.asked} of ${found.asked} rights granted\n`);
});

describe('with what Crossplane grants alone', () => {
  test('it names each permission, its purpose, the loss without it, and the rules; once these are granted nothing is missing', async () => {
    const account = await addProviderAccount(management);
    await account.grantCrossplaneRole();
    const { code, review: found } = await review(account);
    expect({ code, sufficient: found.sufficient }).toEqual({ code: 0, sufficient: true });
    expect(
      found.missing.map(({ verb, resource, purpose }) => `${verb} ${resource}: ${purpose}`).sort(),
    ).toEqual([
      'delete instancemappings.inventory.hana.orchestrate.cloud.sap: take-over',
      'delete providerconfigusages.hana.m.sap.crossplane.io: orphaned-usages',
      'delete providerconfigusages.hana.sap.crossplane.io: orphaned-usages',
      'get servicebindings.services.cloud.sap.com: local-sources',
      'get serviceinstances.services.cloud.sap.com: local-sources',
      'watch servicebindings.services.cloud.sap.com: local-sources',
      'watch serviceinstances.services.cloud.sap.com: local-sources',
    ]);
    const { out } = await doctor('--as', account.user);
    expect(out).toContain(`Add to a ClusterRole that is bound to ${account.user}:\nrules:\n`);
    expect(out).toContain(
      [
        '  # for input objects on this cluster: KymaInstanceMappings without kymaConnectionRef',
        '  - { apiGroups: [ services.cloud.sap.com ], resources: [ serviceinstances, servicebindings ], verbs: [ get, watch ] }',
      ].join('\n'),
    );
    await account.grant(Object.values(found.rules).flat());
    expect(await review(account)).toMatchObject({ code: 0, review: { missing: [] } });
  });
});

test('without any permission: exit code 1, and the printed rules are sufficient', async () => {
  const account = await addProviderAccount(management);
  const { code, review: found } = await review(account);
  expect({ code, sufficient: found.sufficient, missing: found.missing.length }).toEqual({
    code: 1,
    sufficient: false,
    missing: found.asked,
  });
  await account.grant(Object.values(found.rules).flat());
  expect(await review(account)).toMatchObject({ code: 0, review: { missing: [] } });
});

test('--controllers chooses the modules; rules for single namespaces and objects are printed for Roles', async () => {
  const { user } = await addProviderAccount(management);
  const { code, out } = await cli.run(['doctor', '--permissions', '--controllers=btp', '--as', user], {
    env: {
      ALLOW_CLUSTER_ACCESS: 'false',
      ALLOWED_NAMESPACES: 'shop',
      RELEASE_NAMESPACE: 'btp',
      PROVIDER_NAME: 'sap-btp-operator',
    },
  });
  expect(code).toBe(1);
  expect(out).not.toContain('inventory.hana');
  const rules = out.split(/^Add to a /m);
  expect(rules.map((text) => text.split('\n', 1)[0]).slice(1)).toEqual(
    [
      'ClusterRole',
      'Role in namespace shop',
      'Role in namespace btp',
      'Role in namespace crossplane-system',
    ].map((role) => `${role} that is bound to ${user}:`),
  );
  expect(rules[3]).toContain(
    '{ apiGroups: [ coordination.k8s.io ], resources: [ leases ], verbs: [ get, list, watch, update ], resourceNames: [ aa689ecc.cloud.sap.com ] }',
  );
  expect(rules[4]).toContain('resourceNames: [ crossplane-leader-election-sap-btp-operator ]');
});

test('--composing names what Crossplane lacks to compose the kinds', async () => {
  const account = await addProviderAccount(management);
  const { code, out } = await doctor('--composing', '--controllers=btp', '--as', account.user);
  expect({ code, out }).toEqual({
    code: 1,
    out: expect.stringContaining(
      [
        `Add to a ClusterRole that is bound to ${account.user}:`,
        'rules:',
        '  # for composing these kinds',
        '  - { apiGroups: [ services.cloud.sap.com ], resources: [ serviceinstances, servicebindings ], verbs: [ get, list, watch, create, update, patch, delete ] }',
      ].join('\n'),
    ),
  });
});

test('without --as the permissions of the user itself are checked', async () => {
  const account = await installedProviderAccount(management);
  const kubeconfigPath = await cli.file('');
  await writeFile(kubeconfigPath, account.kubeconfig);
  await eventually(async () => {
    const { code, out } = await cli.run(['doctor', '--permissions'], { kubeconfigPath });
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringMatching(/^You: (\d+) of \1 rights granted\n$/),
    });
  });
});

test('checking the permissions of others needs a permission: exit code 2', async () => {
  const account = await installedProviderAccount(management);
  const kubeconfigPath = await cli.file('');
  await writeFile(kubeconfigPath, account.kubeconfig);
  const { code, err } = await cli.run(['doctor', '--permissions', '--as', 'somebody'], { kubeconfigPath });
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('subjectaccessreviews') });
});
