import { describe, expect, test } from '@jest/globals';
import { SecretContentError } from '../errors.ts';
import { boundInstance, decoded, sampleBinding } from '../secret.fixture.ts';
import { secretContent } from '../secret-content.ts';

const long = `s3cr3t${'x'.repeat(5000)}`;
const credentials = `{"long":"${long}","user":"me","password":"s3cr3t-value","port":443,"auth":{"basic":{"password":"n3sted-value"}}}`;
const prefix = 'failed to create secret from template: the Secret template is invalid: ';

const contentOf = (
  secretTemplate: string,
  spec: Parameters<typeof sampleBinding>[0] = {},
  given: string | undefined = credentials,
  instance = boundInstance(),
) => secretContent({ binding: sampleBinding({ secretTemplate, ...spec }), instance, credentials: given });

function refusal(...args: Parameters<typeof contentOf>): SecretContentError {
  try {
    contentOf(...args);
  } catch (error) {
    if (error instanceof SecretContentError) return error;
    throw error;
  }
  throw new Error('the template was not refused');
}

describe('the Secret of a template', () => {
  test('[B93] has its labels, annotations and entries, and what each Secret of a binding has', () => {
    const content = contentOf(
      [
        'apiVersion: v1',
        'kind: Secret',
        'metadata:',
        '  labels:',
        '    instance_plan: {{ .instance.plan }}',
        '    services.cloud.sap.com/managed-by-sap-btp-operator: other',
        '  annotations:',
        '    instance_name: {{ .instance.instance_name }}',
        '    binding: other',
        'stringData:',
        '  newKey: {{ .credentials.user | printf "%q" }}',
        '  tags: {{ .instance.tags }}',
        '  guid: {{ .instance.instance_guid }}',
      ].join('\n'),
    );
    expect(content).toMatchObject({
      type: 'Opaque',
      labels: { instance_plan: 'hana', 'services.cloud.sap.com/managed-by-sap-btp-operator': 'true' },
      annotations: { instance_name: 'orders-external', binding: 'orders-db' },
    });
    expect(decoded(content)).toEqual({ newKey: 'me', tags: 'test,custom-tag', guid: 'id-1' });
  });

  test('[B94] kind and apiVersion may be missing', () => {
    expect(decoded(contentOf('stringData: {a: {{ .credentials.user }}}'))).toEqual({ a: 'me' });
  });

  test('functions of sprig', () => {
    const content = contentOf(
      'stringData: {url: {{ printf "jdbc:%s" (.credentials.user | upper) | quote }}, all: {{ .credentials.auth | toJson | quote }}}',
    );
    expect(decoded(content)).toEqual({ url: 'jdbc:ME', all: '{"basic":{"password":"n3sted-value"}}' });
  });

  test('[B100] nested credentials', () => {
    const content = contentOf('stringData: {a: {{ .credentials.auth.basic.password }}}');
    expect(decoded(content)).toEqual({ a: 'n3sted-value' });
  });

  test('secretKey and secretRootKey are ignored if it has entries', () => {
    expect(decoded(contentOf('stringData: {a: b}', { secretKey: 'k', secretRootKey: 'r' }))).toEqual({
      a: 'b',
    });
  });

  test.each([
    { reason: '[B98] stringData is empty', template: 'stringData:' },
    { reason: '[B99] there is no data', template: '' },
    { reason: 'data is empty', template: 'data: {}' },
  ])('$reason: the entries of the other formats, with its metadata', ({ template }) => {
    const metadata = 'metadata: {labels: {a: b}, annotations: {c: d}}\n';
    const content = contentOf(metadata + template);
    expect(content).toMatchObject({ labels: { a: 'b' }, annotations: { c: 'd', binding: 'orders-db' } });
    expect(content.data).toEqual(contentOf('').data);
    expect(decoded(content)).toMatchObject({ user: 'me', port: '443', plan: 'hana' });
    expect(decoded(content)).toHaveProperty(['.metadata']);
    const { data } = contentOf(metadata + template, { secretKey: 'all' });
    expect(Buffer.from(data.all ?? '', 'base64').toString()).toBe(credentials);
  });

  test('type and immutable', () => {
    expect(contentOf('type: example.com/t\nimmutable: true\nstringData: {a: b}')).toMatchObject({
      type: 'example.com/t',
      immutable: true,
    });
  });

  test('without credentials there are none to refer to', () => {
    const binding = sampleBinding({ secretTemplate: 'stringData: {a: {{ len .credentials }}}' });
    const source = { binding, instance: boundInstance(), credentials: undefined };
    expect(decoded(secretContent(source))).toEqual({ a: '0' });
    expect(refusal('a: {{ .credentials.user }}', {}, '{}').message).toContain(
      'map has no entry for key "user"',
    );
  });

  test('without tags, a reference to them fails', () => {
    const instance = { ...boundInstance({ customTags: [] }), status: { conditions: [] } };
    expect(refusal('a: {{ .instance.tags }}', {}, credentials, instance).message).toContain(
      'map has no entry for key "tags"',
    );
  });
});

