import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { componentReconcilers } from '../../internal/systems/reconciler/components/reconcilers/component-reconcilers.ts';

const root = new URL('../../', import.meta.url);
const page = await readFile(new URL('docs/components/reconcilers.md', root), 'utf8');

test('the page has each component reconciler of the program', () => {
  const [before = ''] = page.split('## Add one');
  const named = [...before.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, name]) => name);
  expect(named.sort()).toEqual(Object.keys(componentReconcilers).sort());
});

test('the code on the page is the example, which is compiled and tested', async () => {
  const [, code] = /```ts\n([\s\S]*?)```/.exec(page) ?? [];
  expect(code).toBe(
    await readFile(new URL('internal/systems/reconciler/components/reconcilers/example.ts', root), 'utf8'),
  );
});
