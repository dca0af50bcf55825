import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import * as configMessages from '../../internal/framework/managed/providerconfig/model/messages.ts';
import * as conditions from '../../internal/framework/managed/resource/conditions.ts';
import * as messages from '../../internal/framework/managed/steps/messages/messages.ts';
import * as bindingTexts from '../../internal/systems/btp/servicebinding/messages.ts';
import * as secretErrors from '../../internal/systems/btp/servicebinding/secret/errors.ts';
import * as serviceTexts from '../../internal/systems/btp/status/messages.ts';
import * as clusterTexts from '../../internal/systems/infrastructure-manager/gardenercluster/kubeconfig-rotation.ts';
import * as runtimeTexts from '../../internal/systems/infrastructure-manager/runtime/messages.ts';
import * as mappingTexts from '../../internal/systems/inventory/mapping/messages.ts';
import * as kymaClusterTexts from '../../internal/systems/reconciler/kyma-cluster/messages.ts';

const page = await readFile(new URL('../../docs/errors.md', import.meta.url), 'utf8');

/** Cells of one column of the table under a heading. */
function column(heading: string, index: number, text = page): string[] {
  const section = text.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const rows = section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2);
  return rows.map((row) => row.split('|')[index + 1]?.trim().replaceAll('`', '') ?? '');
}

const reasonsOf = (module: Record<string, unknown>): string[] =>
  Object.entries(module).flatMap(([name, value]) =>
    name.startsWith('reason') && typeof value === 'string' ? [value] : [],
  );

test('every reason of a condition is explained, and no other', () => {
  const explained = new Set(['Synced', 'Ready', 'UpToDate'].flatMap((type) => column(type, 1)));
  expect([...explained].sort()).toEqual([...new Set(reasonsOf(conditions))].sort());
});

test('every reason of an event is explained, and no other', () => {
  expect(column('Events', 1).sort()).toEqual([...new Set(reasonsOf(messages))].sort());
});

test('every reason of a provider configuration is explained, and no other', () => {
  expect(column('ProviderConfig', 1).sort()).toEqual(reasonsOf(configMessages).sort());
});

/** Messages of a table, as patterns: `…` stands for any text. */
const patternsOf = (cells: readonly string[]): RegExp[] =>
  cells
    .flatMap((cell) => cell.split('<br>'))
    .map(
      (text) =>
        new RegExp(
          text
            .split('…')
            .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
            .join('.*'),
        ),
    );

test('every text of conditions of mappings is in the table, with object, field, cause and remediation', () => {
  const resource = { apiVersion: 'v1', kind: 'K', metadata: { name: 'shop' } };
  const { deletingMapping, replacingMapping, adoptingMapping, makingDefault, ...texts } = mappingTexts;
  const phrases = [deletingMapping('m'), replacingMapping('m'), adoptingMapping('m'), makingDefault('m')];
  const samples: Record<keyof typeof texts, readonly string[]> = {
    mappingMissing: [texts.mappingMissing],
    adviceOnNamespace: [texts.adviceOnNamespace],
    adviceToOrphan: [texts.adviceToOrphan(resource)],
    foreignInputs: [texts.foreignInputs([{ field: 'adminBindingRef', namespace: 'a' }], 'b')],
    importMismatch: [texts.importMismatch('a', 'b')],
    recordsDisagree: [texts.recordsDisagree('a', 'b')],
    notAnExternalName: [texts.notAnExternalName('a', 'b')],
    isDefaultDiff: [texts.isDefaultDiff(true, false)],
    identityDiff: [texts.identityDiff('a', 'b')],
    conflictWithoutMapping: [texts.conflictWithoutMapping('a')],
    mappingContested: [texts.mappingContested('a', 'KymaInstanceMapping b')],
    defaultContested: [texts.defaultContested('a', 'b')],
    claimsIncomplete: phrases
      .slice(0, 3)
      .map((doing) => texts.claimsIncomplete(doing, { resource: 'r', problem: 'forbidden' })),
    claimUnconfirmed: phrases.slice(0, 3).map((doing) => texts.claimUnconfirmed(doing, 'r')),
    claimUnrecorded: phrases.slice(0, 3).map((doing) => texts.claimUnrecorded(doing, 'r')),
    childOfKyma: [texts.childOfKyma('a')],
    instanceNotVisible: [texts.instanceNotVisible('a')],
    adviceToAbandon: [texts.adviceToAbandon('a')],
  };
  expect(Object.keys(samples).sort()).toEqual(Object.keys(texts).sort());
  const patterns = patternsOf(column('Common messages', 0));
  const missing = Object.values(samples)
    .flat()
    .filter((text) => !patterns.some((each) => each.test(text)));
  expect(missing).toEqual([]);
  for (const index of [1, 2, 3]) expect(column('Common messages', index)).not.toContain('');
});