describe('an invalid template', () => {
  test.each([
    ['[B95] a name', 'metadata: {name: x}', "Secret's metadata field 'name' cannot be edited"],
    [
      '[B96] [B148] an unknown key',
      'stringData:\n  a: {{ .non_existing_key }}',
      'template: shop/orders-db:2:8: executing "shop/orders-db" at <.non_existing_key>: map has no entry for key "non_existing_key"',
    ],
    [
      '[B97] [B150] another kind',
      'apiVersion: v1\nkind: Pod',
      "It is of kind '/v1, Kind=Pod' but needs to be of kind 'Secret'",
    ],
    [
      '[B151] an unknown function',
      '{{ env "HOME" }}',
      'template: shop/orders-db:1: function "env" not defined',
    ],
    [
      'text that is no YAML',
      'stringData: "',
      'It does not result in a valid Secret YAML: line 1, column 14: missing char',
    ],
    ['an invalid key', 'stringData: {"a b": c}', '"a b" is not a valid key of a Secret'],
    [
      'a function that fails, without the data that Go quotes',
      '{{ index .credentials .credentials.port }}',
      'template: shop/orders-db:1:3: executing "shop/orders-db" at <index .credentials .credentials.port>: error calling index',
    ],
  ])('%s', (_reason, template, text) => {
    const error = refusal(template);
    expect(error.message).toContain(prefix + text);
    expect(error.kind).toBe('terminal');
  });

  test('[B153] [B152] an output of 1 MiB is the limit', () => {
    const large = (bytes: number) =>
      `{{ range 1024 }}{{ printf "%1023s\\n" "#" }}{{ end }}${'x'.repeat(bytes)}`;
    expect(decoded(contentOf(large(0)))).toHaveProperty('user');
    expect(refusal(large(1)).message).toBe(
      `${prefix}the size of the generated Secret exceeds the limit of 1048576 bytes`,
    );
  });

  test('[B82] credentials that are no JSON object', () => {
    expect(refusal('stringData: {a: b}', {}, '"s3cr3t-value"').message).toBe(
      'failed to unmarshal given service binding credentials: the credentials are a JSON string, not a JSON object',
    );
  });

  test('a defect of this program is none of the template', () => {
    const broken = () => {
      throw new RangeError('defect');
    };
    const clock = { now: () => 0, monotonic: broken, after: () => () => undefined };
    const binding = sampleBinding({ secretTemplate: 'a: b' });
    expect(() => secretContent({ binding, instance: boundInstance(), credentials }, { clock })).toThrow(
      RangeError,
    );
  });

  test('the time limit is no fault of the template: a retry may succeed', () => {
    let now = 0;
    const clock = { now: () => now, monotonic: () => (now += 100), after: () => () => undefined };
    const source = {
      instance: boundInstance(),
      credentials,
      binding: sampleBinding({ secretTemplate: '{{ range 10000 }}x{{ end }}' }),
    };
    expect(() => secretContent(source, { clock })).toThrow(expect.objectContaining({ kind: 'transient' }));
  });

  test.each([
    'kind: {{ .credentials.password }}',
    'stringData: {"{{ .credentials.password }} x": y}',
    'stringData: {"{{ .credentials.long }} x": y}',
    'kind: {{ .credentials.long }}',
    'metadata: {labels: {"{{ .credentials.password }}!": x}}',
    'metadata: {labels: {a: "{{ .credentials.password }}!"}}',
    'stringData: {a: *{{ .credentials.password }}}',
    'data: {a: "{{ .credentials.password }}!"}',
    '{{ index .credentials .credentials.password }}',
    '{{ template "s3cr3t-value" }}',
    '{{ .credentials.password.x }}',
    '{{ mustToDate "2006-01-02" (substr 0 6 .credentials.password) }}',
    '{{ semver (trunc 6 .credentials.password) }}',
  ])('no message has a credential: %s', (template) => {
    expect(refusal(template).message).not.toContain('s3cr3t');
  });
});
