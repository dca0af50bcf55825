import { describe, expect, test } from '@jest/globals';
import { apiError } from '../../kube/fakes/memory-client.ts';
import type { Reference } from './reference.ts';
import {
  Always,
  boom,
  type Case,
  deleted,
  networks,
  noMatch,
  noValue,
  Optional,
  owned,
  setup,
  tier,
} from './references.fixture.ts';

interface OneCase extends Case {
  readonly value?: string;
  readonly ref?: Reference;
}

describe('a field with one value', () => {
  test.each<OneCase>([
    {
      title: '[259] the referring object is being deleted',
      reason: 'what it refers to may be gone already',
      given: { from: deleted },
      ref: { name: 'a' },
      want: { ref: { name: 'a' } },
      asks: 0,
    },
    {
      title: '[260] there is a value',
      reason: 'it was resolved before, or users gave it themselves',
      value: 'id-x',
      ref: { name: 'a' },
      want: { value: 'id-x', ref: { name: 'a' } },
      asks: 0,
    },
    {
      title: '[261] there is a value, and the reference is always resolved',
      reason: 'what it refers to may have another value by now',
      value: 'id-x',
      ref: { name: 'a', policy: Always },
      want: { value: 'id-a', ref: { name: 'a', policy: Always } },
    },
    {
      title: '[262] neither reference nor selector',
      reason: 'the field is for users to fill',
      want: {},
      asks: 0,
    },
    {
      title: '[263] the GET fails',
      reason: 'the prefix says what was read',
      given: { fault: boom },
      ref: { name: 'a' },
      want: 'cannot get referenced resource: boom',
    },
    {
      title: '[264] what it refers to has no value yet',
      reason: 'an empty value would create the wrong thing',
      ref: { name: 'new' },
      want: noValue,
    },
    {
      title: '[265] a reference',
      reason: 'the usual case',
      ref: { name: 'a' },
      want: { value: 'id-a', ref: { name: 'a' } },
      asks: 1,
    },
    {
      title: '[266] a reference that names its own namespace',
      reason: 'being explicit changes nothing',
      ref: { name: 'a', namespace: 'shop' },
      want: { value: 'id-a', ref: { name: 'a', namespace: 'shop' } },
    },
    {
      title: '[267] a reference without a namespace',
      reason: 'it is that of the referring object, not that of others who have the name',
      ref: { name: 'b' },
      want: { value: 'id-b', ref: { name: 'b' } },
    },
    {
      title: '[268] a reference into another namespace',
      reason: 'kinds may allow it',
      ref: { name: 'a', namespace: 'elsewhere' },
      want: { value: 'id-elsewhere', ref: { name: 'a', namespace: 'elsewhere' } },
    },
    {
      title: '[269] an optional reference to what does not exist',
      reason: 'the field stays empty',
      ref: { name: 'none', policy: Optional },
      want: { ref: { name: 'none', policy: Optional } },
    },
    {
      title: '(ours) a reference to a name that cannot exist',
      reason: 'creating it is no way out',
      ref: { name: 'Not_A_Name' },
      want: expect.stringContaining('cannot get referenced resource: "Not_A_Name" cannot be the name of a '),
    },
    {
      title: '(ours) an optional reference that cannot be read',
      reason: 'optional means that it may be missing, not that errors do not matter',
      given: { fault: apiError(403, 'Forbidden') },
      ref: { name: 'a', policy: Optional },
      want: expect.stringContaining('cannot get referenced resource: '),
    },
    {
      title: '(ours) an optional reference to what has no value yet',
      reason: 'the field stays empty',
      ref: { name: 'new', policy: Optional },
      want: { ref: { name: 'new', policy: Optional } },
    },
    {
      title: '[270] the LIST fails',
      reason: 'the prefix says what was read',
      given: { fault: boom },
      selector: tier('front'),
      want: 'cannot list resources that match selector: boom',
    },
    {
      title: '[271] nothing matches the selector',
      reason: 'users must hear of it',
      selector: tier('none'),
      want: noMatch,
    },
    {
      title: '[272] nothing matches an optional selector',
      reason: 'the field stays empty',
      selector: { ...tier('none'), policy: Optional },
      want: {},
    },
    {
      title: '[273] a selector with the same controller',
      reason: 'a composition finds its own parts',
      given: { from: { metadata: owned } },
      selector: { ...tier('back'), matchControllerRef: true },
      want: { value: 'id-c', ref: { name: 'c' } },
      asks: 1,
    },
    {
      title: '[274] a selector for another namespace',
      reason: 'the reference that it leads to must name the namespace',
      selector: { ...tier('front'), namespace: 'elsewhere' },
      want: { value: 'id-elsewhere', ref: { name: 'a', namespace: 'elsewhere' } },
    },
    {
      title: '[275] a selector that always chooses',
      reason: 'what it chose before does not bind it',
      value: 'id-x',
      ref: { name: 'gone' },
      selector: { ...tier('new'), policy: { ...Always, ...Optional } },
      want: { ref: { name: 'new' } },
    },
    {
      title: '[276] a reference beside a selector',
      reason: 'what was chosen stays chosen',
      ref: { name: 'b' },
      selector: tier('back'),
      want: { value: 'id-b', ref: { name: 'b' } },
    },
  ])('$title ($reason)', async ({ given, value, ref, selector, want, asks }) => {
    const h = setup(given);
    const resolved = await h.one(value, ref, selector);
    expect(resolved).toEqual(want);
    if (asks !== undefined) expect(h.requests).toHaveLength(asks);
  });

  test('[300] of the legacy generation knows no namespaces', async () => {
    const h = setup({}, { ...networks, namespaced: false });
    expect(await h.one(undefined, { name: 'a' })).toEqual({ value: 'id-a', ref: { name: 'a' } });
    expect(await h.one(undefined, undefined, tier('back'))).toEqual({ value: 'id-c', ref: { name: 'c' } });
  });
});
