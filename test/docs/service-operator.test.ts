/** The pages about ServiceInstances and ServiceBindings. test/integration/btp/doc-manifests.test.ts applies their manifests. */
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import { parseAllDocuments } from 'yaml';
import type { ServiceBinding } from '../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import type { ServiceInstance } from '../../apis/services.cloud.sap.com/v1/serviceinstance.gen.ts';
import type { Secret } from '../../internal/framework/kube/object/object.ts';
import * as marks from '../../internal/systems/btp/metadata.ts';
import { secretContent } from '../../internal/systems/btp/servicebinding/secret/secret-content.ts';
import { allPages, codeBlocksOf } from './pages.ts';

const folder = 'docs/service-operator/';
const pages = (await allPages()).filter(({ path }) => path.startsWith(folder));
const page = (name: string) => {
  const found = pages.find(({ path }) => path === `${folder}${name}.md`);
  if (found === undefined) throw new Error(`there is no page ${name}`);
  return found;
};
const blocks = (name: string, language: string) =>
  codeBlocksOf(page(name)).filter((block) => block.language === language);
const documentsOf = (code: string) => parseAllDocuments(code).map((document): unknown => document.toJS());

const schema = JSON.parse(
  await readFile(new URL('../../package/btp/chart/values.schema.json', import.meta.url), 'utf8'),
);

/** The sections of both documents of SAP's operator. */
const sections = [
  'Architecture',
  'Prerequisites',
  'Setup',
  'BTP Access Secret Structure',
  'Default Access Credentials',
  'mTLS Access Credentials',
  'Managing Access',
  'Working with Multiple Subaccounts',
  'Subaccount For a Namespace',
  'Subaccount for a ServiceInstance Resource',
  'Secrets Precedence',
  'Service Instance',
  'Service Binding',
  'Formats of Service Binding Secrets',
  'Key-Value Pairs (Default)',
  'Credentials as JSON Object',
  'Credentials and Service Info as One JSON Object',
  'Custom Templates',
  'Service Binding Rotation',
  'Enabling Automatic Rotation',
  'Rotation Process',
  'Immediate Rotation',
  'After Rotation',
  'Checking Last Rotation',
  'Limitations',
  'Passing Parameters',
  'Service Instance properties: Spec',
  'Service Instance properties: Status',
  'Service Instance properties: Annotations',
  'Service Binding properties: Spec',
  'Service Binding properties: Status',
  'Uninstalling the Operator',
  'Responses',
  'Contributions, License',
  'Cannot Create a Service Binding for Service Instance in Delete Failed State',
  'Cannot Delete Service Instances and Bindings: the cluster is no longer available',
];

test('the overview says for each section of SAP’s documents which page has its content', () => {
  const { text } = page('README');
  const table = text.split("## Sections of SAP's documentation\n")[1] ?? '';
  const rows = [...table.matchAll(/^\| (?!section|-)([^|]+) \| (.+) \|$/gm)];
  expect(rows.map(([, section]) => section)).toEqual(sections);
  // test/docs/links.test.ts follows the links.
  for (const [, , links] of rows) expect(links).toMatch(/\]\([^)]+\)/);
});

test('the overview links to every page of the folder', () => {
  const { text } = page('README');
  const others = pages.map(({ path }) => path.slice(folder.length)).filter((name) => name !== 'README.md');
  expect(others.filter((name) => !text.includes(`](${name})`))).toEqual([]);
});

describe('Helm values', () => {
  const isValid = new Ajv({ strict: false }).compile(schema);
  const values = pages.flatMap((each) =>
    codeBlocksOf(each)
      .filter(({ language, code }) => language === 'yaml' && /^manager:/m.test(code))
      .flatMap(({ where, code }) => documentsOf(code).map((value) => ({ where, value }))),
  );

  test.each(values)('$where are valid', ({ value }) => {
    expect(isValid(value) ? [] : isValid.errors).toEqual([]);
  });

  test('are on the pages about installation and access', () => {
    expect(values.length).toBeGreaterThanOrEqual(2);
  });
});

