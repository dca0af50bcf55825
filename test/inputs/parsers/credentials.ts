/** What Secrets, ConfigMaps and the objects of SAP's operator contain. */
import fc from 'fast-check';
import type { KubeObject } from '../../../internal/framework/kube/object/object.ts';
import { parseCredentials } from '../../../internal/systems/btp/credentials/credential-resolver.ts';
import {
  mergeParameters,
  parseParameters,
} from '../../../internal/systems/btp/parameters/read-parameters.ts';
import {
  parseAdminCredentials,
  parseCredentialsKey,
} from '../../../internal/systems/inventory/hana-cloud/credentials.ts';
import { connectionProblem } from '../../../internal/systems/inventory/input/connection-problem.ts';
import { inputCluster } from '../../../internal/systems/inventory/input/input-cluster.fixture.ts';
import { readInputs } from '../../../internal/systems/inventory/kymainstancemapping/inputs/inputs.ts';
import { damagedJson, damagedText, damagedValue } from '../arbitraries/damaged.ts';
import { hostileText, jsonText } from '../arbitraries/hostile.ts';
import { secret } from '../arbitraries/secret.ts';
import { foreignInput } from '../foreign-input.ts';

const uaa = { url: 'https://uaa.example.com', clientid: 'sb-1', clientsecret: secret };
const x509 = {
  certurl: 'https://uaa.example.com',
  clientid: 'sb-1',
  certificate: `-----BEGIN CERTIFICATE-----\n${secret}\n-----END CERTIFICATE-----`,
  key: `-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----`,
};
const whole = { baseurl: 'api.example.com', uaa };

/** The values of a Secret, as text. */
const secretData = (valid: Readonly<Record<string, unknown>>): fc.Arbitrary<Record<string, string>> =>
  fc.record(
    Object.fromEntries(
      Object.entries(valid).map(([key, value]) => [
        key,
        typeof value === 'string' ? damagedText(fc.constant(value)) : damagedJson(value),
      ]),
    ),
    { requiredKeys: [] },
  ) as fc.Arbitrary<Record<string, string>>;

const adminSecrets = fc.oneof(
  secretData({ baseurl: 'api.example.com', uaa }),
  secretData({ url: 'https://api.example.com', uaa: x509 }),
  secretData({ any: whole }),
  secretData({ root: { inner: whole }, plan: 'admin' }),
);

const nothing = (_: unknown) => undefined;

/** Problems may name keys of the Secret, which are no secret, and never values. */
const problemsOf = (parsed: ReturnType<typeof parseAdminCredentials>) => {
  if ('credentials' in parsed) return undefined;
  if (parsed.problems.length === 0) throw new Error('the refusal does not say what is wrong');
  return parsed.problems;
};

const base64 = (text: string) => Buffer.from(text).toString('base64');
const metadata = (namespace: string, name: string) => ({ namespace, name, resourceVersion: '7' });
const inputObjects = {
  instance: {
    apiVersion: 'services.cloud.sap.com/v1',
    kind: 'ServiceInstance',
    status: {
      instanceID: 'i-1',
      ready: 'True',
      conditions: [{ type: 'Ready', status: 'True', reason: 'r', message: 'm' }],
    },
  },
  binding: {
    apiVersion: 'services.cloud.sap.com/v1',
    kind: 'ServiceBinding',
    spec: { secretName: 'admin' },
    status: { conditions: [{ type: 'Ready', status: 'False', reason: 'r', message: 'm' }] },
  },
  secret: {
    apiVersion: 'v1',
    kind: 'Secret',
    data: { baseurl: base64('api.example.com'), uaa: base64(JSON.stringify(uaa)) },
  },
  config: { apiVersion: 'v1', kind: 'ConfigMap', data: { CLUSTER_ID: 'c-1' } },
};
const names = {
  instance: metadata('shop', 'hana'),
  binding: metadata('shop', 'admin'),
  secret: metadata('shop', 'admin'),
  config: metadata('kyma-system', 'sap-btp-operator-config'),
};
const refs = {
  serviceInstanceRef: { namespace: 'shop', name: 'hana' },
  adminBindingRef: { namespace: 'shop', name: 'admin' },
};

export const secretsAndObjects = [
  foreignInput({
    name: 'credentials of HANA Cloud',
    inputs: adminSecrets,
    read: (data) => problemsOf(parseAdminCredentials(data)),
  }),
  foreignInput({
    name: 'the data of a Secret under any keys',
    inputs: fc.dictionary(hostileText, damagedJson(whole), { maxKeys: 4, noNullPrototype: true }),
    read: (data) => problemsOf(parseAdminCredentials(data)),
  }),
  foreignInput({
    name: 'the key uaa',
    inputs: fc
      .oneof(damagedJson(uaa), damagedJson(x509))
      .map((text) => ({ baseurl: 'api.example.com', uaa: text })),
    read: (data) => problemsOf(parseAdminCredentials(data)),
  }),
  foreignInput({
    name: 'one key with all credentials',
    inputs: fc.record({ key: hostileText, text: damagedJson(whole) }),
    read: ({ key, text }) => problemsOf(parseCredentialsKey(key, text)),
  }),
  foreignInput({
    name: 'credentials of Service Manager',
    inputs: secretData({
      clientid: 'c',
      clientsecret: secret,
      sm_url: 'https://sm.example.com',
      tokenurl: 'https://uaa.example.com',
      tokenurlsuffix: '/oauth/token',
      'tls.crt': x509.certificate,
      'tls.key': x509.key,
    }),
    read: (data) => {
      const parsed = parseCredentials(data);
      if ('credentials' in parsed) {
        const { baseUrl, tokenUrl } = parsed.credentials;
        if (![baseUrl, tokenUrl].every((text) => URL.canParse(text)))
          throw new Error('an endpoint that is no URL');
        return undefined;
      }
      return parsed.problem;
    },
  }),
  foreignInput({
    name: 'parameters in a Secret',
    inputs: fc.record({
      text: fc.option(damagedJson({ password: secret, list: [{ a: 1 }], shared: true }), { nil: undefined }),
      inline: damagedValue({ name: 'x', nested: { a: [1] } }),
    }),
    read: ({ text, inline }) => {
      const parsed = parseParameters(text, 'params', 'parameters');
      const isObject = typeof inline === 'object' && inline !== null && !Array.isArray(inline);
      nothing(mergeParameters([parsed], isObject ? { ...inline } : {}));
    },
  }),
  foreignInput({
    name: 'the input objects of a KymaInstanceMapping',
    inputs: fc.record({
      instance: damagedValue(inputObjects.instance),
      binding: damagedValue(inputObjects.binding),
      secret: damagedValue(inputObjects.secret),
      config: damagedValue(inputObjects.config),
    }),
    read: async (objects) => {
      const served = Object.entries(objects).map(([name, value]) => {
        const shown = JSON.parse(jsonText(value ?? {}));
        const { apiVersion, kind } = inputObjects[name as keyof typeof inputObjects];
        const body = typeof shown === 'object' && shown !== null ? shown : {};
        return { ...body, apiVersion, kind, metadata: names[name as keyof typeof names] } as KubeObject;
      });
      const { findings } = await readInputs(inputCluster(served), refs, new AbortController().signal);
      const problem = connectionProblem(findings);
      if (problem !== undefined) throw problem;
    },
  }),
];
