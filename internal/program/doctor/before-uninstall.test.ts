import { expect, test } from '@jest/globals';
import { plain, shown } from '../../framework/module/console/shown.ts';
import { review } from './before-uninstall.fixture.ts';
import { formatReview } from './before-uninstall.ts';

test('the table has lost and blocked resources, commands that fix them, and totals', () => {
  expect(formatReview(shown(review), plain).split('\n')).toEqual([
    'FATE   KIND                 NAME     EXTERNAL-NAME  WHY',
    'lost   KymaInstanceMapping  shop     i-1/c-1/shop   its external resource would be deleted; if the provider is gone before, it hangs',
    'hangs  ProviderConfig       default                 1 resource uses it',
    '',
    'While the provider runs:',
    `  kubectl patch kymainstancemappings.inventory.hana.orchestrate.cloud.sap shop --type=merge -p '{"spec":{"deletionPolicy":"Orphan"}}'`,
    '',
    '1 would be lost, 1 would hang, 3 would go without trouble.',
    '',
  ]);
});

test('without findings it lists the kinds that are not installed', () => {
  const nothing = { ...review, safe: true, findings: [], notInstalled: ['x.example.org', 'y.example.org'] };
  expect(formatReview(shown(nothing), plain)).toBe(
    'not installed: x.example.org, y.example.org\nNothing would be lost or hang; 3 objects would go with the provider.\n',
  );
});
