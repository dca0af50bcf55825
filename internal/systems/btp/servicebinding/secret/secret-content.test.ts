import { describe, expect, test } from '@jest/globals';
import { SecretContentError } from './errors.ts';
import { boundInstance, decoded, sampleBinding } from './secret.fixture.ts';
import { secretContent } from './secret-content.ts';

const info = {
  instance_name: 'orders-external',
  instance_guid: 'id-1',
  plan: 'hana',
  label: 'hana-cloud',
  type: 'hana-cloud',
  tags: '["test","custom-tag"]',
};
const infoProperties = [
  { name: 'instance_name', format: 'text' },
  { name: 'instance_guid', format: 'text' },
  { name: 'plan', format: 'text' },
  { name: 'label', format: 'text' },
  { name: 'type', format: 'text' },
  { name: 'tags', format: 'json' },
];

const contentOf = (
  credentials: string | undefined,
  spec: Parameters<typeof sampleBinding>[0] = {},
  instance = boundInstance(),
) => secretContent({ binding: sampleBinding(spec), instance, credentials });

const entriesOf = (...args: Parameters<typeof contentOf>) => decoded(contentOf(...args));

/** The text of the error. */
function refusal(...args: Parameters<typeof contentOf>): string {
  try {
    contentOf(...args);
  } catch (error) {
    if (error instanceof SecretContentError) return error.message;
    throw error;
  }
  throw new Error('the content was not refused');
}

