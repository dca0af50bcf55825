import { describe, expect, test } from '@jest/globals';
import { sampleInstance } from './fixtures/serviceinstance.fixture.ts';
import { contentOf, listOf, planSelectionOf } from './sm-requests.ts';

describe('the selection of a service plan', () => {
  const required = { instanceName: 'orders', offeringName: 'xsuaa', planName: 'application' };

  test.each([
    { title: 'names only', spec: {}, selection: required },
    {
      title: 'empty fields as absent ones',
      spec: { servicePlanID: '', dataCenter: '' },
      selection: required,
    },
    {
      title: 'the ID of the plan, and the data center',
      spec: { servicePlanID: 'plan-9', dataCenter: 'eu10' },
      selection: { ...required, planID: 'plan-9', dataCenter: 'eu10' },
    },
  ])('has $title', ({ spec, selection }) => {
    expect(planSelectionOf(sampleInstance(spec))).toStrictEqual(selection);
  });
});

test('a create or update has the name, the plan, and the parameters if there are any', () => {
  const content = { name: 'orders', servicePlanID: 'plan-1' };
  expect(contentOf(sampleInstance(), 'plan-1', undefined)).toStrictEqual(content);
  expect(contentOf(sampleInstance(), 'plan-1', { a: 1 })).toStrictEqual({ ...content, parameters: { a: 1 } });
});

test('tags in the status: none without tags, and as many as the schema allows', () => {
  expect(listOf(undefined)).toBeUndefined();
  expect(listOf([])).toBeUndefined();
  expect(listOf(['a', 'b'])).toEqual(['a', 'b']);
  const many = Array.from({ length: 1025 }, (_, index) => `tag-${index}`);
  expect(listOf(many)).toEqual(many.slice(0, 1024));
});

test('tags in the status have at most 64 KiB, so that the ID of the instance fits beside them', () => {
  const long = Array.from({ length: 5 }, () => 'ä'.repeat(10_000));
  expect(listOf(long)).toEqual(long.slice(0, 3));
  expect(listOf(['x'.repeat(70_000)])).toBeUndefined();
});
