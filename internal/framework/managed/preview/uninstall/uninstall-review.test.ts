import { beforeEach, describe, expect, test } from '@jest/globals';
import { createFakeClock } from '../../../base/time/fake-clock.ts';
import { managedFinalizer } from '../../../controller/reconcile/finalizer.ts';
import { apiError, createMemoryClient, type MemoryClient } from '../../../kube/fakes/memory-client.ts';
import type { ResourceType } from '../../../kube/object/resource-type.ts';
import {
  clusterWidgets,
  namespacedWidgets,
  type Widget,
  type WidgetParts,
  widget,
} from '../../fakes/managed-harness.ts';
import type { ConfigKinds } from '../../providerconfig/model/provider-config.ts';
import { reviewUninstall } from './uninstall-review.ts';

const configType = (kind: string) => ({
  group: 'example.org',
  version: 'v1',
  kind,
  plural: `${kind.toLowerCase()}s`,
  namespaced: false,
});
const configs: ConfigKinds = {
  scope: 'Cluster',
  config: configType('ProviderConfig'),
  usage: configType('ProviderConfigUsage'),
};

let client: MemoryClient;
beforeEach(() => {
  client = createMemoryClient({ clock: createFakeClock() });
});

const review = () =>
  reviewUninstall({
    client,
    managed: [clusterWidgets, namespacedWidgets],
    configs: [configs],
    signal: new AbortController().signal,
  });
const seed = (parts: WidgetParts, type = clusterWidgets) => client.seed(type, widget(type, parts));
const held = { finalizers: [managedFinalizer] };

describe('a managed resource', () => {
  const table: {
    title: string;
    parts: WidgetParts;
    type?: ResourceType<Widget>;
    want: { fate: string; why: RegExp; remediation?: string };
  }[] = [
    {
      title: 'whose external resource goes with it is lost',
      parts: { metadata: { ...held, annotations: { 'crossplane.io/external-name': 'w-1' } } },
      want: {
        fate: 'lost',
        why: /would be deleted/,
        remediation: `kubectl patch widgets.example.org w --type=merge -p '{"spec":{"deletionPolicy":"Orphan"}}'`,
      },
    },
    {
      title: 'the same in a namespace, where policies decide',
      parts: { metadata: held },
      type: namespacedWidgets,
      want: {
        fate: 'lost',
        why: /would be deleted/,
        remediation: `kubectl -n shop patch widgets.m.example.org w --type=merge -p '{"spec":{"managementPolicies":["Observe","Create","Update","LateInitialize"]}}'`,
      },
    },
    {
      title: 'whose policies name Delete is not saved by a deletion policy',
      parts: {
        metadata: held,
        spec: { managementPolicies: ['Observe', 'Delete'], deletionPolicy: 'Orphan' },
      },
      want: { fate: 'lost', why: /would be deleted/ },
    },
    {
      title: 'whose external resource stays hangs, because its finalizer is not removed',
      parts: { metadata: held, spec: { deletionPolicy: 'Orphan' } },
      want: { fate: 'hangs', why: /stays/, remediation: 'kubectl delete widgets.example.org w' },
    },
    {
      title: 'that is only observed hangs as well',
      parts: { metadata: held, spec: { managementPolicies: ['Observe'] } },
      want: { fate: 'hangs', why: /stays/ },
    },
    {
      title: 'that is paused hangs',
      parts: { metadata: { ...held, annotations: { 'crossplane.io/paused': 'true' } } },
      want: { fate: 'hangs', why: /paused/ },
    },
    {
      title: 'whose deletion is in progress hangs',
      parts: { metadata: { ...held, deletionTimestamp: '2024-01-01T00:00:00Z' } },
      want: { fate: 'hangs', why: /since 2024-01-01T00:00:00Z/ },
    },
    {
      title: 'that others hold hangs',
      parts: { metadata: { finalizers: ['example.org/other'] } },
      want: { fate: 'hangs', why: /example.org\/other/ },
    },
  ];
  test.each(table)('$title', async ({ parts, type, want }) => {
    seed(parts, type);
    const { safe, findings } = await review();
    const { remediation, ...rest } = want;
    expect(safe).toBe(false);
    expect(findings).toEqual([
      expect.objectContaining({
        kind: 'Widget',
        name: 'w',
        fate: rest.fate,
        why: expect.stringMatching(rest.why),
        ...(remediation === undefined ? {} : { remediation }),
      }),
    ]);
  });

  test('without a finalizer goes', async () => {
    seed({});
    expect(await review()).toMatchObject({ safe: true, findings: [], unaffected: 1 });
  });
});

test('configurations in use and usages with a finalizer hang, behind what is lost', async () => {
  const object = (type: ResourceType, name: string, more: object, finalizers: string[]) =>
    client.seed(type, {
      apiVersion: 'example.org/v1',
      kind: type.kind,
      metadata: { name, finalizers },
      ...more,
    });
  object(configs.config, 'used', { status: { users: 2 } }, ['in-use.crossplane.io']);
  object(configs.config, 'unused', {}, []);
  object(configs.usage, 'uid-w', { resourceRef: { apiVersion: 'x', kind: 'Widget', name: 'w' } }, ['keep']);
  seed({ metadata: held });
  const { findings, unaffected } = await review();
  expect(findings.map(({ kind, name, fate, why }) => [kind, name, fate, why])).toEqual([
    ['Widget', 'w', 'lost', expect.any(String)],
    ['ProviderConfig', 'used', 'hangs', '2 resources use it'],
    ['ProviderConfigUsage', 'uid-w', 'hangs', 'it goes with Widget w'],
  ]);
  expect(unaffected).toBe(1);
});

test('a kind that the cluster does not have is named, one that cannot be listed is an error', async () => {
  const stop = client.onRequest(({ type }) => {
    if (type === namespacedWidgets) throw apiError(404, 'NotFound');
  });
  expect(await review()).toMatchObject({ safe: true, notInstalled: ['widgets.m.example.org'] });
  stop();
  client.onRequest(() => {
    throw apiError(403, 'Forbidden');
  });
  await expect(review()).rejects.toThrow('Forbidden');
});
