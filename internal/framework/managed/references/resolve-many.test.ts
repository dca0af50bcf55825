import { describe, expect, test } from '@jest/globals';
import type { Reference } from './reference.ts';
import {
  Always,
  boom,
  type Case,
  deleted,
  noMatch,
  noValue,
  Optional,
  owned,
  setup,
  tier,
} from './references.fixture.ts';

interface ManyCase extends Case {
  readonly values?: string[];
  readonly refs?: Reference[];
}

describe('a field with many values', () => {
  test.each<ManyCase>([
    {
      title: '[277] the referring object is being deleted',
      reason: 'what it refers to may be gone already',
      given: { from: deleted },
      refs: [{ name: 'a' }],
      want: { values: [], refs: [{ name: 'a' }] },
      asks: 0,
    },
    {
      title: '[278] there are values',
      reason: 'they were resolved before, or users gave them themselves',
      values: ['id-x'],
      refs: [{ name: 'a' }],
      want: { values: ['id-x'], refs: [{ name: 'a' }] },
      asks: 0,
    },
    {
      title: '[279] there are values, and one reference is always resolved',
      reason: 'the values belong together',
      values: ['id-x'],
      refs: [{ name: 'a', policy: Always }, { name: 'b' }],
      want: { values: ['id-a', 'id-b'], refs: [{ name: 'a', policy: Always }, { name: 'b' }] },
    },
    {
      title: '[280] neither references nor selector',
      reason: 'the field is for users to fill',
      want: { values: [], refs: [] },
      asks: 0,
    },
    {
      title: '[281] a GET fails',
      reason: 'the prefix says what was read',
      given: { fault: boom },
      refs: [{ name: 'a' }],
      want: 'cannot get referenced resource: boom',
    },
    {
      title: '[282] one has no value yet',
      reason: 'half a list would create the wrong thing',
      refs: [{ name: 'a' }, { name: 'new' }],
      want: noValue,
    },
    {
      title: '[283] a reference',
      reason: 'the usual case',
      refs: [{ name: 'a' }],
      want: { values: ['id-a'], refs: [{ name: 'a' }] },
      asks: 1,
    },
    {
      title: '[284] a reference that names its own namespace',
      reason: 'being explicit changes nothing',
      refs: [{ name: 'a', namespace: 'shop' }],
      want: { values: ['id-a'], refs: [{ name: 'a', namespace: 'shop' }] },
    },
    {
      title: '[285] a reference without a namespace',
      reason: 'it is that of the referring object',
      refs: [{ name: 'b' }],
      want: { values: ['id-b'], refs: [{ name: 'b' }] },
    },
    {
      title: '[286] references into several namespaces',
      reason: 'kinds may allow it',
      refs: [{ name: 'a', namespace: 'elsewhere' }, { name: 'a' }],
      want: {
        values: ['id-elsewhere', 'id-a'],
        refs: [{ name: 'a', namespace: 'elsewhere' }, { name: 'a' }],
      },
    },
    {
      title: '[287] an optional reference to what does not exist, among others',
      reason: 'the others count, and no reference of the user is taken away',
      refs: [{ name: 'b' }, { name: 'none', policy: Optional }, { name: 'a' }],
      want: {
        values: ['id-b', 'id-a'],
        refs: [{ name: 'b' }, { name: 'none', policy: Optional }, { name: 'a' }],
      },
    },
    {
      title: '[288] the LIST fails',
      reason: 'the prefix says what was read',
      given: { fault: boom },
      selector: tier('front'),
      want: 'cannot list resources that match selector: boom',
    },
    {
      title: '[289] nothing matches the selector',
      reason: 'users must hear of it',
      selector: tier('none'),
      want: noMatch,
    },
    {
      title: '[290] nothing matches an optional selector',
      reason: 'the field stays empty',
      selector: { ...tier('none'), policy: Optional },
      want: { values: [], refs: [] },
    },
    {
      title: '[291] a selector with the same controller',
      reason: 'a composition finds its own parts',
      given: { from: { metadata: owned } },
      selector: { ...tier('back'), matchControllerRef: true },
      want: { values: ['id-c'], refs: [{ name: 'c' }] },
      asks: 1,
    },
    {
      title: '[292] a selector for another namespace',
      reason: 'the references that it leads to must name the namespace',
      selector: { ...tier('front'), namespace: 'elsewhere' },
      want: { values: ['id-elsewhere'], refs: [{ name: 'a', namespace: 'elsewhere' }] },
    },
    {
      title: '[293] a selector that always chooses',
      reason: 'what it chose before does not bind it',
      values: ['id-x'],
      refs: [{ name: 'gone' }],
      selector: { ...tier('back'), policy: Always },
      want: { values: ['id-c', 'id-d'], refs: [{ name: 'c' }, { name: 'd' }] },
    },
    {
      title: '[294] references beside a selector',
      reason: 'what was chosen stays chosen',
      refs: [{ name: 'b' }],
      selector: tier('back'),
      want: { values: ['id-b'], refs: [{ name: 'b' }] },
    },
    {
      title: '[295] what a selector finds is sorted',
      reason: 'another order would be a change in every reconcile',
      selector: tier('front'),
      want: { values: ['id-a', 'id-b'], refs: [{ name: 'a' }, { name: 'b' }] },
    },
    {
      title: '[296] references only, the same one twice',
      reason: 'their owner would restore another order, or a reference that is taken away; values are a set',
      refs: [{ name: 'b' }, { name: 'a' }, { name: 'b' }],
      want: { values: ['id-b', 'id-a'], refs: [{ name: 'b' }, { name: 'a' }, { name: 'b' }] },
    },
  ])('$title ($reason)', async ({ given, values, refs, selector, want, asks }) => {
    const h = setup(given);
    expect(await h.many(values, refs, selector)).toEqual(want);
    if (asks !== undefined) expect(h.requests).toHaveLength(asks);
  });
});
