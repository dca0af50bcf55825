import { describe, expect, test } from '@jest/globals';
import { crd, crdPath } from '../crds/crd.ts';
import { type Kind, mergeVersions } from './kinds.ts';
import { readSource } from './read-source.ts';
import { orderPath, orderSource, samplePath, sampleSource } from './sample-source.ts';

const newPath = samplePath.replace('v1alpha1', 'v1');
const addVersion = (text: string, entry: string) =>
  text.replace('categories:', `versions: [{ ${entry} }]\ncategories:`);
const oldSource = sampleSource((text) => addVersion(text, 'name: v1alpha1, deprecated: true'));
const newSource = sampleSource((text) => text.replace('Where it is.', 'Where it is now.'));

function merge(files: Readonly<Record<string, string>>, folders = new Map<string, string>()): Kind {
  const sources = Object.entries(files).flatMap(([path, text]) => readSource(path, text));
  const [kind, ...others] = mergeVersions(sources, folders);
  if (kind === undefined || others.length > 0) throw new Error('these are not the sources of one kind');
  return kind;
}

function crdOf(kind: Kind): unknown {
  const [form] = kind.stored.forms;
  return form === undefined ? undefined : crd(kind, form);
}

const descriptionOfRegion = (description: string) => ({
  openAPIV3Schema: {
    properties: { spec: { properties: { forProvider: { properties: { region: { description } } } } } },
  },
});

describe('a CRD of several versions', () => {
  test('has fields, columns and rules with $versions in these versions only', () => {
    const text = orderSource
      .replace('type: string, jsonPath: .status.ready', '$versions: [v1], type: string, jsonPath: .spec.note')
      .replace(
        'schema:',
        `rules: [{ rule: has(self.spec.note), message: note it, $versions: [v1] }]\nschema:`,
      )
      .replace(
        'parameters:',
        'note: { description: A note., type: string, $versions: [v1] }\n        parameters:',
      );
    const [v1, v1alpha1] = merge({ [orderPath]: text }).versions;
    const partsOf = (source = v1) => ({
      columns: source?.columns.map(({ jsonPath }) => jsonPath).slice(1),
      rules: source?.rules.map(({ message }) => message),
      fields: Object.keys((source?.managed === false && source.schema.properties?.spec?.properties) || {}),
    });
    expect(partsOf(v1)).toEqual({
      columns: ['.spec.note'],
      rules: ['note it'],
      fields: ['item', 'note', 'parameters'],
    });
    expect(partsOf(v1alpha1)).toEqual({ columns: [], rules: [], fields: ['item', 'parameters'] });
    expect(JSON.stringify([v1, v1alpha1])).not.toContain('$versions');
  });

  test('has each with the schema of its own source, the stored one first', () => {
    expect(crdOf(merge({ [samplePath]: oldSource, [newPath]: newSource }))).toMatchObject({
      spec: {
        versions: [
          { name: 'v1', served: true, storage: true, schema: descriptionOfRegion('Where it is now.') },
          {
            name: 'v1alpha1',
            served: true,
            storage: false,
            deprecated: true,
            schema: descriptionOfRegion('Where it is.'),
          },
        ],
      },
    });
  });

  test('has each with the schema of one source that states them all', () => {
    const [v1, v1alpha1] = merge({ [orderPath]: orderSource }).versions;
    expect(v1).toMatchObject({ version: 'v1', storage: true });
    expect(v1alpha1).toEqual({
      ...v1,
      version: 'v1alpha1',
      storage: false,
      deprecated: true,
      deprecationWarning: 'use shop.example.org/v1',
    });
  });

  test('has neither fields nor categories of managed resources where the kind is none', () => {
    expect(crdOf(merge({ [orderPath]: orderSource }))).toMatchObject({
      spec: {
        names: {
          kind: 'Order',
          listKind: 'OrderList',
          plural: 'orders',
          singular: 'order',
          shortNames: ['ord'],
        },
        versions: [
          {
            additionalPrinterColumns: [
              { name: 'STATUS', jsonPath: '.status.conditions[0].reason' },
              { name: 'READY', jsonPath: '.status.ready' },
            ],
            subresources: { status: {} },
          },
          {},
        ],
      },
    });
    const schema = JSON.stringify(crdOf(merge({ [orderPath]: orderSource })));
    expect(schema).not.toMatch(/providerConfigRef|managementPolicies|categories|"crossplane"/);
  });

  test('states no conversion where the API server only changes apiVersion', () => {
    const explicit = orderSource.replace('versions:', 'conversion: { strategy: None }\nversions:');
    expect(crdOf(merge({ [orderPath]: explicit }))).toEqual(crdOf(merge({ [orderPath]: orderSource })));
    expect(JSON.stringify(crdOf(merge({ [orderPath]: orderSource })))).not.toContain('conversion');
  });

  test.each([
    {
      reason: 'defaults: a service that the install replaces, and the path of the framework',
      conversion: '{ strategy: Webhook }',
      service: { namespace: 'system', name: 'webhook-service', path: '/convert' },
      conversionReviewVersions: ['v1'],
    },
    {
      reason: 'everything the source states',
      conversion:
        '{ strategy: Webhook, service: { namespace: shop, name: hooks, port: 8443 }, path: /orders/convert, conversionReviewVersions: [v1, v1beta1] }',
      service: { namespace: 'shop', name: 'hooks', port: 8443, path: '/orders/convert' },
      conversionReviewVersions: ['v1', 'v1beta1'],
    },
  ])('states a conversion webhook: $reason', ({ conversion, service, conversionReviewVersions }) => {
    const text = orderSource.replace('versions:', `conversion: ${conversion}\nversions:`);
    expect(crdOf(merge({ [orderPath]: text }))).toMatchObject({
      spec: {
        conversion: {
          strategy: 'Webhook',
          webhook: { clientConfig: { service }, conversionReviewVersions },
        },
      },
    });
  });

  test('is in the folder of its group', () => {
    const kind = merge({ [orderPath]: orderSource }, new Map([['shop.example.org', 'package/shop/crds']]));
    expect(kind.stored.forms.map((form) => crdPath(kind, form))).toEqual([
      'package/shop/crds/shop.example.org_orders.yaml',
    ]);
  });
});

