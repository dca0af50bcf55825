import { expect, test } from '@jest/globals';
import { clusterWidgets, type WidgetParts, widget } from './fakes/managed-harness.ts';
import { isRelevantUpdate } from './relevant-update.ts';

const base: WidgetParts = {
  metadata: { labels: { a: '1' }, annotations: { 'crossplane.io/external-name': 'w' }, finalizers: ['f'] },
};
const deletionTimestamp = '2024-01-01T00:00:00Z';

test.each([
  { title: '[178] nothing changed', change: {}, news: false },
  { title: '[179] the status', change: { status: { atProvider: { size: 1 } } }, news: false },
  {
    title: '[180] an annotation written on the way',
    change: {
      annotations: {
        'crossplane.io/external-create-pending': 'x',
        'crossplane.io/external-create-failed': 'y',
        'kyma.orchestrate.cloud.sap/shard-owner': 's=a',
        'kyma.orchestrate.cloud.sap/shard-owner-pending': 'z',
      },
    },
    news: false,
  },
  {
    title: '[181] another annotation',
    change: { annotations: { 'crossplane.io/paused': 'true' } },
    news: true,
  },
  { title: '[182] labels', change: { labels: { a: '2' } }, news: true },
  { title: '[183] the generation', change: { generation: 43 }, news: true },
  {
    title: '(ours) the record of a create',
    change: { annotations: { 'crossplane.io/external-create-succeeded': 'x' } },
    news: true,
  },
  { title: '(ours) finalizers', change: { finalizers: ['f', 'g'] }, news: false },
])('$title: $news', ({ change, news }) => {
  const { annotations, status, ...metadata } = change as Record<string, never>;
  const old = widget(clusterWidgets, base);
  const object = widget(clusterWidgets, {
    metadata: {
      ...base.metadata,
      ...metadata,
      annotations: { ...base.metadata?.annotations, ...(annotations ?? {}) },
    },
    ...(status === undefined ? {} : { status }),
  });
  expect(isRelevantUpdate(old, object)).toBe(news);
});

test('(ours) a removed finalizer of another controller continues a deletion', () => {
  const deleted = (finalizers: string[]) =>
    widget(clusterWidgets, { metadata: { deletionTimestamp, finalizers } });
  expect(isRelevantUpdate(deleted(['f', 'other']), deleted(['f']))).toBe(true);
});
