/** What Helm 3 and 4 render of the chart, without a cluster. `RECORD=1` takes the recorded objects anew. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse, parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../../../internal/framework/kube/object/object.ts';
import { BTP_CHART } from '../../../environment/helm.ts';
import { btpCrds } from '../../../environment/install-crds.ts';
import { describeChart } from '../../harness/describe-chart.ts';
import { RECORDED_VALUES, recordedObjects, recordObjects, sorted } from './recorded-objects.ts';

const read = (path: string) => readFile(join(import.meta.dirname, path), 'utf8');
const minimal: { manager: object; cluster: object } = parse(await read('values/default.yaml'));
const withManager = (manager: object, cluster: object = {}) => ({
  manager: { ...minimal.manager, ...manager },
  cluster: { ...minimal.cluster, ...cluster },
});
const isCrd = ({ kind }: KubeObject) => kind === 'CustomResourceDefinition';

await describeChart(undefined, (helm) => {
  test.each(RECORDED_VALUES)('with values/%s.yaml, the objects are as recorded', async (name) => {
    const values: object = parse(await read(`values/${name}.yaml`));
    const objects = sorted((await helm.render(values)).filter((object) => !isCrd(object)));
    if (process.env.RECORD) await recordObjects(name, objects);
    expect(objects).toEqual(await recordedObjects(name));
  });

  test('helm lint finds nothing', async () => {
    expect(await helm.run(['lint', BTP_CHART, '--strict'], minimal)).toContain('0 chart(s) failed');
  });

  test('the CRDs are rendered as generated, and are kept if the operator may not delete all their objects', async () => {
    const crds = sorted((await helm.render(minimal)).filter(isCrd));
    expect(crds).toEqual(sorted((await btpCrds()) as unknown as KubeObject[]));
    const kept = sorted((await helm.render(withManager({ allow_cluster_access: false }))).filter(isCrd));
    expect(kept.map(({ metadata }) => metadata.annotations)).toEqual(
      crds.map(() => ({ 'helm.sh/resource-policy': 'keep' })),
    );
    expect(kept.map((crd) => ({ ...crd, metadata: { name: crd.metadata.name } }))).toEqual(crds);
  });

  test('the webhooks are those that the program serves', async () => {
    const generated = parseAllDocuments(await readFile(join(BTP_CHART, '../webhooks.yaml'), 'utf8'));
    const webhooksOf = (objects: readonly { kind: string; webhooks?: { name: string }[] }[]) =>
      objects
        .filter(({ kind }) => kind.endsWith('WebhookConfiguration'))
        .flatMap(({ webhooks = [] }) => webhooks)
        .toSorted((a, b) => a.name.localeCompare(b.name, 'en'));
    expect(webhooksOf((await helm.render(minimal)) as KubeObject[])).toEqual(
      webhooksOf(generated.map((document) => document.toJS())),
    );
  });

  test('a random cluster ID is the same in all objects of one rendering', async () => {
    const rendered = await helm.render(withManager({}, { id: null }));
    const config = rendered.find(({ kind }) => kind === 'ConfigMap') as KubeObject & {
      data: { CLUSTER_ID: string };
    };
    expect(config.data.CLUSTER_ID).toMatch(/^[0-9a-f-]{36}$/);
    const deployment = rendered.find(({ kind }) => kind === 'Deployment');
    const fixed = await helm.render(withManager({}, { id: config.data.CLUSTER_ID }));
    // The same checksum: the upgrade of an installation with a random ID starts no pods.
    expect(fixed.find(({ kind }) => kind === 'Deployment')).toEqual(deployment);
  });

  const selfSigned = { caBundle: 'Y2E=', crt: 'Y3J0' };
  const refusals: [string, object, string][] = [
    [
      'a text for a number',
      withManager({ replica_count: 'two' }),
      "at '/manager/replica_count': got string, want integer",
    ],
    ['a text for a switch', withManager({ enable_leader_election: 'perhaps' }), 'got string, want boolean'],
    ['an unknown value', withManager({ replicas: 1 }), "additional properties 'replicas' not allowed"],
    ['a name that is no namespace', withManager({ allowed_namespaces: ['A'] }), "'A' does not match pattern"],
    ['no image', withManager({ image: {} }), 'manager.image.repository is required'],
    [
      "the image of SAP's operator",
      withManager({ image: { repository: 'ghcr.io/sap/sap-btp-service-operator/controller' } }),
      "is the image of SAP's operator",
    ],
    ['no credentials', withManager({ secret: {} }), 'manager.secret.clientid is empty'],
    [
      'half a certificate in place of a client secret',
      withManager({ secret: { clientid: 'c', sm_url: 's', tokenurl: 't', tls: { crt: 'x' } } }),
      'manager.secret: set clientsecret, or tls.crt and tls.key',
    ],
    [
      'replicas without leader election',
      withManager({ enable_leader_election: false }),
      'manager.enable_leader_election=false needs manager.replica_count=1',
    ],
    [
      'no certificates',
      withManager({ certificates: { certManager: false } }),
      'set one of certManager, selfSigned',
    ],
    [
      'a certificate without its key',
      withManager({ certificates: { selfSigned } }),
      'manager.certificates.selfSigned: set both crt and key, or neither',
    ],
    [
      'a certificate without its authority',
      withManager({ certificates: { selfSigned: { crt: 'Y3J0', key: 'a2V5' } } }),
      'manager.certificates.selfSigned.caBundle is required',
    ],
    [
      'a Gardener certificate without an issuer',
      withManager({ certificates: { gardenerCertManager: { caBundle: 'Y2E=' } } }),
      'manager.certificates.gardenerCertManager: set issuer, or crt and key',
    ],
  ];
  describe('values that cannot work are refused', () => {
    test.each(refusals)('%s', async (_, values, message) => {
      await expect(helm.render(values)).rejects.toThrow(message);
    });
  });

  test('the Job runs the program of the image', async () => {
    const dockerfile = await readFile(join(BTP_CHART, '../../Dockerfile'), 'utf8');
    const entrypoint: string[] = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(dockerfile)?.[1] ?? '[]');
    const job = (await helm.render(minimal)).find(({ kind }) => kind === 'Job');
    const { command } = (
      job as KubeObject & { spec: { template: { spec: { containers: [{ command: string[] }] } } } }
    ).spec.template.spec.containers[0];
    expect(command).toEqual(entrypoint.filter((word) => word.startsWith('/')));
  });

  test('the version of the chart is that of the program', async () => {
    const { version }: { version: string } = JSON.parse(await read('../../../../package.json'));
    expect(parse(await readFile(join(BTP_CHART, 'Chart.yaml'), 'utf8'))).toMatchObject({
      version,
      appVersion: `v${version}`,
    });
  });
});