describe('Secrets of bindings', () => {
  const [credentials = ''] = blocks('secrets', 'json').map(({ code }) => JSON.stringify(JSON.parse(code)));
  const objects = blocks('secrets', 'yaml').flatMap(({ where, code }) =>
    documentsOf(code).map((object) => ({ where, object })),
  );
  const pairs = objects.flatMap(({ where, object }, index) => {
    const binding = object as ServiceBinding;
    const next = objects[index + 1]?.object as (Secret & { readonly stringData: object }) | undefined;
    return binding.kind === 'ServiceBinding' && next?.kind === 'Secret'
      ? [{ where, binding, secret: next }]
      : [];
  });
  const instance: ServiceInstance = {
    apiVersion: 'services.cloud.sap.com/v1',
    kind: 'ServiceInstance',
    metadata: { name: 'orders', namespace: 'default' },
    spec: { serviceOfferingName: 'sample', servicePlanName: 'standard' },
    status: { conditions: [], instanceID: '1b2c3d4e' },
  };

  test('are shown for every format', () => {
    expect(pairs).toHaveLength(5);
    expect(objects).toHaveLength(2 * pairs.length);
  });

  test.each(pairs)('$where: the Secret is what the code writes', ({ binding, secret }) => {
    const { data, labels, annotations } = secretContent({ binding, instance, credentials });
    const entries = Object.entries(data).map(([key, value]) => [
      key,
      Buffer.from(value, 'base64').toString(),
    ]);
    const { '.metadata': _, ...shown } = Object.fromEntries(entries);
    expect(shown).toEqual(secret.stringData);
    expect(labels).toMatchObject(secret.metadata.labels ?? {});
    expect(annotations).toMatchObject(secret.metadata.annotations ?? {});
  });
});

test('the page about parameters shows what the service broker gets', () => {
  const [secret, instance] = blocks('parameters', 'yaml').flatMap(({ code }) => documentsOf(code)) as [
    { readonly stringData: Readonly<Record<string, string>> },
    ServiceInstance,
  ];
  const [{ secretKeyRef } = { secretKeyRef: { key: '' } }] = instance.spec.parametersFrom ?? [];
  const fromSecret = JSON.parse(secret.stringData[secretKeyRef.key] ?? '');
  const [payload, sameInJson] = blocks('parameters', 'json').map(({ code }) => JSON.parse(code));
  expect({ ...instance.spec.parameters, ...fromSecret }).toEqual(payload);
  const { watchParametersFromChanges: _, ...spec } = instance.spec;
  expect(sameInJson).toEqual({ ...instance, spec });
});

test('the page about metadata has every label, annotation and finalizer of the code', () => {
  const { text } = page('metadata');
  const names = Object.values(marks).map((name) => name.replace('services.cloud.sap.com/', ''));
  expect(names.filter((name) => !text.includes(`\`${name}\``) && !text.includes(` ${name}\``))).toEqual([]);
});

describe('kubectl commands', () => {
  const commands = pages.flatMap((each) =>
    codeBlocksOf(each)
      .filter(({ language }) => language === 'sh')
      .flatMap(({ where, code }) =>
        [...code.matchAll(/kubectl (.+)$/gm)].map(([, words = '']) => ({ where, words: words.split(' ') })),
      ),
  );
  const kinds = [
    'serviceinstance',
    'servicebinding',
    'namespace',
    'configmap',
    'secret',
    'deployment',
    'lease',
  ];
  const verbs = [
    'apply',
    'create',
    'get',
    'annotate',
    'events',
    'scale',
    'rollout',
    'delete',
    'patch',
    'logs',
    'exec',
  ];

  test('name kinds that exist', () => {
    const wrong = commands.flatMap(({ where, words: [verb = '', first = '', second = ''] }) => {
      if (!verbs.includes(verb)) return [`${where}: ${verb}`];
      const types = verb === 'rollout' ? second : first;
      if (types.startsWith('-')) return [];
      return types
        .split(/[,/]/)
        .slice(0, types.includes('/') ? 1 : undefined)
        .filter((type) => !kinds.includes(type.replace(/s$/, '')))
        .map((type) => `${where}: ${type}`);
    });
    expect(commands.length).toBeGreaterThan(12);
    expect(wrong).toEqual([]);
  });

  test('set annotations that the page about metadata lists', () => {
    const { text } = page('metadata');
    const set = commands
      .filter(({ words: [verb] }) => verb === 'annotate')
      .map(({ words }) => /services[.]cloud[.]sap[.]com[/](\w+)/.exec(words.join(' '))?.[1]);
    expect(set.length).toBeGreaterThan(2);
    expect(set.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  });
});