test('every text of failures of ServiceInstances and ServiceBindings is in its table', async () => {
  const file = new URL('../../docs/service-operator/troubleshooting.md', import.meta.url);
  const troubleshooting = await readFile(file, 'utf8');
  const { missingInstanceText, deletedInstanceText, unreadyInstanceText, noCredentialsText } = bindingTexts;
  const { nameTakenText, otherBindingText, createFailedText, invalidTemplateText } = secretErrors;
  const kinds = ['ServiceInstance', 'ServiceBinding'] as const;
  const operations = ['create', 'update', 'delete'] as const;
  const texts = [
    missingInstanceText('a', 'b'),
    deletedInstanceText,
    unreadyInstanceText,
    noCredentialsText,
    nameTakenText('a'),
    otherBindingText('a', 'b'),
    createFailedText('c'),
    invalidTemplateText('c'),
    ...kinds.flatMap((kind) => [
      serviceTexts.notFoundText(kind, 'id'),
      serviceTexts.deleteNeedsCredentials(kind),
      ...operations.map((operation) => serviceTexts.operationFailedText(kind, operation, 'c')),
    ]),
  ];
  const cells = (index: number) => column('Messages', index, troubleshooting);
  const patterns = patternsOf(cells(0));
  expect(texts.filter((text) => !patterns.some((each) => each.test(text)))).toEqual([]);
  for (const index of [1, 2, 3]) expect(cells(index)).not.toContain('');
});

test('every text of conditions of Runtimes and GardenerClusters is in its table', async () => {
  const file = new URL('../../docs/infrastructure-manager/messages.md', import.meta.url);
  const table = await readFile(file, 'utf8');
  const { messages: ofRuntime, noSeedInRegion, seedsUnknown, ...functions } = runtimeTexts;
  const { messages: ofCluster, reasons, failed, untried } = clusterTexts;
  const { created: _created, rotated: _rotated, ...failures } = reasons;
  const texts = [
    ...Object.values(ofRuntime),
    ...Object.values(functions).map((text) => text('a cause')),
    noSeedInRegion('a', ['b', 'c']),
    seedsUnknown('a', 'a cause'),
    ofCluster.KubeconfigSecretCreated,
    ofCluster.KubeconfigSecretRotated,
    ...Object.values(failures).map((reason) => failed(reason, 'a cause')),
    untried('KubeconfigSecretRotated', 'a cause'),
  ];
  const cells = (index: number) => column('Messages', index, table);
  // What follows a text is the answer of another system.
  const patterns = patternsOf(cells(0).map((cell) => cell.replaceAll(': …', '')));
  expect(texts.filter((text) => !patterns.some((each) => each.test(text)))).toEqual([]);
  for (const index of [1, 2, 3]) expect(cells(index)).not.toContain('');
});

test('every text of conditions of KymaClusters is in its table', async () => {
  const file = new URL('../../docs/mothership/kyma-cluster.md', import.meta.url);
  const table = await readFile(file, 'utf8');
  const cells = (index: number) => column('Messages', index, table);
  const patterns = patternsOf(cells(0));
  const texts = Object.values(kymaClusterTexts).map((text) =>
    typeof text === 'string' ? text : text('a', 'b', 'c'),
  );
  expect(texts.filter((text) => !patterns.some((each) => each.test(text)))).toEqual([]);
  for (const index of [1, 2, 3]) expect(cells(index)).not.toContain('');
});
