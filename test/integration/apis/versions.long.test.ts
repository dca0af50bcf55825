import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse, parseAllDocuments } from 'yaml';
import { crd, crdYaml } from '../../../hack/codegen/crds/crd.ts';
import { webhookConfigurations } from '../../../hack/codegen/crds/webhooks.ts';
import { type Kind, mergeVersions } from '../../../hack/codegen/source/kinds.ts';
import { readSource } from '../../../hack/codegen/source/read-source.ts';
import { orderPath, orderSource } from '../../../hack/codegen/source/sample-source.ts';
import type { ControlPlaneAccess } from '../../../hack/control-planes/access/access.ts';
import { eventually } from '../../environment/eventually.ts';
import { type Crd, installCrds, removeCrds } from '../../environment/install-crds.ts';
import { controlPlanes, uniqueName } from '../harness/control-planes/control-planes.ts';
import { kindClient } from './kind-client.ts';

let management: ControlPlaneAccess;

beforeAll(async () => {
  ({ management } = await controlPlanes());
});

/** A sample of the generator: a kind in two versions that is no managed resource. */
function sample(edit: (text: string) => string = (text) => text): Kind {
  const [kind] = mergeVersions(readSource(orderPath, edit(orderSource)), new Map());
  if (kind === undefined) throw new Error('the sample has a kind');
  return kind;
}

const sampleKind = sample();
const sampleCrds: Crd[] = sampleKind.stored.forms.map((form) => parse(crdYaml(sampleKind, form)));

/** Creates without storing: the API server validates all the same. */
const dryRun = (path: string, body: unknown) =>
  management.request(`${path}?dryRun=All&fieldValidation=Strict`, { method: 'POST', body });

describe('a generated CRD of two versions', () => {
  const type = { group: 'shop.example.org', kind: 'Order', plural: 'orders', namespaced: true };
  const versions = ['v1', 'v1alpha1'] as const;
  const clientOf = (version: string) => kindClient(management, { ...type, version }, 'default');
  const order = (version: string, name: string) => ({
    apiVersion: `${type.group}/${version}`,
    kind: type.kind,
    metadata: { name },
    spec: { item: 'tea', parameters: { sugar: { lumps: 2 } } },
  });

  beforeAll(async () => {
    await installCrds(management, sampleCrds);
    await eventually(async () => {
      const { status } = await management.request(`/apis/${type.group}/v1alpha1/${type.plural}`);
      if (status !== 200) throw new Error('v1alpha1 is not served yet');
    });
  });
  afterAll(() => removeCrds(management, sampleCrds));

  test.each([
    { written: versions[0], read: versions[1] },
    { written: versions[1], read: versions[0] },
  ])('shows an object written in $written in $read', async ({ written, read }) => {
    const name = uniqueName('order');
    expect(await clientOf(written).create(order(written, name))).toMatchObject({ status: 201 });
    expect(await clientOf(read).get(name)).toMatchObject({ status: 200, body: order(read, name) });
    const status = { conditions: [], ready: 'True' };
    expect(await clientOf(read).patchStatus(name, status)).toMatchObject({ status: 200 });
    expect(await clientOf(written).get(name)).toMatchObject({ body: { ...order(written, name), status } });
    await clientOf(read).delete(name);
    expect(await clientOf(written).get(name)).toMatchObject({ status: 404 });
  });

  test.each(versions)('has the columns, rules and status of its kind in %s', async (version) => {
    const name = uniqueName('order');
    const client = clientOf(version);
    expect(await client.create({ ...order(version, name), spec: { item: '' } })).toMatchObject({
      status: 422,
    });
    await client.create(order(version, name));
    await client.patchStatus(name, { conditions: [], ready: 'False' });
    expect(await client.table(name)).toMatchObject({
      body: {
        columnDefinitions: [{ name: 'Name' }, { name: 'STATUS' }, { name: 'READY' }],
        rows: [{ cells: [name, null, 'False'] }],
      },
    });
    await client.delete(name);
  });
});

test('an API server accepts a generated CRD with a conversion webhook', async () => {
  const kind = sample((text) => text.replace('versions:', 'conversion: { strategy: Webhook }\nversions:'));
  const [form] = kind.stored.forms;
  if (form === undefined) throw new Error('the sample has a form');
  // A group of its own: the CRD without a webhook may be installed.
  const group = `${uniqueName('shop')}.example.org`;
  const body = crd(kind, { ...form, group });
  const answer = await dryRun('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', body);
  expect(answer).toMatchObject({
    status: 201,
    body: {
      spec: { conversion: { webhook: { clientConfig: { service: { path: '/convert', port: 443 } } } } },
    },
  });
});

test('an API server accepts generated webhook configurations', async () => {
  const { yaml } = webhookConfigurations(
    'apis/shop.example.org/webhooks.yaml',
    `name: ${uniqueName('shop')}
output: package/shop/webhooks.yaml
mutating:
  - { name: morder.shop.example.org, kind: Order, operations: [CREATE, UPDATE] }
validating:
  - name: vorder.shop.example.org
    kind: Order
    version: v1alpha1
    operations: [CREATE, UPDATE, DELETE]
    failurePolicy: Ignore
    sideEffects: NoneOnDryRun
    matchPolicy: Exact
    timeoutSeconds: 5
    namespaceSelector: { matchExpressions: [{ key: shop.example.org/tier, operator: In, values: [a, b] }] }
    objectSelector: { matchLabels: { shop.example.org/checked: 'true' } }
`,
    [sampleKind],
  );
  const configurations = parseAllDocuments(yaml).map((document) => document.toJS());
  const answers = await Promise.all(
    configurations.map((body) =>
      dryRun(`/apis/admissionregistration.k8s.io/v1/${body.kind.toLowerCase()}s`, body),
    ),
  );
  // What was generated is what is stored: the API server only adds what the source cannot state.
  expect(answers).toMatchObject(configurations.map((body) => ({ status: 201, body })));
});