describe('[B73] the default format', () => {
  test('[B73] has an entry for each credential, those of the instance and their description', () => {
    const { '.metadata': metadata = '', ...entries } = entriesOf(
      '{"user":"me","host name":"db","port":443,"on":true,"none":null,"uaa":{"z":1,"a":["x"]}}',
    );
    expect(entries).toEqual({
      user: 'me',
      host_name: 'db',
      port: '443',
      on: 'true',
      none: 'null',
      uaa: '{"a":["x"],"z":1}',
      ...info,
    });
    expect(JSON.parse(metadata)).toEqual({
      credentialProperties: [
        { name: 'host_name', format: 'text' },
        { name: 'none', format: 'json' },
        { name: 'on', format: 'json' },
        { name: 'port', format: 'json' },
        { name: 'uaa', format: 'json' },
        { name: 'user', format: 'text' },
      ],
      metaDataProperties: infoProperties,
    });
  });

  test("the description has the fields in the order that SAP's operator writes", () => {
    expect(entriesOf('{"a":"b"}', {}, boundInstance({ customTags: [] }))['.metadata']).toMatch(
      /^\{"credentialProperties":\[\{"name":"a","format":"text"\}\],"metaDataProperties":\[\{"name":"instance_name","format":"text"\}/,
    );
  });

  test('[B73] labels, annotation and type', () => {
    expect(contentOf('{}')).toMatchObject({
      type: 'Opaque',
      labels: { 'services.cloud.sap.com/managed-by-sap-btp-operator': 'true' },
      annotations: { binding: 'orders-db' },
    });
    expect(Object.keys(contentOf('{}').labels)).toHaveLength(1);
  });

  test('a replaced binding hands on its label stale', () => {
    const binding = sampleBinding({}, { labels: { 'services.cloud.sap.com/stale': 'b-1', other: 'x' } });
    expect(secretContent({ binding, instance: boundInstance(), credentials: '{}' }).labels).toEqual({
      'services.cloud.sap.com/managed-by-sap-btp-operator': 'true',
      'services.cloud.sap.com/stale': 'b-1',
    });
  });

  test.each([
    { credentials: undefined, properties: null },
    { credentials: '{}', properties: [] },
  ])(
    'without credentials ($credentials) there are only entries of the instance',
    ({ credentials, properties }) => {
      const { '.metadata': metadata = '', ...entries } = entriesOf(credentials);
      expect(entries).toEqual(info);
      expect(JSON.parse(metadata)).toMatchObject({ credentialProperties: properties });
    },
  );
});

describe('[B168] the text of a credential', () => {
  test.each([
    ['a string, without quotes', '"a\\u0041\\"<&>\\n"', 'aA"<&>\n'],
    ['true', 'true', 'true'],
    ['a number', '8', '8'],
    ['a number with more digits than a double', '12345678901234567890', '12345678901234567890'],
    ['a number in its own form', '1.50e+2', '1.50e+2'],
    ['an object: sorted, without white space', '{ "b" : 1 , "a" : { } }', '{"a":{},"b":1}'],
    ['an array: in its order', '[ 2, 1 ]', '[2,1]'],
    ['characters that HTML reserves, within JSON', '["<&>\u2028"]', '["\\u003c\\u0026\\u003e\\u2028"]'],
    ['digits within JSON', '{"id":12345678901234567890}', '{"id":12345678901234567890}'],
    ['half of a surrogate pair', '["\\ud800"]', '["\ufffd"]'],
  ])('%s', (_reason, value, text) => {
    expect(entriesOf(`{"x": ${value} }`).x).toBe(text);
  });

  test('names that every object inherits are names', () => {
    expect(entriesOf('{"__proto__":"a","constructor":"b"}')).toMatchObject(
      JSON.parse('{"__proto__":"a","constructor":"b"}'),
    );
  });

  test('of two credentials whose names differ by a space and an underscore, the exact one is used', () => {
    expect(entriesOf('{"a_b":"exact","a b":"space"}').a_b).toBe('exact');
    expect(entriesOf('{"a b":"space","a_b":"exact"}').a_b).toBe('exact');
  });
});

test('a credential with the name of an instance entry is replaced, and .metadata does not describe it', () => {
  const { '.metadata': metadata = '', ...entries } = entriesOf('{"type":"credential","user":"me"}');
  expect(entries.type).toBe('hana-cloud');
  expect(JSON.parse(metadata)).toEqual({
    credentialProperties: [{ name: 'user', format: 'text' }],
    metaDataProperties: infoProperties,
  });
});

describe('[B74] secretKey', () => {
  test('[B74] the credentials are one entry, byte for byte as received', () => {
    const credentials = '{ "b" : 1.0,"a":"\\u0041<" }\n';
    const { '.metadata': metadata = '', ...entries } = entriesOf(credentials, { secretKey: 'all.json' });
    expect(entries).toEqual({ 'all.json': credentials, ...info });
    expect(JSON.parse(metadata)).toEqual({
      credentialProperties: [{ name: 'all.json', container: true, format: 'json' }],
      metaDataProperties: infoProperties,
    });
  });

  test('credentials that are no object are accepted', () => {
    expect(entriesOf('"text"', { secretKey: 'k' }).k).toBe('"text"');
  });

  test('without credentials there is no such entry', () => {
    expect(entriesOf(undefined, { secretKey: 'k' })).not.toHaveProperty('k');
  });
});

describe('[B75] secretRootKey', () => {
  test('[B75] everything is one entry, a JSON object of strings in sorted order', () => {
    const entries = entriesOf('{"z":{"a":"<"},"port":443}', { secretRootKey: 'root' });
    expect(Object.keys(entries)).toEqual(['root']);
    expect(entries.root).toBe(
      '{"instance_guid":"id-1","instance_name":"orders-external","label":"hana-cloud","plan":"hana","port":"443",' +
        '"tags":"[\\"test\\",\\"custom-tag\\"]","type":"hana-cloud","z":"{\\"a\\":\\"\\\\u003c\\"}"}',
    );
  });

  test('[B75] with secretKey the credentials are one string in it', () => {
    const credentials = '{"a": "b"}';
    const entries = entriesOf(credentials, { secretRootKey: 'root', secretKey: 'all' });
    expect(Object.keys(entries)).toEqual(['root']);
    expect(JSON.parse(entries.root ?? '')).toEqual({ ...info, all: credentials });
  });
});

describe('data of the instance', () => {
  test.each([
    { reason: 'the external name', instance: boundInstance(), name: 'orders-external' },
    { reason: 'metadata.name without one', instance: boundInstance({ externalName: '' }), name: 'orders' },
    {
      reason: '[B86] metadata.name by annotation',
      instance: boundInstance(
        {},
        { annotations: { 'services.cloud.sap.com/useInstanceMetadataName': 'true' } },
      ),
      name: 'orders',
    },
    {
      reason: 'the external name for another value of the annotation',
      instance: boundInstance(
        {},
        { annotations: { 'services.cloud.sap.com/useInstanceMetadataName': 'True' } },
      ),
      name: 'orders-external',
    },
  ])('instance_name: $reason', ({ instance, name }) => {
    expect(entriesOf('{}', {}, instance).instance_name).toBe(name);
  });

  test('tags: those of the offering first, each once', () => {
    expect(entriesOf('{}', {}, boundInstance({ customTags: ['b', 'test', 'a', 'b'] })).tags).toBe(
      '["test","b","a"]',
    );
  });

  test('without tags there is no such entry', () => {
    const instance = { ...boundInstance({ customTags: [] }), status: { conditions: [], instanceID: 'id-1' } };
    const { '.metadata': metadata = '', ...entries } = entriesOf('{}', {}, instance);
    expect(entries).not.toHaveProperty('tags');
    expect(metadata).not.toContain('tags');
  });
});

describe('[B82] what cannot be a Secret is refused before the API server does', () => {
  test.each([
    {
      reason: 'credentials that are a string',
      credentials: '"s3cr3t-value"',
      text: 'a JSON string, not a JSON object',
    },
    {
      reason: 'credentials that are an array',
      credentials: '["s3cr3t-value"]',
      text: 'a JSON array, not a JSON object',
    },
    { reason: 'credentials that are no JSON', credentials: 's3cr3t-value', text: 'no JSON' },
    {
      reason: 'too many of them',
      credentials: `"${'x'.repeat(2 ** 21)}"`,
      text: 'of more than 2097152 characters',
    },
  ])('$reason', ({ credentials, text }) => {
    const message = refusal(credentials);
    expect(message).toMatch(/^failed to create secret\. Error: the credentials are /);
    expect(message).toContain(text);
    expect(message).not.toContain('s3cr3t');
  });

  test.each(['a/b', 'ä', '', '.', '..', '..a', 'x'.repeat(254)])('the key %p', (key) => {
    const message = refusal(JSON.stringify({ [key]: 's3cr3t-value' }));
    expect(message).toMatch(/^failed to create secret\. Error: ".*" is not a valid key of a Secret/);
    expect(message).not.toContain('s3cr3t');
  });

  test('the message about a long key is cut', () => {
    expect(refusal(JSON.stringify({ ['x'.repeat(5000)]: 'v' }))).toHaveLength(2000);
  });

  test.each(['a', '.a', '-', '_', 'A.b-c_9', 'x'.repeat(253)])('not the key %p', (key) => {
    expect(entriesOf(JSON.stringify({ [key]: 'v' }))[key]).toBe('v');
  });

  test('an invalid secretKey, and an invalid secretRootKey', () => {
    expect(refusal('{}', { secretKey: 'a b' })).toContain('"a b" is not a valid key');
    expect(refusal('{}', { secretRootKey: '' })).toContain('"" is not a valid key');
  });

  test('data of more than 1 MiB, counted in bytes', () => {
    const rest = Object.values(entriesOf('{"x":""}')).join('').length;
    const fits = 'x'.repeat(2 ** 20 - rest);
    expect(entriesOf(JSON.stringify({ x: fits })).x).toBe(fits);
    expect(refusal(JSON.stringify({ x: `${fits.slice(1)}ä` }))).toContain(
      `the Secret would have 1048577 bytes of data; the limit is 1048576 bytes`,
    );
  });
});
