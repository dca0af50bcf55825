import { expect, test } from '@jest/globals';
import { all, equal, oneOf, serializeQuery } from './query.ts';

test('[B12.10] clauses have quoted values; a quote in a value is doubled', () => {
  expect(all(equal('name', "it's"), oneOf('id', ['a', "b'"]))).toBe("name eq 'it''s' and id in ('a', 'b''')");
  expect(equal('name', "a' or 'b' eq 'b")).toBe("name eq 'a'' or ''b'' eq ''b'");
});

test('parameters are sorted and form-encoded', () => {
  const query = { labelQuery: "b eq 'x'", fieldQuery: "a eq 'ü&=+'", token: undefined };
  expect(serializeQuery(query)).toBe('fieldQuery=a+eq+%27%C3%BC%26%3D%2B%27&labelQuery=b+eq+%27x%27');
});