describe('sources that contradict each other are refused, with file and field', () => {
  const shared = `differs from ${newPath}; all versions of a kind share it`;

  test.each([
    {
      reason: 'two versions are stored',
      old: sampleSource(),
      message: `${samplePath}:1:1: versions: v1alpha1 is stored, and so is v1 of ${newPath}`,
    },
    {
      reason: 'one version is stated twice',
      old: oldSource.replace('[{', '[{ name: v1 }, {'),
      message: `${samplePath}:11:11: versions: v1 is stated in ${newPath} already`,
    },
    {
      reason: 'another plural is another resource',
      old: oldSource.replace('plural: buckets', 'plural: bucketz'),
      message: `${samplePath}:2:9: plural: ${shared}`,
    },
    {
      reason: 'another spelling is another kind',
      old: oldSource.replace('kind: Bucket', 'kind: BUCKET'),
      message: `${samplePath}:1:7: kind: ${shared}`,
    },
    {
      reason: 'a version has no scope of its own',
      old: oldSource.replace('emit: false', 'emit: true'),
      message: `${samplePath}:6:3: scopes: ${shared}`,
    },
    {
      reason: 'a version is missing from the CRD of the twin',
      old: oldSource.replace(/ {2}- scope: Namespaced\n.*\n.*\n/, ''),
      message: `${samplePath}:6:3: scopes: ${shared}`,
    },
    {
      reason: 'names for kubectl belong to the kind',
      old: oldSource.replace('categories: [crossplane, managed, shop]', 'categories: [shop]'),
      message: `${samplePath}:12:13: categories: ${shared}`,
    },
    {
      reason: 'a CRD has one conversion',
      old: oldSource.replace('categories:', 'conversion: { strategy: Webhook }\ncategories:'),
      message: `${samplePath}:12:13: conversion: ${shared}`,
    },
  ])('$reason', ({ old, message }) => {
    expect(() => merge({ [samplePath]: old, [newPath]: newSource })).toThrow(message);
  });

  test('no version is stored', () => {
    expect(() => merge({ [samplePath]: oldSource })).toThrow(
      `${samplePath}:11:11: versions: no version of the kind is stored; one has storage: true`,
    );
  });

  test.each([
    {
      reason: 'the version of the folder is missing',
      entry: 'name: v2, storage: true',
      message: `${samplePath}:1:1: versions: v1alpha1 is missing, the version that the folder is named after`,
    },
    {
      reason: 'what the API server does not take as a version',
      entry: 'name: 1.0',
      message: `${samplePath}:11:20: must be a string`,
    },
    {
      reason: 'a name that is no version',
      entry: 'name: latest',
      message: `${samplePath}:11:12: name: latest is no version such as v1 or v1alpha1`,
    },
    {
      reason: 'a warning of a version that is not deprecated',
      entry: 'name: v1alpha1, storage: true, deprecationWarning: old',
      message: `${samplePath}:11:12: deprecationWarning needs deprecated: true`,
    },
    {
      reason: 'a mistyped key',
      entry: 'name: v1alpha1, stored: true',
      message: `${samplePath}:11:30: unknown key stored;`,
    },
  ])('versions of one source: $reason', ({ entry, message }) => {
    expect(() => merge({ [samplePath]: sampleSource((text) => addVersion(text, entry)) })).toThrow(message);
  });

  test.each([
    {
      reason: 'a path without conversion webhook',
      conversion: '{ strategy: None, path: /convert }',
      message: 'path needs strategy: Webhook',
    },
    {
      reason: 'an unknown strategy',
      conversion: '{ strategy: Hook }',
      message: 'must be one of None, Webhook',
    },
    {
      reason: 'a path that the server cannot serve',
      conversion: '{ strategy: Webhook, path: convert }',
      message: 'must be a path that begins with /',
    },
    {
      reason: 'a port that does not exist',
      conversion: '{ strategy: Webhook, service: { port: 70000 } }',
      message: 'must be an integer from 1 to 65535',
    },
    {
      reason: 'no review version that the API server could send',
      conversion: '{ strategy: Webhook, conversionReviewVersions: [] }',
      message: 'must have an entry',
    },
  ])('conversion: $reason', ({ conversion, message }) => {
    const text = orderSource.replace('versions:', `conversion: ${conversion}\nversions:`);
    expect(() => merge({ [orderPath]: text })).toThrow(new RegExp(`^${orderPath}:7:[0-9]+: ${message}`));
  });
});
