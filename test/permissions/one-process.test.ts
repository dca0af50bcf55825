/** The manifest of one process for the whole chain: its rights, its arguments, and what refers to what. */
import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { Command } from 'commander';
import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../internal/framework/kube/object/object.ts';
import { ruleResource } from '../../internal/program/doctor/permissions/policy-rules.ts';
import { requiredRights } from '../../internal/program/doctor/permissions/run-permissions.ts';
import { addStartFlags, type StartFlags } from '../../internal/program/provider/flags.ts';
import { loadModules } from '../../internal/program/provider/open-modules.ts';

interface Manifest extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
  readonly rules?: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly verbs: readonly string[];
  }[];
  readonly spec?: { readonly template?: { readonly spec: { readonly containers: readonly [Container] } } };
  readonly webhooks?: readonly { readonly clientConfig: { readonly service: object } }[];
}
interface Container {
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
}

const documents = async (path: string) =>
  parseAllDocuments(await readFile(new URL(`../../${path}`, import.meta.url), 'utf8')).map(
    (document): Manifest => document.toJS(),
  );
const objects = await documents('examples/one-process/provider.yaml');
const named = (kind: string, name: string) => {
  const found = objects.find((object) => object.kind === kind && object.metadata.name === name);
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
  return found;
};
const [container] = named('Deployment', 'provider-kyma').spec?.template?.spec.containers ?? [];

/** Roles with this label are aggregated into that of Crossplane. */
const AGGREGATED = 'rbac.crossplane.io/aggregate-to-crossplane';

/** As the container starts it. */
function flagsOf({ args, env }: Container): StartFlags {
  const config = named('ConfigMap', 'sap-btp-operator-config').data ?? {};
  const own = Object.fromEntries(env.map(({ name, value = '' }) => [name, value]));
  const before = { ...process.env };
  Object.assign(process.env, config, own);
  try {
    const command = addStartFlags(new Command(), process.env).exitOverride();
    return command.parse([...args], { from: 'user' }).opts<StartFlags>();
  } finally {
    for (const name of Object.keys({ ...config, ...own })) delete process.env[name];
    Object.assign(process.env, before);
  }
}

test('the arguments are flags of the program, and the cluster ID of both modules is that of one ConfigMap', () => {
  if (container === undefined) throw new Error('there is no container');
  const flags = flagsOf(container);
  expect(flags).toMatchObject({ controllers: 'config,inventory,btp', releaseNamespace: 'sap-btp-operator' });
  const [namespace, name = ''] = flags.clusterIdConfigMap.split('/');
  const config = named('ConfigMap', name);
  expect(config.metadata.namespace).toBe(namespace);
  expect(config.data?.CLUSTER_ID).toBe(flags.clusterId);
});

test('the account has the rights of the three modules, and no others', async () => {
  const lease = { namespace: 'sap-btp-operator', name: 'crossplane-leader-election-provider-kyma' };
  const rights = requiredRights(await loadModules('config,inventory,btp'), { lease });
  const needed = rights.map((right) => `${right.verb} ${ruleResource(right)}.${right.type.group}`);
  const own = objects.filter(({ metadata }) => metadata.labels?.[AGGREGATED] === undefined);
  const granted = own.flatMap(({ rules = [] }) =>
    rules.flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}.${group}`)),
      ),
    ),
  );
  expect([...new Set(granted)].sort()).toEqual([...new Set(needed)].sort());
});

test('Crossplane may compose mappings, and nothing else', () => {
  const roles = objects.filter(({ metadata }) => metadata.labels?.[AGGREGATED] === 'true');
  expect(roles.map(({ rules }) => rules)).toEqual([
    [
      {
        apiGroups: ['inventory.hana.m.orchestrate.cloud.sap'],
        resources: ['kymainstancemappings'],
        verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'],
      },
    ],
  ]);
});

test('the webhooks of the package call its Service', async () => {
  const service = named('Service', 'sap-btp-operator-webhook-service').metadata;
  for (const { webhooks = [] } of await documents('package/btp/webhooks.yaml'))
    for (const { clientConfig } of webhooks)
      expect(clientConfig.service).toMatchObject({ name: service.name, namespace: service.namespace });
});
